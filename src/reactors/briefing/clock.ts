/**
 * Asks for the briefing when it is due.
 *
 * - One timer, and only while the schedule is on. It is cut into short waits, so that a clock that jumps and a machine
 *   that slept are noticed within a minute; what was missed is made up for once.
 * - That there is one briefing for each time is the turn's rule, not this timer's: it may ask too often.
 */
import { dueTime, nextTime } from '../../commands/briefing/schedule.ts';
import type { BriefingSettings } from '../../events/briefing/events.ts';

export interface BriefingClockParts {
  readonly now: () => number;
  /** Calls back once after so many milliseconds; answers the way to call it off. */
  readonly after: (milliseconds: number, callback: () => void) => () => void;
  readonly schedule: () => {
    readonly settings: BriefingSettings;
    /** When it was set. */
    readonly since: number;
    /** The time that was taken last. */
    readonly taken: number | null;
  };
  readonly request: (scheduledFor: number) => Promise<void>;
  /** Something is wrong with the schedule or the log; it is looked at again in a minute. */
  readonly report: (message: string) => void;
}

export interface BriefingClock {
  /** The settings are there, or are others now. */
  set(): void;
  stop(): void;
}

/** A start is left alone for so long before a missed briefing is made up. */
export const START_PAUSE_MS = 5_000;
const WAIT_MS_MAX = 60_000;

export function createBriefingClock({ now, after, schedule, request, report }: BriefingClockParts): BriefingClock {
  let callOff: (() => void) | null = null;
  let stopped = false;

  function arm(ms: number): void {
    callOff?.();
    callOff = stopped ? null : after(ms, () => void tick().catch(failed));
  }

  function failed(error: unknown): void {
    report(`The schedule of the briefing: ${(error as Error).message}`);
    arm(WAIT_MS_MAX);
  }

  async function tick(): Promise<void> {
    const { settings, since, taken } = schedule();
    if (!settings.enabled || stopped) return;
    const due = dueTime(now(), settings, { since, taken });
    if (due !== null) await request(due);
    if (schedule().settings.enabled) arm(waitFor(settings));
  }

  function waitFor(settings: BriefingSettings): number {
    return Math.min(WAIT_MS_MAX, Math.max(1, nextTime(now(), settings) - now()));
  }

  return {
    set() {
      callOff?.();
      callOff = null;
      try {
        const { settings, since, taken } = schedule();
        if (!settings.enabled) return;
        const isDue = dueTime(now(), settings, { since, taken }) !== null;
        arm(isDue ? START_PAUSE_MS : waitFor(settings));
      } catch (error) {
        failed(error);
      }
    },
    stop() {
      stopped = true;
      callOff?.();
    },
  };
}
