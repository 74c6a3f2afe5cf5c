/** A deterministic clock and id generator: the same commands make the same log. */
import type { Clock } from '../../src/ports/clock.ts';
import type { IdGenerator } from '../../src/ports/id-generator.ts';

export function steadySystem(): { readonly clock: Clock; readonly ids: IdGenerator } {
  let count = 0;
  const next = (): number => {
    count += 1;
    return count;
  };
  return {
    clock: { now: () => 1_700_000_000_000 + next() },
    ids: {
      uuid: () => `01900000-0000-7000-8000-${next().toString(16).padStart(12, '0')}`,
      hex: (bytes) =>
        next()
          .toString(16)
          .padStart(bytes * 2, '0'),
    },
  };
}
