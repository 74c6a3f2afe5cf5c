/** Appends: positions, atomicity across streams, and what is refused before anything is written. */
import { describe, expect, it } from 'vitest';
import { leafHash } from '../../../src/storage/merkle.ts';
import { event, idOf, positionsOf, to } from '../log-helpers.ts';
import type { Context } from './context.ts';

export function appending(context: Context): void {
  describe('append', () => {
    it('begins empty', () => {
      const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
      expect(context.log.head()).toEqual({ position: 0, treeHash: empty, at: null });
      expect([...context.log.readAll()]).toEqual([]);
      expect([...context.log.readStream('run-1')]).toEqual([]);
      expect(context.log.at(1)).toBeUndefined();
      expect(context.log.streamVersion('run-1')).toBe(0);
    });

    it('assigns dense positions and versions, and the leaf hash of the canonical bytes', async () => {
      const result = await context.log.append([to('run-1', [event(1, { b: 1, a: 'é' })])]);
      const canonical =
        '{"actor":"owner","at":1700000000001,"causation":null,"correlation":null,"data":{"a":"é","b":1},' +
        `"id":"${idOf(1)}","position":1,"schema":1,"stream":"run-1","type":"ThingHappened","version":1}`;
      const hash = Buffer.from(leafHash(Buffer.from(canonical))).toString('hex');
      const recorded = {
        ...event(1, { a: 'é', b: 1 }),
        position: 1,
        stream: 'run-1',
        version: 1,
        leafHash: hash,
      };
      expect(result).toEqual({ kind: 'appended', events: [recorded] });
      expect(context.log.at(1)).toEqual(recorded);
      expect(context.log.head()).toEqual({ position: 1, treeHash: hash, at: 1_700_000_000_001 });
    });

    it('appends to several streams in one commit, in the order given', async () => {
      await context.log.append([to('b-1', [event(1)])]);
      const result = await context.log.append([
        to('a-1', [event(2), event(3)]),
        to('b-1', [event(4)]),
        to('a-1', [event(5)]),
      ]);
      expect(result.kind === 'appended' && result.events.map((e) => [e.position, e.stream, e.version])).toEqual([
        [2, 'a-1', 1],
        [3, 'a-1', 2],
        [4, 'b-1', 2],
        [5, 'a-1', 3],
      ]);
      expect([...context.log.readStream('a-1')].map((e) => e.position)).toEqual([2, 3, 5]);
    });

    it('writes nothing of a batch in which one stream conflicts', async () => {
      await context.log.append([to('a-1', [event(1)])]);
      const result = await context.log.append([to('b-1', [event(2)], 'none'), to('a-1', [event(3)], 0)]);
      expect(result).toEqual({ kind: 'conflict', stream: 'a-1', expected: 0, actual: 1 });
      expect(context.log.head().position).toBe(1);
      expect(context.log.streamVersion('b-1')).toBe(0);
      expect(positionsOf(await context.log.append([to('b-1', [event(2)], 'none')]))).toEqual([2]);
    });

    it('accepts an append without events after checking its versions', async () => {
      expect(await context.log.append([])).toEqual({ kind: 'appended', events: [] });
      expect(await context.log.append([to('a-1', [], 'none')])).toEqual({ kind: 'appended', events: [] });
      expect(await context.log.append([to('a-1', [], 3)])).toMatchObject({ kind: 'conflict', actual: 0 });
      expect(context.log.head().position).toBe(0);
    });

    it.each([
      ['an id that is no UUID', { id: 'x' }],
      ['an upper-case id', { id: idOf(1).replace('7000', '7ABC') }],
      ['a UUID of another version', { id: idOf(1).replace('-7000-', '-4000-') }],
      ['an empty type', { type: '' }],
      ['a type too long', { type: 'x'.repeat(256) }],
      ['a control character', { actor: 'a\nb' }],
      ['a lone surrogate', { correlation: '\ud800' }],
      ['a schema of 0', { schema: 0 }],
      ['a fractional time', { at: 1.5 }],
      ['a negative time', { at: -1 }],
      ['data that JSON cannot hold', { data: { x: Number.NaN } }],
      ['data too large', { data: 'x'.repeat(16_777_216) }],
      ['multi-byte data too large', { data: 'é'.repeat(8_400_000) }],
    ])('refuses %s and writes nothing', async (_, change) => {
      const bad = { ...event(2), ...change };
      const append = context.log.append([to('a-1', [event(1)]), to('b-1', [bad])]);
      await expect(append).rejects.toMatchObject({ code: 'STORAGE_VALUE_INVALID' });
      expect(context.log.head().position).toBe(0);
      expect(positionsOf(await context.log.append([to('a-1', [event(1)])]))).toEqual([1]);
    });

    it.each(['', 'x'.repeat(256), 'é'.repeat(128), 'a\u0000b', 'a\ud800'])(
      'refuses an invalid stream name, of which there is no stream (%#)',
      async (name) => {
        const append = context.log.append([to(name, [event(1)])]);
        await expect(append).rejects.toMatchObject({ code: 'STORAGE_VALUE_INVALID' });
        expect(context.log.streamVersion(name)).toBe(0);
        expect([...context.log.readStream(name)]).toEqual([]);
      },
    );

    it('refuses too many events at once', async () => {
      const many = Array.from({ length: 10_001 }, (_, index) => event(index + 1));
      await expect(context.log.append([to('a-1', many)])).rejects.toMatchObject({ code: 'STORAGE_VALUE_INVALID' });
    });

    it('keeps a large event', async () => {
      const data = { text: 'é'.repeat(1_000_000) };
      await context.log.append([to('a-1', [event(1, data)])]);
      expect(context.log.at(1)?.data).toEqual(data);
    });

    it('is not affected by a writer that changes its data afterwards', async () => {
      const data = { list: [1, 2] };
      const done = context.log.append([to('a-1', [event(1, data)])]);
      data.list.push(3);
      const result = await done;
      expect(result.kind === 'appended' && result.events[0]?.data).toEqual({ list: [1, 2] });
      expect(context.log.at(1)?.data).toEqual({ list: [1, 2] });
    });
  });
}
