/** Reads, listeners, and the contents of a reopened log. */
import { deepEqual, equal, ok, rejects, throws } from 'node:assert/strict';
import type { EventLog, ReadOptions, RecordedEvent } from '../../storage/event-log.ts';
import { type Case, event, fill, idOf, positions, positionsOf, to, upTo } from './case.ts';

/** Options of a read of 40 events, and the positions that it returns. */
const READS: readonly (readonly [ReadOptions, readonly number[]])[] = [
  [{}, upTo(40)],
  [{ reverse: true }, upTo(40).reverse()],
  [{ after: 10, limit: 5 }, [11, 12, 13, 14, 15]],
  [{ after: 10, limit: 5, reverse: true }, [9, 8, 7, 6, 5]],
  [{ after: 3, limit: 5, reverse: true }, [2, 1]],
  [{ after: 38, limit: 5 }, [39, 40]],
  [{ after: 40 }, []],
  [{ after: 900 }, []],
  [{ after: 900, reverse: true, limit: 2 }, [40, 39]],
  [{ after: 0, reverse: true }, []],
  [{ limit: 0 }, []],
];

const reads: readonly Case[] = [
  {
    name: 'reads: all, forward and backward, after and limited',
    run: async ({ log }) => {
      await fill(log, 40);
      for (const [options, expected] of READS) deepEqual(positions(log.readAll(options)), expected);
      throws(() => positions(log.readAll({ limit: -1 })), RangeError);
      throws(() => positions(log.readAll({ after: 0.5 })), RangeError);
    },
  },
  {
    name: 'reads: one stream by version, across appends of one and of many',
    run: async ({ log }) => {
      const all = upTo(await fillStream(log, [1, 5, 1, 1, 7, 2]));
      const versions = (options: ReadOptions) => [...log.readStream('a-1', options)].map((e) => e.version);
      deepEqual(versions({}), all);
      deepEqual(versions({ reverse: true }), all.toReversed());
      for (let after = 0; after <= 18; after += 1) {
        for (const limit of [1, 3, 100]) {
          deepEqual(versions({ after, limit }), all.slice(after, after + limit));
          const before = all.slice(0, Math.max(0, after - 1)).reverse();
          deepEqual(versions({ after, limit, reverse: true }), before.slice(0, limit));
        }
      }
      deepEqual(
        [...log.readStream('a-1')].map((e) => e.id),
        all.map(idOf),
      );
    },
  },
  {
    name: 'reads: the places of a category, and of no other one that begins like it',
    run: async ({ log }) => {
      let number = 0;
      for (const count of [1, 3, 2]) {
        for (const stream of ['a-1', 'a-2', 'a', 'a_b-1', 'ab-1', 'a.c-1', 'a-1-x']) {
          await log.append([
            to(
              stream,
              upTo(count).map((each) => event(number + each)),
            ),
          ]);
          number += count;
        }
      }
      for (const category of ['a', 'a_b', 'ab', 'b', '']) {
        const expected = positions(log.readAll()).filter((at) => log.at(at)!.stream.startsWith(`${category}-`));
        const found = [...log.placesOf(category)].flatMap(({ position, count }) =>
          upTo(count).map((each) => position + each - 1),
        );
        deepEqual(
          found.sort((one, other) => one - other),
          expected,
        );
      }
    },
  },
  {
    name: 'reads: see the log as of their beginning',
    run: async ({ log }) => {
      await fill(log, 3_000);
      const walk = log.readAll();
      const first = walk.next().value as RecordedEvent;
      await fill(log, 10, 5_000);
      equal(positions([first, ...walk]).length, 3_000);
    },
  },
  {
    name: 'reads: at() gives the event inside the log and undefined outside',
    run: async ({ log }) => {
      await fill(log, 3);
      const found = [0, 1, 3, 4, 1.5, -1].map((position) => log.at(position)?.position);
      deepEqual(found, [undefined, 1, 3, undefined, undefined, undefined]);
    },
  },
];

const listeners: readonly Case[] = [
  {
    name: 'listeners: receive every event once, in order, before the writer continues',
    run: async ({ log }) => {
      const received: RecordedEvent[] = [];
      log.onAppended((events) => received.push(...events));
      await Promise.all(
        upTo(200).map(async (number) => {
          const [position] = positionsOf(await log.append([to(`s-${number % 7}`, [event(number)])]));
          ok(received.some((each) => each.position === position));
        }),
      );
      deepEqual(received, [...log.readAll()]);
      deepEqual(positions(received), upTo(200));
    },
  },
  {
    name: 'listeners: can read the events that they receive, and the head includes them',
    run: async ({ log }) => {
      const seen: unknown[] = [];
      log.onAppended(([first]) => {
        seen.push([log.head().position, log.at(first!.position)?.id, log.streamVersion('a-1')]);
      });
      await log.append([to('a-1', [event(1)])]);
      deepEqual(seen, [[1, idOf(1), 1]]);
    },
  },
  {
    name: 'listeners: receive nothing for duplicates and conflicts, and nothing after unsubscribing',
    run: async ({ log }) => {
      let calls = 0;
      const stop = log.onAppended(() => {
        calls += 1;
      });
      await log.append([to('a-1', [event(1)])]);
      await log.append([to('a-1', [event(1)])]);
      await log.append([to('a-1', [event(2)], 9)]);
      stop();
      stop();
      await log.append([to('a-1', [event(3)])]);
      equal(calls, 1);
    },
  },
];

const reopened: readonly Case[] = [
  {
    name: 'reopen: finds the same log',
    run: async ({ log, reopen }) => {
      await fill(log, 300);
      const before = { head: log.head(), events: [...log.readAll()] };
      const again = await reopen();
      deepEqual({ head: again.head(), events: [...again.readAll()] }, before);
      equal(again.streamVersion('stream-1'), 100);
      await fill(again, 1, 900);
      const { treeHash } = again.head();
      deepEqual(await again.verify(), { ok: true, head: 301, treeHash, errors: [] });
    },
  },
  {
    name: 'close: answers the waiting appends and refuses later ones',
    run: async ({ log }) => {
      const waiting = log.append([to('a-1', [event(1)])]);
      const closed = log.close();
      await rejects(log.append([to('a-1', [event(2)])]), { code: 'STORAGE_CLOSED' });
      deepEqual(positionsOf(await waiting), [1]);
      await closed;
    },
  },
];

export const reading: readonly Case[] = [...reads, ...listeners, ...reopened];

/** Appends groups of events to `a-1`, each with an event of another stream; returns the number of events in `a-1`. */
async function fillStream(log: EventLog, counts: readonly number[]): Promise<number> {
  let number = 0;
  for (const count of counts) {
    const events = upTo(count).map((each) => event(number + each));
    number += count;
    await log.append([to('a-1', events), to('other-1', [event(1_000 + number)])]);
  }
  return number;
}
