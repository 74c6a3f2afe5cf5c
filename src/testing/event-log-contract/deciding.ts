/** Expected versions, and idempotency by event id. */
import { deepEqual, equal } from 'node:assert/strict';
import type { ExpectedVersion, StreamAppend } from '../../storage/event-log.ts';
import { type Case, event, fill, idOf, isWhole, positions, positionsOf, refuses, to, upTo } from './case.ts';

/** The version of a stream, the version that an append expects, and whether it is accepted. */
const EXPECTATIONS: readonly (readonly [number, ExpectedVersion, boolean])[] = [
  [0, 'any', true],
  [0, 'none', true],
  [0, 0, true],
  [0, 1, false],
  [2, 'any', true],
  [2, 'none', false],
  [2, 0, false],
  [2, 1, false],
  [2, 2, true],
  [2, 3, false],
];

/** Appends that every log rejects after event 1 in `a-1`, by description. */
const REPETITIONS: Readonly<Record<string, readonly StreamAppend[]>> = {
  'an append that mixes known and new ids': [to('a-1', [event(1), event(2)])],
  'one id twice in an append': [to('a-1', [event(3), event(3)])],
  'a known id under another stream': [to('b-1', [event(1)])],
  'a known id under another type': [to('a-1', [{ ...event(1), type: 'OtherThing' }])],
};

const expecting: readonly Case[] = [
  ...EXPECTATIONS.map(([existing, expected, isAccepted]): Case => {
    return {
      name: `expected version: ${expected} at version ${existing} is ${isAccepted ? 'accepted' : 'a conflict'}`,
      run: async ({ log }) => {
        for (const number of upTo(existing)) await log.append([to('a-1', [event(number)])]);
        const result = await log.append([to('a-1', [event(9)], expected)]);
        if (isAccepted) deepEqual(positionsOf(result), [existing + 1]);
        else deepEqual(result, { kind: 'conflict', stream: 'a-1', expected, actual: existing });
        equal(log.streamVersion('a-1'), existing + (isAccepted ? 1 : 0));
      },
    };
  }),
  {
    name: 'expected version: refuses what is no version',
    run: async ({ log }) => {
      for (const expected of [-1, 1.5, Number.NaN]) await refuses(log, [to('a-1', [event(1)], expected)]);
    },
  },
  {
    name: 'expected version: accepts one of many concurrent writers',
    run: async ({ log }) => {
      const results = await Promise.all(upTo(20).map((number) => log.append([to('a-1', [event(number)], 0)])));
      equal(results.filter(({ kind }) => kind === 'appended').length, 1);
      equal(results.filter((result) => result.kind === 'conflict' && result.actual === 1).length, 19);
      equal(log.head().position, 1);
    },
  },
  {
    name: 'expected version: is compared with the state after the earlier appends of the same commit',
    run: async ({ log }) => {
      const results = await Promise.all(upTo(50).map((number) => log.append([to('a-1', [event(number)], number - 1)])));
      deepEqual(results.flatMap(positionsOf), upTo(50));
    },
  },
  {
    name: 'expected version: distinguishes names of which one is a prefix of another',
    run: async ({ log }) => {
      await log.append([to('a', [event(1)]), to('a-1', [event(2)]), to('a-', [event(3)])]);
      deepEqual(positions(log.readStream('a')), [1]);
      deepEqual(positions(log.readStream('a-')), [3]);
      equal(log.streamVersion('a-1'), 1);
    },
  },
];

const repeating: readonly Case[] = [
  {
    name: 'idempotency: answers a repeated append with its first answer, whatever version it expects',
    run: async ({ log, reopen }) => {
      const batch = [to('a-1', [event(1), event(2)], 'none'), to('b-1', [event(3)], 'none')];
      const first = await log.append(batch);
      await fill(log, 5, 100);
      const reopened = await reopen();
      deepEqual(await reopened.append(batch), { ...first, kind: 'duplicate' });
      equal(reopened.head().position, 8);
    },
  },
  {
    name: 'idempotency: recognises a repetition inside one commit',
    run: async ({ log }) => {
      const batch = [to('a-1', [event(1)], 'none')];
      const [first, second] = await Promise.all([log.append(batch), log.append(batch)]);
      equal(first.kind, 'appended');
      deepEqual(second, { ...first, kind: 'duplicate' });
      equal(log.head().position, 1);
    },
  },
  {
    name: 'idempotency: recognises an id lower than the newest',
    run: async ({ log }) => {
      await log.append([to('a-1', [event(50)])]);
      await log.append([to('a-1', [event(10)])]);
      equal((await log.append([to('a-1', [event(10)])])).kind, 'duplicate');
      deepEqual(positionsOf(await log.append([to('a-1', [event(11)])])), [3]);
    },
  },
  ...Object.entries(REPETITIONS).map(([what, batch]): Case => {
    return {
      name: `idempotency: refuses ${what}`,
      run: async ({ log }) => {
        await log.append([to('a-1', [event(1)])]);
        await refuses(log, batch);
        await isWhole(log);
      },
    };
  }),
  {
    name: 'idempotency: refuses one append of a commit without affecting the others',
    run: async ({ log }) => {
      const results = await Promise.allSettled([
        log.append([to('a-1', [event(1)])]),
        log.append([to('a-1', [event(1), event(2)])]),
        log.append([to('a-1', [event(3)])]),
      ]);
      deepEqual(
        results.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      );
      deepEqual(
        [...log.readAll()].map(({ id }) => id),
        [idOf(1), idOf(3)],
      );
    },
  },
];

export const deciding: readonly Case[] = [...expecting, ...repeating];
