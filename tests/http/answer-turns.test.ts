/** Which answers wait for the end of their turn of the event loop. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { AnswerTurns } from '../../src/http/server/answer-turns.ts';
import { inNextTurn } from '../../src/lib/slices.ts';

/** For each answer of a turn whether it waits. */
async function waits(turns: AnswerTurns, answers: number): Promise<readonly boolean[]> {
  const ends = Array.from({ length: answers }, () => turns.end());
  await nextTurn();
  return ends.map((end) => end !== undefined);
}

it('a single answer never waits', async () => {
  const turns = new AnswerTurns();
  for (let turn = 0; turn < 3; turn += 1) expect(await waits(turns, 1)).toEqual([false]);
});

it('of several answers all but the first wait, and the first, too, once the turn before had several', async () => {
  const turns = new AnswerTurns();
  expect(await waits(turns, 3)).toEqual([false, true, true]);
  expect(await waits(turns, 3)).toEqual([true, true, true]);
  expect(await waits(turns, 1)).toEqual([true]);
  expect(await waits(turns, 1)).toEqual([false]);
});

it('no answer waits while a slice of long work is due', async () => {
  const turns = new AnswerTurns();
  const forget = inNextTurn(() => undefined);
  expect(await waits(turns, 2)).toEqual([false, false]);
  expect(await waits(turns, 2)).toEqual([true, true]);
  forget();
  inNextTurn(() => undefined)();
  expect(await waits(turns, 2)).toEqual([true, true]);
});

it('all answers of a turn are written one after the other, after all of its requests were read', async () => {
  const turns = new AnswerTurns();
  const log: string[] = [];
  const answer = async (name: string): Promise<void> => {
    log.push(`read ${name}`);
    await turns.end();
    log.push(`wrote ${name}`);
  };
  await Promise.all([answer('a'), answer('b')]);
  log.length = 0;
  await Promise.all([answer('a'), answer('b'), answer('c')]);
  expect(log).toEqual(['read a', 'read b', 'read c', 'wrote a', 'wrote b', 'wrote c']);
});
