/** Turns: one after the other per key, side by side otherwise, and alone for who asks; never a wait in a circle. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyedMutex } from '../../src/streams/keyed-mutex.ts';

const pause = (turns: number): Promise<void> =>
  turns === 0 ? Promise.resolve() : new Promise((resolve) => setImmediate(() => resolve(pause(turns - 1))));

/** Enters, works, asks to be alone if it must, works, leaves; `inside` is who is at work at each moment. */
async function work(
  turns: KeyedMutex,
  inside: Set<number>,
  { me, steps, alone }: { me: number; steps: number; alone: boolean },
) {
  while (turns.closed !== null) await turns.closed;
  turns.enter();
  try {
    inside.add(me);
    await pause(steps);
    if (!alone) return;
    inside.delete(me);
    await turns.exclusive();
    expect([...inside]).toEqual([]);
    inside.add(me);
    await pause(steps);
    expect([...inside]).toEqual([me]);
  } finally {
    inside.delete(me);
    turns.leave();
  }
}

describe('turns', () => {
  it('of one key follow each other, also after one that failed; others do not wait', async () => {
    const turns = new KeyedMutex();
    const said: string[] = [];
    const say = (text: string, steps: number) => async () => {
      await pause(steps);
      said.push(text);
      if (text === 'a1') throw new Error('a1');
    };
    const inTurn = async (key: string, work: () => Promise<void>) => {
      const before = turns.lock(key);
      if (before !== null) await before;
      try {
        await work();
      } finally {
        turns.unlock(key);
      }
    };
    const first = inTurn('a', say('a1', 5));
    const others = [inTurn('a', say('a2', 2)), inTurn('a', say('a3', 0))];
    await inTurn('b', say('b1', 1));
    await expect(first).rejects.toThrow('a1');
    await Promise.all(others);
    expect(said).toEqual(['b1', 'a1', 'a2', 'a3']);
    expect(turns.lock('a')).toBeNull();
  });

  it('alone is alone, everybody gets through, and the door is open again afterwards', async () => {
    const worker = fc.record({ steps: fc.nat(3), alone: fc.boolean(), after: fc.nat(4) });
    await fc.assert(
      fc.asyncProperty(fc.array(worker, { maxLength: 12 }), async (workers) => {
        const turns = new KeyedMutex();
        const inside = new Set<number>();
        await Promise.all(
          workers.map(async ({ after, ...how }, me) => {
            await pause(after);
            await work(turns, inside, { me, ...how });
          }),
        );
        expect(turns.closed).toBeNull();
      }),
      { numRuns: 300 },
    );
  });
});
