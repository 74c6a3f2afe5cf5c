/**
 * The keys of a daemon that starts during an outage of its database are compared later, and the outage is no
 * difference.
 */
import { Subject } from 'rxjs';
import { expect, it } from 'vitest';
import { compareOnceThere } from '../../src/compose/agreed-keys.ts';
import { ConfigError } from '../../src/config.ts';
import { StorageError } from '../../src/storage/errors.ts';

type Outcome = 'equal' | 'away' | 'differ';

/** A daemon whose comparisons end as given, one after the other. */
function comparing(outcomes: readonly Outcome[]) {
  const looked = new Subject<void>();
  const lines: string[] = [];
  const left = [...outcomes];
  const seen = { differs: 0 };
  const compare = async (): Promise<void> => {
    const outcome = left.shift();
    if (outcome === 'away') throw new StorageError('STORAGE_UNAVAILABLE', 'The database is away.');
    if (outcome === 'differ') throw new ConfigError('Another key.');
  };
  const started = compareOnceThere({
    compare,
    leases: {
      onTableRead(listener) {
        const subscription = looked.subscribe(listener);
        return () => subscription.unsubscribe();
      },
    },
    announce: (line) => lines.push(line),
    differ: () => {
      seen.differs += 1;
    },
  });
  const look = async (): Promise<void> => {
    looked.next();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { started, look, lines, left, seen };
}

it('are compared again after each outage, until they are equal', async () => {
  const { started, look, lines, left, seen } = comparing(['away', 'away', 'away', 'equal', 'differ']);
  await started;
  for (let looks = 0; looks < 5; looks += 1) await look();
  expect(left).toEqual(['differ']);
  expect(seen.differs).toBe(0);
  expect(lines).toHaveLength(1);
});

it('stop the daemon when they differ, at its start or later', async () => {
  await expect(comparing(['differ']).started).rejects.toThrow('Another key.');
  const { started, look, lines, seen } = comparing(['away', 'away', 'differ']);
  await started;
  for (let looks = 0; looks < 3; looks += 1) await look();
  expect(seen.differs).toBe(1);
  expect(lines.at(-1)).toBe('The daemon stops: Another key.');
});
