/** Long work in slices: how much is done in one turn of the event loop. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inNextTurn, inSlices, ownTurn, SLICE_MS } from '../../src/lib/slices.ts';

/** Handles items that take so many milliseconds each. Returns those of each turn. */
async function turnsOf(costs: readonly number[]): Promise<readonly (readonly number[])[]> {
  let clock = 0;
  const turns: number[][] = [[]];
  const turn = async (): Promise<void> => void turns.push([]);
  for await (const cost of inSlices(costs, { now: () => clock, turn })) {
    clock += cost;
    turns.at(-1)!.push(cost);
  }
  return turns;
}

describe('slices', () => {
  it('take as many items in a turn as fit', async () => {
    expect(await turnsOf([1, 1, 1, 1, 1, 1, 1])).toEqual([
      [1, 1, 1, 1, 1],
      [1, 1],
    ]);
    expect(await turnsOf([9, 0, 9])).toEqual([[9], [0, 9]]);
    expect(await turnsOf([])).toEqual([[]]);
  });

  it('hold all items in order, and no item begins after the time of its turn', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 12 })), async (costs) => {
        const turns = await turnsOf(costs);
        expect(turns.flat()).toEqual(costs);
        for (const turn of turns) {
          const before = turn.slice(0, -1).reduce((sum, cost) => sum + cost, 0);
          expect(before).toBeLessThan(SLICE_MS);
        }
      }),
    );
  });

  it('of this process let other work run in between', async () => {
    let others = 0;
    const immediate = setImmediate(() => {
      others += 1;
    });
    for await (const _ of inSlices([1, 2])) {
      const end = performance.now() + SLICE_MS;
      while (performance.now() < end);
    }
    clearImmediate(immediate);
    expect(others).toBe(1);
  });

  it('of several works of this process take turns: one slice of one of them in each turn', async () => {
    const turns: string[] = ['start'];
    const count = (): void => {
      turns.push('');
      if (turns.length < 10) inNextTurn(count);
    };
    inNextTurn(count);
    const work = async (name: string): Promise<void> => {
      for (let slice = 0; slice < 2; slice += 1) {
        await ownTurn();
        turns[turns.length - 1] += name;
      }
    };
    await Promise.all([work('a'), work('b'), work('c')]);
    expect(turns.slice(0, 7)).toEqual(['start', 'a', 'b', 'c', 'a', 'b', 'c']);
  });
});
