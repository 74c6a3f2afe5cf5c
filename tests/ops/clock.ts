/** A clock for tests: time passes only when the test advances it, and timers fire in order. */
import type { Clock } from '../../src/storage/ops/schedule.ts';

export class TestClock implements Clock {
  time: number;
  #waiting: { at: number; callback: () => void }[] = [];

  constructor(start: string) {
    this.time = new Date(start).getTime();
  }

  now(): number {
    return this.time;
  }

  after(milliseconds: number, callback: () => void): () => void {
    const entry = { at: this.time + milliseconds, callback };
    this.#waiting.push(entry);
    return () => {
      this.#waiting = this.#waiting.filter((other) => other !== entry);
    };
  }

  get waits(): number {
    return this.#waiting.length;
  }

  /** Timers run by the time that passes, whatever the wall clock is set to. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.time + milliseconds;
    for (;;) {
      const next = this.#waiting.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#waiting = this.#waiting.filter((other) => other !== next);
      this.time = next.at;
      next.callback();
      await settle();
    }
    this.time = end;
  }

  jump(milliseconds: number): void {
    this.time += milliseconds;
    for (const entry of this.#waiting) entry.at += milliseconds;
  }
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
