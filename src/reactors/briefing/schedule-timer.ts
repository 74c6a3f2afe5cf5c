/**
 * The timer that requests scheduled briefings.
 *
 * - There is one timer, and only while the schedule is on. It waits a minute at most, so that it notices a changed
 *   clock and a machine that slept. One briefing makes up for all missed times.
 * - The timer may request too often: `briefing_turn` allows one briefing for each time.
 */
import { dueTime, nextTime } from '../../commands/briefing/schedule.ts';
import type { BriefingSettings } from '../../events/briefing/events.ts';
import type { Timers } from '../../lib/timers.ts';

export interface ScheduleTimerParts {
  readonly now: () => number;
  readonly after: Timers['after'];
  readonly schedule: () => {
    readonly settings: BriefingSettings;
    /** The time of the last change of the schedule, Unix milliseconds. */
    readonly since: number;
    /** The scheduled time of the newest scheduled briefing, Unix milliseconds. */
    readonly taken: number | null;
  };
  readonly request: (scheduledFor: number) => Promise<void>;
  /** Called when the schedule cannot be read or the request fails; the timer retries after a minute. */
  readonly report: (message: string) => void;
}

export interface ScheduleTimer {
  /** Reads the settings and arms the timer for them: at the start and after each change. */
  reschedule(): void;
  stop(): void;
}

/** A missed briefing is requested this long after the daemon starts. */
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
    const moment = readSchedule();
    if (moment === null || isStopped) return;
    if (moment.due === null) return arm(moment.wait);
    await request(moment.due);
    const later = readSchedule();
    if (later === null) return;
    // If the same time is still due, its request was refused. If another time is due, it came up during the request.
    arm(later.due === null || later.due === moment.due ? later.wait : WAIT_MS_MIN);
  }

  /** Reads the clock once, because a scheduled time may pass between two readings. Null while the schedule is off. */
  function readSchedule(): { readonly due: number | null; readonly wait: number } | null {
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
        const moment = readSchedule();
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
