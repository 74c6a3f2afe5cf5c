/**
 * A clock for tests: time passes only when the test advances it. Events get their timestamps from it, and its timers
 * fire in order of their due times.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Timers } from '../lib/timers.ts';
import type { Clock } from '../ports/clock.ts';

/** Milliseconds, or a number with a unit: `250 ms`, `30 s`, `10 min`, `1 h`, `2 d`. */
export type Duration = number | `${number} ${'ms' | 's' | 'min' | 'h' | 'd'}`;

export interface TestClock extends Clock, Timers {
  /**
   * Advances the time. Timers that become due fire, each at its due time; what a timer causes in the daemon is recorded
   * before the next one fires. It does not wait for processes and sockets, which do not run on this clock.
   */
  advance(by: Duration): Promise<void>;
  /**
   * Changes the displayed time without advancing it, as setting a system clock does: timers are not affected. Throws a
   * `RangeError` for what is no time.
   */
  set(to: Date | string | number): void;
  /** The number of pending timers. */
  readonly waiting: number;
  /** Awaited after each timer. A test daemon adds one function, which waits until the daemon is quiet. */
  readonly settling: Set<() => Promise<void>>;
}

const START = '2026-01-01T09:00:00Z';
const UNIT_MS = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Starts at 2026-01-01T09:00:00Z, unless another time is given. Throws a `RangeError` for what is no time. */
export function testClock(start: Date | string | number = START): TestClock {
  return new ManualClock(timeOf(start));
}

function timeOf(given: Date | string | number): number {
  const time = new Date(given).getTime();
  if (Number.isNaN(time)) throw new RangeError(`'${given}' is no time such as '${START}'.`);
  return time;
}

/** Throws a `RangeError` for what is not a duration. */
export function milliseconds(duration: Duration): number {
  const [amount = '', unit = ''] = typeof duration === 'number' ? [duration, 'ms'] : duration.split(' ');
  const ms = Number(amount) * (Object.entries(UNIT_MS).find(([name]) => name === unit)?.[1] ?? Number.NaN);
  if (amount === '' || !(ms >= 0)) throw new RangeError(`'${duration}' is no duration such as '250 ms' or '1 h'.`);
  return ms;
}

interface Waiting {
  readonly due: number;
  readonly callback: () => void;
}

class ManualClock implements TestClock {
  readonly settling = new Set<() => Promise<void>>();
  readonly #waiting = new Set<Waiting>();
  /** The time that has passed since the start. */
  #passed = 0;
  /** The displayed time minus the passed time. */
  #offset: number;

  constructor(start: number) {
    this.#offset = start;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  now(): number {
    return Math.floor(this.#offset + this.#passed);
  }

  set(to: Date | string | number): void {
    this.#offset = timeOf(to) - this.#passed;
  }

  after(delay: number, callback: () => void): () => void {
    const entry = { due: this.#passed + Math.max(0, delay), callback };
    this.#waiting.add(entry);
    return () => void this.#waiting.delete(entry);
  }

  async advance(by: Duration): Promise<void> {
    const end = this.#passed + milliseconds(by);
    await this.#settle();
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#waiting.delete(next);
      this.#passed = Math.max(this.#passed, next.due);
      next.callback();
      await this.#settle();
    }
    this.#passed = Math.max(this.#passed, end);
  }

  /** The earliest timer that is due by `end`; of equal ones the one that was set first. */
  #next(end: number): Waiting | undefined {
    let next: Waiting | undefined;
    for (const entry of this.#waiting) if (entry.due <= end && entry.due < (next?.due ?? Infinity)) next = entry;
    return next;
  }

  async #settle(): Promise<void> {
    await nextTurn();
    for (const settle of this.settling) await settle();
  }
}
