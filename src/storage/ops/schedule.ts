/**
 * When a daily piece of work is due, in local time, whatever the clock does.
 *
 * - Due is what should have been done at the last such time of day and was not: what was missed is made up for.
 * - The wait is cut into short ones, so that a clock that jumps, a machine that slept and a day of 23 or 25 hours are
 *   noticed within a minute. A time of day that a day lacks is the next moment there is; of one that comes twice, the
 *   first counts.
 * - One piece of work at a time; a failed one is tried again after a pause.
 */

export interface Clock {
  /** Unix milliseconds. */
  now(): number;
  /** Calls back once after so many milliseconds; answers the way to call it off. */
  after(milliseconds: number, callback: () => void): () => void;
}

export interface TimeOfDay {
  readonly hour: number;
  readonly minute: number;
}

export interface Daily {
  readonly at: TimeOfDay;
  /** Unix milliseconds: when the work was last done well, or since when there is any; null: there is none. */
  readonly doneAt: () => number | null;
  readonly work: () => Promise<void>;
  /** Told each failure; the work is tried again later. */
  readonly failed: (error: unknown) => void;
}

/** A start is left alone for so long before missed work is made up. */
export const START_PAUSE_MS = 60_000;
const WAIT_MS_MAX = 60_000;
export const RETRY_PAUSE_MS = 15 * 60_000;
/** Work that was done later than this from now was done under a wrong clock, and says nothing. */
const FUTURE_MS_MAX = 86_400_000;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds).unref();
    return () => clearTimeout(timer);
  },
};

/** The latest moment at or before `now` when it was that time of day. */
export function lastTime(now: number, at: TimeOfDay): number {
  const today = timeOn(now, at, 0);
  return today <= now ? today : timeOn(now, at, -1);
}

/** The earliest such moment after `now`. */
export function nextTime(now: number, at: TimeOfDay): number {
  const today = timeOn(now, at, 0);
  return today > now ? today : timeOn(now, at, 1);
}

/** Is there work that should have been done by now? */
export function isDue(now: number, { at, doneAt }: Pick<Daily, 'at' | 'doneAt'>): boolean {
  const done = doneAt();
  if (done === null) return false;
  return done < lastTime(now, at) || done > now + FUTURE_MS_MAX;
}

/** Runs the work daily until it is stopped; `stop` waits for work under way. */
export function startDaily(daily: Daily, clock: Clock): { stop(): Promise<void> } {
  let callOff = clock.after(START_PAUSE_MS, tick);
  let running: Promise<void> = Promise.resolve();
  let stopped = false;

  function tick(): void {
    running = look().then((pause) => {
      if (!stopped) callOff = clock.after(pause, tick);
    });
  }

  async function look(): Promise<number> {
    try {
      if (isDue(clock.now(), daily)) await daily.work();
    } catch (error) {
      daily.failed(error);
      return RETRY_PAUSE_MS;
    }
    return Math.min(WAIT_MS_MAX, Math.max(1, nextTime(clock.now(), daily.at) - clock.now()));
  }

  return {
    async stop() {
      stopped = true;
      callOff();
      await running;
    },
  };
}

function timeOn(now: number, { hour, minute }: TimeOfDay, days: number): number {
  const day = new Date(now);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + days, hour, minute).getTime();
}
