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
    const { settings, since, taken } = schedule();
    if (!settings.enabled || isStopped) return;
    const due = dueTime(now(), settings, { since, taken });
    if (due !== null) await request(due);
    if (schedule().settings.enabled) arm(waitFor(settings));
  }

  function waitFor(settings: BriefingSettings): number {
    return Math.min(WAIT_MS_MAX, Math.max(1, nextTime(now(), settings) - now()));
  }

  return {
    reschedule() {
      cancel?.();
      cancel = null;
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
      isStopped = true;
      cancel?.();
    },
  };
}
