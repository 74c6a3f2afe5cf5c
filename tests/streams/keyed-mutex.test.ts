/** The keyed mutex: one at a time per key, concurrent otherwise, exclusive on request, and never a deadlock. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyedMutex } from '../../src/streams/keyed-mutex.ts';

const pause = (turns: number): Promise<void> =>
  turns === 0 ? Promise.resolve() : new Promise((resolve) => setImmediate(() => resolve(pause(turns - 1))));

/** Enters, works, takes the exclusive lock if it must, works, leaves; `inside` holds the work that is running. */
async function work(
  mutex: KeyedMutex,
  inside: Set<number>,
  { me, steps, alone }: { me: number; steps: number; alone: boolean },
) {
  while (mutex.closed !== null) await mutex.closed;
  mutex.enter();
  try {
    inside.add(me);
    await pause(steps);
    if (!alone) return;
    inside.delete(me);
    await mutex.exclusive();
    expect([...inside]).toEqual([]);
    inside.add(me);
    await pause(steps);
    expect([...inside]).toEqual([me]);
  } finally {
    inside.delete(me);
    mutex.leave();
  }
}

describe('a keyed mutex', () => {
  it('runs work of one key one at a time, also after work that failed; other keys do not wait', async () => {
    const mutex = new KeyedMutex();
    const said: string[] = [];
    const say = (text: string, steps: number) => async () => {
      await pause(steps);
      said.push(text);
      if (text === 'a1') throw new Error('a1');
    };
    const inTurn = async (key: string, work: () => Promise<void>) => {
      const before = mutex.lock(key);
      if (before !== null) await before;
      try {
        await work();
      } finally {
        mutex.unlock(key);
      }
    };
    const first = inTurn('a', say('a1', 5));
    const others = [inTurn('a', say('a2', 2)), inTurn('a', say('a3', 0))];
    await inTurn('b', say('b1', 1));
    await expect(first).rejects.toThrow('a1');
    await Promise.all(others);
    expect(said).toEqual(['b1', 'a1', 'a2', 'a3']);
    expect(mutex.lock('a')).toBeNull();
  });

  it('grants the exclusive lock to one at a time, lets all work finish, and is open again afterwards', async () => {
    const worker = fc.record({ steps: fc.nat(3), alone: fc.boolean(), after: fc.nat(4) });
    await fc.assert(
      fc.asyncProperty(fc.array(worker, { maxLength: 12 }), async (workers) => {
        const mutex = new KeyedMutex();
        const inside = new Set<number>();
        await Promise.all(
          workers.map(async ({ after, ...how }, me) => {
            await pause(after);
            await work(mutex, inside, { me, ...how });
          }),
        );
        expect(mutex.closed).toBeNull();
      }),
      { numRuns: 300 },
    );
  });
});
