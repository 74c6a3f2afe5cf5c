/** Reads, listeners and reopening. */
import { describe, expect, it } from 'vitest';
import type { RecordedEvent } from '../../../src/storage/event-log.ts';
import { event, fill, idOf, positionsOf, to } from '../log-helpers.ts';
import type { Context } from './context.ts';

export function reading(context: Context): void {
  describe('reads', () => {
    const positions = (events: Iterable<RecordedEvent>) => [...events].map((e) => e.position);

    it('read all, forward and backward, after and limited', async () => {
      await fill(context.log, 40);
      const all = Array.from({ length: 40 }, (_, index) => index + 1);
      const { log } = context;
      expect(positions(log.readAll())).toEqual(all);
      expect(positions(log.readAll({ reverse: true }))).toEqual([...all].reverse());
      expect(positions(log.readAll({ after: 10, limit: 5 }))).toEqual([11, 12, 13, 14, 15]);
      expect(positions(log.readAll({ after: 10, limit: 5, reverse: true }))).toEqual([9, 8, 7, 6, 5]);
      expect(positions(log.readAll({ after: 3, limit: 5, reverse: true }))).toEqual([2, 1]);
      expect(positions(log.readAll({ after: 38, limit: 5 }))).toEqual([39, 40]);
      expect(positions(log.readAll({ after: 40 }))).toEqual([]);
      expect(positions(log.readAll({ after: 900 }))).toEqual([]);
      expect(positions(log.readAll({ after: 900, reverse: true, limit: 2 }))).toEqual([40, 39]);
      expect(positions(log.readAll({ after: 0, reverse: true }))).toEqual([]);
      expect(positions(log.readAll({ limit: 0 }))).toEqual([]);
      expect(() => positions(log.readAll({ limit: -1 }))).toThrow(RangeError);
      expect(() => positions(log.readAll({ after: 0.5 }))).toThrow(RangeError);
    });

    it('read one stream by version, across appends of one and of many', async () => {
      const { log } = context;
      let number = 0;
      for (const count of [1, 5, 1, 1, 7, 2]) {
        const first = number + 1;
        const events = Array.from({ length: count }, (_, index) => event(first + index));
        number += count;
        await log.append([to('a-1', events), to('other-1', [event(1_000 + number)])]);
      }
      const versions = (options: object) => [...log.readStream('a-1', options)].map((e) => e.version);
      const all = Array.from({ length: 17 }, (_, index) => index + 1);
      expect(versions({})).toEqual(all);
      expect(versions({ reverse: true })).toEqual([...all].reverse());
      for (let after = 0; after <= 18; after += 1) {
        for (const limit of [1, 3, 100]) {
          expect(versions({ after, limit })).toEqual(all.slice(after, after + limit));
          const before = all.slice(0, Math.max(0, after - 1)).reverse();
          expect(versions({ after, limit, reverse: true })).toEqual(before.slice(0, limit));
        }
      }
      expect([...log.readStream('a-1')].map((e) => e.id)).toEqual(all.map(idOf));
    });

    it('find the places of a category, and of no other one that begins like it', async () => {
      const { log } = context;
      const streams = ['a-1', 'a-2', 'a', 'a_b-1', 'ab-1', 'a.c-1', 'a-1-x'];
      let number = 0;
      for (const count of [1, 3, 2]) {
        for (const stream of streams) {
          const events = Array.from({ length: count }, (_, index) => event(number + 1 + index));
          number += count;
          await log.append([to(stream, events)]);
        }
      }
      for (const category of ['a', 'a_b', 'ab', 'b', '']) {
        const expected = positions(log.readAll()).filter((at) => log.at(at)!.stream.startsWith(`${category}-`));
        const found = [...log.placesOf(category)].flatMap(({ position, count }) =>
          Array.from({ length: count }, (_, index) => position + index),
        );
        expect(found.sort((one, other) => one - other)).toEqual(expected);
      }
    });

    it('see the log as of their beginning', async () => {
      await fill(context.log, 3_000);
      const walk = context.log.readAll();
      const first = walk.next().value as RecordedEvent;
      await fill(context.log, 10, 5_000);
      expect(positions([first, ...walk])).toHaveLength(3_000);
    });

    it('return the event of at() inside the log and undefined outside', async () => {
      await fill(context.log, 3);
      expect([0, 1, 3, 4, 1.5, -1].map((position) => context.log.at(position)?.position)).toEqual([
        undefined,
        1,
        3,
        undefined,
        undefined,
        undefined,
      ]);
    });

    it('give stored records with readRaw', async () => {
      await fill(context.log, 5);
      const raw = [...context.log.readRaw({ after: 2 })];
      expect(raw.map(({ position }) => position)).toEqual([3, 4, 5]);
      expect(Buffer.from(raw[0]!.record.subarray(0, 32)).toString('hex')).toBe(context.log.at(3)?.leafHash);
    });
  });
}

export function listening(context: Context): void {
  describe('listeners', () => {
    it('receive every event once, in order, before the writer continues', async () => {
      const received: RecordedEvent[] = [];
      context.log.onAppended((events) => received.push(...events));
      await Promise.all(
        Array.from({ length: 200 }, async (_, index) => {
          const result = await context.log.append([to(`s-${index % 7}`, [event(index + 1)])]);
          expect(received.map(({ position }) => position)).toContain(positionsOf(result)[0]);
        }),
      );
      expect(received).toEqual([...context.log.readAll()]);
      expect(received.map(({ position }) => position)).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
    });

    it('can read the events they receive, and the head includes them', async () => {
      const seen: unknown[] = [];
      context.log.onAppended(([first]) => {
        seen.push([context.log.head().position, context.log.at(first!.position)?.id, context.log.streamVersion('a-1')]);
      });
      await context.log.append([to('a-1', [event(1)])]);
      expect(seen).toEqual([[1, idOf(1), 1]]);
    });

    it('receive nothing for duplicates and conflicts, and nothing after unsubscribing', async () => {
      let calls = 0;
      const stop = context.log.onAppended(() => {
        calls += 1;
      });
      await context.log.append([to('a-1', [event(1)])]);
      await context.log.append([to('a-1', [event(1)])]);
      await context.log.append([to('a-1', [event(2)], 9)]);
      stop();
      stop();
      await context.log.append([to('a-1', [event(3)])]);
      expect(calls).toBe(1);
    });
  });
}

export function reopening(context: Context): void {
  describe('reopen', () => {
    it('finds the same log', async () => {
      await fill(context.log, 300);
      const before = { head: context.log.head(), events: [...context.log.readAll()] };
      await context.reopen();
      expect({ head: context.log.head(), events: [...context.log.readAll()] }).toEqual(before);
      expect(context.log.streamVersion('stream-1')).toBe(100);
      await fill(context.log, 1, 900);
      expect(context.log.head().position).toBe(301);
      const verified = await context.log.verify();
      expect(verified).toEqual({ ok: true, head: 301, treeHash: context.log.head().treeHash, errors: [] });
    });

    it('answers the waiting appends and refuses later ones when it is closed', async () => {
      const waiting = context.log.append([to('a-1', [event(1)])]);
      const closed = context.log.close();
      await expect(context.log.append([to('a-1', [event(2)])])).rejects.toMatchObject({ code: 'STORAGE_CLOSED' });
      expect(positionsOf(await waiting)).toEqual([1]);
      await closed;
    });
  });
}
