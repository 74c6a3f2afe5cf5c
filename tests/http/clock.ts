/** The machine's ambient with a clock that a test moves. */
import { systemAmbient } from '../../src/integrations/ambient.ts';
import type { Ambient } from '../../src/ports/ambient.ts';

export interface MovableClock {
  readonly ambient: Ambient;
  advance(ms: number): void;
}

export function movableClock(): MovableClock {
  let offset = 0;
  const start = Date.now();
  return {
    ambient: { ...systemAmbient, now: () => start + offset },
    advance(ms) {
      offset += ms;
    },
  };
}
