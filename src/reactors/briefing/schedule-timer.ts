/**
 * The timer that requests scheduled briefings.
 *
 * - There is one timer, and only while the schedule is on. It waits a minute at most, so that it notices a changed
 *   clock and a machine that slept. One briefing makes up for all missed times.
 * - The timer may request too often: `briefing_turn` allows one briefing for each time.
 */
import { dueTime, nextTime } from '../../commands/briefing/schedule.ts';
import type { BriefingSettings } from '../../events/briefing/events.ts';

export interface ScheduleTimerParts {
  readonly now: () => number;
  /** Calls back once after so many milliseconds; returns a function that cancels the call. */
  readonly after: (milliseconds: number, callback: () => void) => () => void;
  readonly schedule: () => {
    readonly settings: BriefingSettings;
    /** The time of the last change of the schedule, Unix milliseconds. */
    readonly since: number;
    /** The scheduled time of the newest scheduled briefing, Unix milliseconds. */
    readonly taken: number | null;
  };
  readonly request: (scheduledFor: number) => Promise<void>;
  /** Told when the schedule cannot be read or the request fails; the timer tries again in a minute. */
  readonly report: (message: string) => void;
}

export interface ScheduleTimer {
  /** Reads the settings and arms the timer for them: at the start and after each change. */
  reschedule(): void;
  stop(): void;
}

/** A missed briefing is made up for this long after the start of the daemon. */
export const START_PAUSE_MS = 5_000;
const WAIT_MS_MIN = 1;
const WAIT_MS_MAX = 60_000;

export function createScheduleTimer({ now, after, schedule, request, report }: ScheduleTimerParts): ScheduleTimer {
  let cancel: (() => void) | null = null;
  let isStopped = false;

  function arm(ms: number): void {
    cancel?.();
    cancel = isStopped ? null : after(ms, () => void tick().catch(failed));
  }

  function failed(error: unknown): void {
    report(`The schedule of the briefing: ${(error as Error).message}`);
    arm(WAIT_MS_MAX);
  }

  async function tick(): Promise<void> {
    const moment = look();
    if (moment === null || isStopped) return;
    if (moment.due === null) return arm(moment.wait);
    await request(moment.due);
    const later = look();
    if (later === null) return;
    // The same time again: its request was refused. Another one came meanwhile.
    arm(later.due === null || later.due === moment.due ? later.wait : WAIT_MS_MIN);
  }

  /** What one reading of the clock says, since two may lie on both sides of a time; null while the schedule is off. */
  function look(): { readonly due: number | null; readonly wait: number } | null {
    const { settings, since, taken } = schedule();
    if (!settings.enabled) return null;
    const moment = now();
    const wait = Math.min(WAIT_MS_MAX, Math.max(WAIT_MS_MIN, nextTime(moment, settings) - moment));
    return { due: dueTime(moment, settings, { since, taken }), wait };
  }

  return {
    reschedule() {
      cancel?.();
      cancel = null;
      try {
        const moment = look();
        if (moment !== null) arm(moment.due === null ? moment.wait : START_PAUSE_MS);
      } catch (error) {
        failed(error);
      }
    },
    stop() {
      isStopped = true;
      cancel?.();
    },
  };
}
