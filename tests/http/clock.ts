/** A clock that a test moves. */
import type { Clock } from '../../src/ports/clock.ts';

export interface MovableClock {
  readonly clock: Clock;
  advance(ms: number): void;
}

export function movableClock(): MovableClock {
  let offset = 0;
  const start = Date.now();
  return {
    clock: { now: () => start + offset },
    advance(ms) {
      offset += ms;
    },
  };
}
