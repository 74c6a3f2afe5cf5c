/** The contract of `EventLog`, run on every engine: `eventLogContract('cow', …)`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KeyValueEngine } from '../../src/storage/engine.ts';
import type { ExpectedVersion, RecordedEvent } from '../../src/storage/event-log.ts';
import { openEventLog, type StoredEventLog } from '../../src/storage/log/event-log.ts';
import { leafHash, verifyConsistency, verifyInclusion } from '../../src/storage/merkle.ts';
import { event, fill, idOf, positionsOf, to } from './log-helpers.ts';

interface Context {
  engine: KeyValueEngine;
  log: StoredEventLog;
  reopen: () => Promise<void>;
}

export function eventLogContract(
  name: string,
  open: (directory: string) => Promise<KeyValueEngine>,
  { isPersistent = true }: { readonly isPersistent?: boolean } = {},
): void {
  describe(`event log on ${name}`, () => {
    const context = {} as Context;
    let directory: string;

    beforeEach(async () => {
      directory = mkdtempSync(join(tmpdir(), 'daybook-log-'));
      context.engine = await open(directory);
      context.log = openEventLog(context.engine);
      context.reopen = async () => {
        await context.log.close();
        if (isPersistent) {
          await context.engine.close();
          context.engine = await open(directory);
        }
        context.log = openEventLog(context.engine);
      };
    });
    afterEach(async () => {
      await context.log.close();
      await context.engine.close();
      rmSync(directory, { recursive: true, force: true });
    });

    appending(context);
    expecting(context);
    idempotency(context);
    reading(context);
    listening(context);
    proving(context);
    erasing(context);
    reopening(context);
  });
}

function appending(context: Context): void {
  describe('append', () => {
    it('begins empty', () => {
      const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
      expect(context.log.head()).toEqual({ position: 0, treeHash: empty, at: null });
      expect([...context.log.readAll()]).toEqual([]);
      expect([...context.log.readStream('run-1')]).toEqual([]);
      expect(context.log.at(1)).toBeUndefined();
      expect(context.log.streamVersion('run-1')).toBe(0);
    });

    it('gives dense positions and versions and the leaf hash of the canonical bytes', async () => {
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

    it('answers an append without events, after looking at its versions', async () => {
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

    it.each([['', 'x'.repeat(256), 'a\u0000b', 'a\ud800']])('refuses an impossible stream name', async (...names) => {
      for (const name of names) {
        const append = context.log.append([to(name, [event(1)])]);
        await expect(append).rejects.toMatchObject({ code: 'STORAGE_VALUE_INVALID' });
      }
    });

    it('refuses too many events at once', async () => {
      const many = Array.from({ length: 10_001 }, (_, index) => event(index + 1));
      await expect(context.log.append([to('a-1', many)])).rejects.toMatchObject({ code: 'STORAGE_VALUE_INVALID' });
    });

    it('keeps a large event', async () => {
      const data = { text: 'é'.repeat(1_000_000) };
      await context.log.append([to('a-1', [event(1, data)])]);
      expect(context.log.at(1)?.data).toEqual(data);
    });

    it('is not disturbed by a writer that changes its data afterwards', async () => {
      const data = { list: [1, 2] };
      const done = context.log.append([to('a-1', [event(1, data)])]);
      data.list.push(3);
      const result = await done;
      expect(result.kind === 'appended' && result.events[0]?.data).toEqual({ list: [1, 2] });
      expect(context.log.at(1)?.data).toEqual({ list: [1, 2] });
    });
  });
}

function expecting(context: Context): void {
  describe('expected version', () => {
    const cases: readonly (readonly [number, ExpectedVersion, boolean])[] = [
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
    it.each(cases)('stream at %i, expected %s: accepted %s', async (existing, expected, isAccepted) => {
      for (let number = 1; number <= existing; number += 1) await context.log.append([to('a-1', [event(number)])]);
      const result = await context.log.append([to('a-1', [event(9)], expected)]);
      if (isAccepted) expect(positionsOf(result)).toEqual([existing + 1]);
      else expect(result).toEqual({ kind: 'conflict', stream: 'a-1', expected, actual: existing });
      expect(context.log.streamVersion('a-1')).toBe(existing + (isAccepted ? 1 : 0));
    });

    it.each([-1, 1.5, Number.NaN, 'all' as never])('refuses the impossible version %s', async (expected) => {
      const append = context.log.append([to('a-1', [event(1)], expected)]);
      await expect(append).rejects.toMatchObject({ code: 'STORAGE_VALUE_INVALID' });
    });

    it('lets one of many writers win, called at once', async () => {
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, index) => context.log.append([to('a-1', [event(index + 1)], 0)])),
      );
      expect(results.filter(({ kind }) => kind === 'appended')).toHaveLength(1);
      expect(results.filter((result) => result.kind === 'conflict' && result.actual === 1)).toHaveLength(19);
      expect(context.log.head().position).toBe(1);
    });

    it('decides on what the appends before it in the same commit leave', async () => {
      const results = await Promise.all(
        Array.from({ length: 50 }, (_, index) => context.log.append([to('a-1', [event(index + 1)], index)])),
      );
      expect(results.map(positionsOf)).toEqual(Array.from({ length: 50 }, (_, index) => [index + 1]));
    });

    it('keeps names apart where one begins another', async () => {
      await context.log.append([to('a', [event(1)]), to('a-1', [event(2)]), to('a-', [event(3)])]);
      expect([...context.log.readStream('a')].map((e) => e.position)).toEqual([1]);
      expect([...context.log.readStream('a-')].map((e) => e.position)).toEqual([3]);
      expect(context.log.streamVersion('a-1')).toBe(1);
    });
  });
}

function idempotency(context: Context): void {
  describe('idempotency', () => {
    it('answers a repeated append with its first answer, whatever version it expects', async () => {
      const batch = [to('a-1', [event(1), event(2)], 'none'), to('b-1', [event(3)], 'none')];
      const first = await context.log.append(batch);
      await fill(context.log, 5, 100);
      await context.reopen();
      const second = await context.log.append(batch);
      expect(second).toEqual({ ...first, kind: 'duplicate' });
      expect(context.log.head().position).toBe(8);
    });

    it('recognises a repetition inside one commit', async () => {
      const [first, second] = await Promise.all([
        context.log.append([to('a-1', [event(1)], 'none')]),
        context.log.append([to('a-1', [event(1)], 'none')]),
      ]);
      expect(first.kind).toBe('appended');
      expect(second).toEqual({ ...first, kind: 'duplicate' });
      expect(context.log.head().position).toBe(1);
    });

    it('recognises an id older than the newest', async () => {
      await context.log.append([to('a-1', [event(50)])]);
      await context.log.append([to('a-1', [event(10)])]);
      expect((await context.log.append([to('a-1', [event(10)])])).kind).toBe('duplicate');
      expect(positionsOf(await context.log.append([to('a-1', [event(11)])]))).toEqual([3]);
    });

    it.each([
      ['an append that mixes known and new ids', [to('a-1', [event(1), event(2)])]],
      ['one id twice in an append', [to('a-1', [event(3), event(3)])]],
      ['a known id under another stream', [to('b-1', [event(1)])]],
      ['a known id under another type', [to('a-1', [{ ...event(1), type: 'OtherThing' }])]],
    ])('refuses %s', async (_, batch) => {
      await context.log.append([to('a-1', [event(1)])]);
      await expect(context.log.append(batch)).rejects.toMatchObject({ code: 'STORAGE_VALUE_INVALID' });
      expect(context.log.head().position).toBe(1);
      expect((await context.log.verify()).errors).toEqual([]);
    });

    it('refuses one append of a commit without hurting its neighbours', async () => {
      const results = await Promise.allSettled([
        context.log.append([to('a-1', [event(1)])]),
        context.log.append([to('a-1', [event(1), event(2)])]),
        context.log.append([to('a-1', [event(3)])]),
      ]);
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect([...context.log.readAll()].map(({ id }) => id)).toEqual([idOf(1), idOf(3)]);
    });
  });
}

function reading(context: Context): void {
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

    it('see the log as it stood when they began', async () => {
      await fill(context.log, 3_000);
      const walk = context.log.readAll();
      const first = walk.next().value as RecordedEvent;
      await fill(context.log, 10, 5_000);
      expect(positions([first, ...walk])).toHaveLength(3_000);
    });

    it('answer at() inside the log and undefined outside', async () => {
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

function listening(context: Context): void {
  describe('listeners', () => {
    it('hear every event once, in order, before the writer goes on', async () => {
      const heard: RecordedEvent[] = [];
      context.log.onAppended((events) => heard.push(...events));
      await Promise.all(
        Array.from({ length: 200 }, async (_, index) => {
          const result = await context.log.append([to(`s-${index % 7}`, [event(index + 1)])]);
          expect(heard.map(({ position }) => position)).toContain(positionsOf(result)[0]);
        }),
      );
      expect(heard).toEqual([...context.log.readAll()]);
      expect(heard.map(({ position }) => position)).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
    });

    it('can read what they hear, and the head includes it', async () => {
      const seen: unknown[] = [];
      context.log.onAppended(([first]) => {
        seen.push([context.log.head().position, context.log.at(first!.position)?.id, context.log.streamVersion('a-1')]);
      });
      await context.log.append([to('a-1', [event(1)])]);
      expect(seen).toEqual([[1, idOf(1), 1]]);
    });

    it('hear nothing of duplicates and conflicts, and nothing once stopped', async () => {
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

function proving(context: Context): void {
  const unhex = (text: string) => Buffer.from(text, 'hex');

  describe('proofs', () => {
    it('hold for every size up to 70, and against the history of heads', async () => {
      const { log } = context;
      const heads = [log.head().treeHash];
      for (let number = 1; number <= 70; number += 1) {
        await log.append([to('a-1', [event(number)])]);
        heads.push(log.head().treeHash);
      }
      expect(heads.map((_, size) => log.treeHash(size))).toEqual(heads);
      for (let size = 1; size <= 70; size += 1) {
        for (let position = 1; position <= size; position += 1) {
          const proof = log.inclusionProof(position, size);
          const path = proof.path.map(unhex);
          const leaf = unhex(proof.leafHash);
          expect(verifyInclusion({ index: position - 1, size, leaf, path, root: unhex(heads[size]!) })).toBe(true);
        }
        for (let from = 0; from <= size; from += 1) {
          const { path, fromHash, toHash } = log.consistencyProof(from, size);
          expect([fromHash, toHash]).toEqual([heads[from], heads[size]]);
          const claim = { from, to: size, fromRoot: unhex(fromHash), toRoot: unhex(toHash), path: path.map(unhex) };
          expect(verifyConsistency(claim)).toBe(true);
        }
      }
    });

    it('hold across tiles, before and after a reopen', async () => {
      await fill(context.log, 1_000);
      const before = [255, 256, 257, 511, 512, 513, 777, 1_000].map((size) => context.log.treeHash(size));
      await context.reopen();
      const { log } = context;
      expect([255, 256, 257, 511, 512, 513, 777, 1_000].map((size) => log.treeHash(size))).toEqual(before);
      for (const position of [1, 255, 256, 257, 512, 700, 999, 1_000]) {
        const { path, leafHash: leaf, treeHash: root } = log.inclusionProof(position, 1_000);
        const claim = { index: position - 1, size: 1_000, leaf: unhex(leaf), path: path.map(unhex), root: unhex(root) };
        expect(verifyInclusion(claim)).toBe(true);
      }
      await fill(log, 300, 2_000);
      expect((await log.verify()).errors).toEqual([]);
    });

    it('refuse sizes and positions outside the log', async () => {
      const { log } = context;
      await fill(log, 3);
      const impossible = [
        () => log.treeHash(4),
        () => log.treeHash(-1),
        () => log.treeHash(1.5),
        () => log.inclusionProof(0, 3),
        () => log.inclusionProof(3, 2),
        () => log.inclusionProof(1, 4),
        () => log.consistencyProof(3, 2),
        () => log.consistencyProof(0, 4),
      ];
      for (const ask of impossible) expect(ask).toThrow(RangeError);
    });
  });
}

function erasing(context: Context): void {
  describe('erase', () => {
    it('drops the payload, keeps everything else, records itself and verifies', async () => {
      const { log } = context;
      await fill(log, 10);
      const before = log.at(4)!;
      const oldHead = log.head();
      await log.erase([4, 5, 4]);
      expect(log.at(4)).toEqual({ ...before, data: null, erased: true });
      expect([...log.readAll()].filter((e) => e.erased).map((e) => e.position)).toEqual([4, 5]);
      const record = log.at(11)!;
      expect([record.stream, record.type, record.version]).toEqual(['log-erasures', 'PayloadErased', 1]);
      expect(record.data).toMatchObject({ erased: [{ position: 4, leaf_hash: before.leafHash }, { position: 5 }] });
      expect(log.treeHash(10)).toBe(oldHead.treeHash);
      expect((await log.verify()).errors).toEqual([]);
      await context.reopen();
      expect(context.log.at(4)?.erased).toBe(true);
      const retried = await context.log.append([to(before.stream, [event(4)])]);
      expect(retried).toMatchObject({ kind: 'duplicate', events: [{ position: 4, erased: true }] });
    });

    it('tells the listeners of its record, does nothing twice and refuses what is not there', async () => {
      const { log } = context;
      await fill(log, 3);
      const heard: string[] = [];
      log.onAppended((events) => heard.push(...events.map(({ type }) => type)));
      await log.erase([2]);
      await log.erase([2]);
      await log.erase([]);
      expect(heard).toEqual(['PayloadErased']);
      await expect(log.erase([9])).rejects.toThrow(RangeError);
      await expect(log.erase([0])).rejects.toThrow(RangeError);
      await expect(log.erase([4])).rejects.toThrow('records an erasure');
      expect(log.head().position).toBe(4);
    });

    it('lets nobody else write erasures', async () => {
      const append = context.log.append([to('log-erasures', [event(1)])]);
      await expect(append).rejects.toMatchObject({ code: 'STORAGE_VALUE_INVALID' });
    });

    it('leaves no byte of the payload in the engine', async () => {
      const secret = 'the-word-that-must-go';
      await context.log.append([to('a-1', [event(1, { secret })])]);
      await context.log.erase([1]);
      for (const { value } of context.engine.range()) expect(Buffer.from(value).includes(secret)).toBe(false);
    });
  });
}

function reopening(context: Context): void {
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

    it('refuses appends once closed, after those that were waiting', async () => {
      const waiting = context.log.append([to('a-1', [event(1)])]);
      const closed = context.log.close();
      await expect(context.log.append([to('a-1', [event(2)])])).rejects.toMatchObject({ code: 'STORAGE_CLOSED' });
      expect(positionsOf(await waiting)).toEqual([1]);
      await closed;
    });
  });
}
