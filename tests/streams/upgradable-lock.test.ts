/** The upgradable lock: concurrent work, exclusive on request, without deadlock. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UpgradableLock } from '../../src/streams/upgradable-lock.ts';
import { turns } from '../support/turns.ts';

/** Enters, works, takes the exclusive lock if it must, works, leaves; `inside` holds the work that is running. */
async function work(
  lock: UpgradableLock,
  inside: Set<number>,
  { me, steps, alone }: { me: number; steps: number; alone: boolean },
) {
  while (lock.closed !== null) await lock.closed;
  lock.enter();
  try {
    inside.add(me);
    await turns(steps);
    if (!alone) return;
    inside.delete(me);
    await lock.exclusive();
    expect([...inside]).toEqual([]);
    inside.add(me);
    await turns(steps);
    expect([...inside]).toEqual([me]);
  } finally {
    inside.delete(me);
    lock.leave();
  }
}

describe('an upgradable lock', () => {
  it('grants the exclusive lock to one at a time, lets all work finish, and is open again afterwards', async () => {
    const worker = fc.record({ steps: fc.nat(3), alone: fc.boolean(), after: fc.nat(4) });
    await fc.assert(
      fc.asyncProperty(fc.array(worker, { maxLength: 12 }), async (workers) => {
        const lock = new UpgradableLock();
        const inside = new Set<number>();
        await Promise.all(
          workers.map(async ({ after, ...how }, me) => {
            await turns(after);
            await work(lock, inside, { me, ...how });
          }),
        );
        expect(lock.closed).toBeNull();
      }),
      { numRuns: 300 },
    );
  });
});
