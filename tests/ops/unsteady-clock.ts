/**
 * A realistic clock: it advances between two readings, timers fire early or late, and the wall clock jumps. Timers
 * follow the elapsed time.
 */
import fc from 'fast-check';
import type { Clock } from '../../src/storage/ops/schedule.ts';

export interface Unsteadiness {
  /** How much later than asked for each timer fires, in turn, milliseconds; negative: early. */
  readonly skews: readonly number[];
  /** What each reading takes, in turn, milliseconds. */
  readonly readings: readonly number[];
  /** Changes of the wall clock: before the timer of this number fires, by so many milliseconds. */
  readonly jumps: readonly { readonly timer: number; readonly by: number }[];
}

/** A turn of the event loop takes at least this long, milliseconds: a timer of 0 ms does not stop the time. */
const TURN_MS = 0.05;
/** The latest that a timer fires, milliseconds. */
export const LATE_MS_MAX = 40;

export function unsteadiness(jumpMsMax: number): fc.Arbitrary<Unsteadiness> {
  const skew = fc.oneof(fc.double({ min: -1, max: 1, noNaN: true }), fc.integer({ min: 0, max: LATE_MS_MAX }));
  const jump = fc.record({ timer: fc.nat(8), by: fc.integer({ min: -jumpMsMax, max: jumpMsMax }) });
  return fc.record({
    skews: fc.array(skew, { minLength: 1, maxLength: 8 }),
    readings: fc.array(fc.double({ min: 0, max: 1.5, noNaN: true }), { minLength: 1, maxLength: 8 }),
    jumps: jumpMsMax === 0 ? fc.constant([]) : fc.array(jump, { maxLength: 3 }),
  });
}

export class UnsteadyClock implements Clock {
  readonly #behaviour: Unsteadiness;
  #passed = 0;
  #wall: number;
  #readings = 0;
  #timers = 0;
  #fired = 0;
  #waiting: { readonly at: number; readonly callback: () => void }[] = [];

  constructor(start: number, behaviour: Unsteadiness) {
    this.#wall = start;
    this.#behaviour = behaviour;
  }

  now(): number {
    const { readings } = this.#behaviour;
    this.#advance(readings[this.#readings++ % readings.length]!);
    return Math.floor(this.#wall);
  }

  after(milliseconds: number, callback: () => void): () => void {
    const { skews } = this.#behaviour;
    const entry = { at: this.#passed + Math.max(0, milliseconds + skews[this.#timers++ % skews.length]!), callback };
    this.#waiting.push(entry);
    return () => {
      this.#waiting = this.#waiting.filter((other) => other !== entry);
    };
  }

  /** Lets timers fire for so many milliseconds. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.#passed + milliseconds;
    for (;;) {
      const next = this.#waiting.toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > end) break;
      this.#waiting = this.#waiting.filter((other) => other !== next);
      for (const { timer, by } of this.#behaviour.jumps) if (timer === this.#fired) this.#wall += by;
      this.#fired += 1;
      this.#advance(Math.max(TURN_MS, next.at - this.#passed));
      next.callback();
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    this.#advance(Math.max(0, end - this.#passed));
  }

  #advance(milliseconds: number): void {
    this.#passed += milliseconds;
    this.#wall += milliseconds;
  }
}
