/**
 * A daily schedule in local time that tolerates clock changes.
 *
 * - Work is due when it has not been done since the last scheduled time, so missed work is made up for.
 * - Waits last at most a minute, so that clock changes, suspended machines and days of 23 or 25 hours are noticed. A
 *   time of day that a day lacks means the next existing moment; one that occurs twice means the first occurrence.
 * - Work runs one at a time; after a failure it is tried again after a pause.
 */

export interface Clock {
  /** Unix milliseconds. */
  now(): number;
  /** Calls `callback` once after a delay; returns the function that cancels it. */
  after(milliseconds: number, callback: () => void): () => void;
}

export interface TimeOfDay {
  readonly hour: number;
  readonly minute: number;
}

export interface Daily {
  readonly at: TimeOfDay;
  /** When the work last succeeded, or when it became necessary, Unix milliseconds; null when none is necessary. */
  readonly doneAt: () => number | null;
  readonly work: () => Promise<void>;
  /** Called for each failure before the end of the schedule; the work is tried again later. */
  readonly failed: (error: unknown) => void;
}

/** Delay after the start before missed work is made up. */
export const START_PAUSE_MS = 60_000;
const WAIT_MS_MAX = 60_000;
export const RETRY_PAUSE_MS = 15 * 60_000;
/** A completion time further in the future than this came from a wrong clock and is ignored. */
const FUTURE_MS_MAX = 86_400_000;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds).unref();
    return () => clearTimeout(timer);
  },
};

/** The latest occurrence of the time of day at or before `now`, Unix milliseconds. */
export function lastTime(now: number, at: TimeOfDay): number {
  const today = timeOn(now, at, 0);
  return today <= now ? today : timeOn(now, at, -1);
}

/** The earliest occurrence after `now`, Unix milliseconds. */
export function nextTime(now: number, at: TimeOfDay): number {
  const today = timeOn(now, at, 0);
  return today > now ? today : timeOn(now, at, 1);
}

/** Whether the work has not been done since its last scheduled time. */
export function isDue(now: number, { at, doneAt }: Pick<Daily, 'at' | 'doneAt'>): boolean {
  const done = doneAt();
  if (done === null) return false;
  return done < lastTime(now, at) || done > now + FUTURE_MS_MAX;
}

/** Runs the work daily; `stop` ends the schedule, not the work under way. */
export function startDaily(daily: Daily, clock: Clock): { stop(): void } {
  let cancel = clock.after(START_PAUSE_MS, tick);
  let stopped = false;

  function tick(): void {
    void workIfDue().then((pause) => {
      if (!stopped) cancel = clock.after(pause, tick);
    });
  }

  /** Works when due; resolves to the pause. Reads the clock once, so that both decisions are about the same time. */
  async function workIfDue(): Promise<number> {
    let now = clock.now();
    try {
      if (isDue(now, daily)) {
        await daily.work();
        now = clock.now();
      }
    } catch (error) {
      if (!stopped) daily.failed(error);
      return RETRY_PAUSE_MS;
    }
    return Math.min(WAIT_MS_MAX, Math.max(1, nextTime(now, daily.at) - now));
  }

  return {
    stop() {
      stopped = true;
      cancel();
    },
  };
}

function timeOn(now: number, { hour, minute }: TimeOfDay, days: number): number {
  const day = new Date(now);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + days, hour, minute).getTime();
}
