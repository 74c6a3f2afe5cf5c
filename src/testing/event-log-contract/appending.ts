/** Appends: positions, atomicity across streams, and what is refused before anything is written. */
import { deepEqual, equal } from 'node:assert/strict';
import { leafHash } from '../../storage/merkle.ts';
import { type Case, event, idOf, positions, positionsOf, refuses, to, upTo } from './case.ts';

const EMPTY_TREE = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Fields of an event that every log rejects, by description. */
const MALFORMED: Readonly<Record<string, object>> = {
  'an id that is no UUID': { id: 'x' },
  'an upper-case id': { id: idOf(1).replace('7000', '7ABC') },
  'a UUID of another version': { id: idOf(1).replace('-7000-', '-4000-') },
  'an empty type': { type: '' },
  'a type too long': { type: 'x'.repeat(256) },
  'a control character': { actor: 'a\nb' },
  'a lone surrogate': { correlation: '\ud800' },
  'a schema of 0': { schema: 0 },
  'a fractional time': { at: 1.5 },
  'a negative time': { at: -1 },
  'data that JSON cannot hold': { data: { x: Number.NaN } },
  'data too large': { data: 'x'.repeat(16_777_216) },
  'multi-byte data too large': { data: 'é'.repeat(8_400_000) },
};
const INVALID_NAMES = ['', 'x'.repeat(256), 'é'.repeat(128), 'a\u0000b', 'a\ud800'];

export const appending: readonly Case[] = [
  {
    name: 'append: begins empty',
    run: async ({ log }) => {
      deepEqual(log.head(), { position: 0, treeHash: EMPTY_TREE, at: null });
      deepEqual([...log.readAll()], []);
      deepEqual([...log.readStream('run-1')], []);
      equal(log.at(1), undefined);
      equal(log.streamVersion('run-1'), 0);
    },
  },
  {
    name: 'append: assigns dense positions and versions, and the leaf hash of the canonical bytes',
    run: async ({ log }) => {
      const result = await log.append([to('run-1', [event(1, { b: 1, a: 'é' })])]);
      const canonical =
        '{"actor":"owner","at":1700000000001,"causation":null,"correlation":null,"data":{"a":"é","b":1},' +
        `"id":"${idOf(1)}","position":1,"schema":1,"stream":"run-1","type":"ThingHappened","version":1}`;
      const hash = Buffer.from(leafHash(Buffer.from(canonical))).toString('hex');
      const place = { position: 1, stream: 'run-1', version: 1, leafHash: hash };
      const recorded = { ...event(1, { a: 'é', b: 1 }), ...place };
      deepEqual(result, { kind: 'appended', events: [recorded] });
      deepEqual(log.at(1), recorded);
      deepEqual(log.head(), { position: 1, treeHash: hash, at: 1_700_000_000_001 });
    },
  },
  {
    name: 'append: takes several streams in one commit, in the order given',
    run: async ({ log }) => {
      await log.append([to('b-1', [event(1)])]);
      const parts = [to('a-1', [event(2), event(3)]), to('b-1', [event(4)]), to('a-1', [event(5)])];
      const result = await log.append(parts);
      equal(result.kind, 'appended');
      const places = result.kind === 'appended' ? result.events.map((e) => [e.position, e.stream, e.version]) : [];
      deepEqual(places, [
        [2, 'a-1', 1],
        [3, 'a-1', 2],
        [4, 'b-1', 2],
        [5, 'a-1', 3],
      ]);
      deepEqual(positions(log.readStream('a-1')), [2, 3, 5]);
    },
  },
  {
    name: 'append: writes nothing of a batch in which one stream conflicts',
    run: async ({ log }) => {
      await log.append([to('a-1', [event(1)])]);
      const result = await log.append([to('b-1', [event(2)], 'none'), to('a-1', [event(3)], 0)]);
      deepEqual(result, { kind: 'conflict', stream: 'a-1', expected: 0, actual: 1 });
      equal(log.head().position, 1);
      equal(log.streamVersion('b-1'), 0);
      deepEqual(positionsOf(await log.append([to('b-1', [event(2)], 'none')])), [2]);
    },
  },
  {
    name: 'append: accepts one without events after checking its versions',
    run: async ({ log }) => {
      deepEqual(await log.append([]), { kind: 'appended', events: [] });
      deepEqual(await log.append([to('a-1', [], 'none')]), { kind: 'appended', events: [] });
      deepEqual(await log.append([to('a-1', [], 3)]), { kind: 'conflict', stream: 'a-1', expected: 3, actual: 0 });
      equal(log.head().position, 0);
    },
  },
  ...Object.entries(MALFORMED).map(([what, change]): Case => {
    return {
      name: `append: refuses ${what} and writes nothing`,
      run: async ({ log }) => {
        await refuses(log, [to('a-1', [event(1)]), to('b-1', [{ ...event(2), ...change }])]);
        deepEqual(positionsOf(await log.append([to('a-1', [event(1)])])), [1]);
      },
    };
  }),
  {
    name: 'append: refuses invalid stream names, of which there are no streams',
    run: async ({ log }) => {
      for (const name of INVALID_NAMES) {
        await refuses(log, [to(name, [event(1)])]);
        equal(log.streamVersion(name), 0);
        deepEqual([...log.readStream(name)], []);
      }
    },
  },
  {
    name: 'append: keeps names and texts of any alphabet, quotes and backslashes',
    run: async ({ log }) => {
      const stream = 'note-"\\{},é😀\'';
      const data = { 'k"\\é': ['\u0000', '😀', '\\x00', "'", '{}'] };
      const given = { ...event(1, data), type: 'T"\\,{}é', actor: "o'\\" };
      await log.append([to(stream, [given, { ...event(2), type: 'NULL' }])]);
      deepEqual(
        [...log.readStream(stream)].map(({ type }) => type),
        [given.type, 'NULL'],
      );
      deepEqual(log.at(1)?.data, data);
      equal((await log.verify()).ok, true);
    },
  },
  {
    name: 'append: refuses more than 10 000 events at once, and takes 10 000',
    run: async ({ log }) => {
      const many = upTo(10_001).map((number) => event(number));
      await refuses(log, [to('a-1', many)]);
      equal(positionsOf(await log.append([to('a-1', many.slice(1))])).at(-1), 10_000);
    },
  },
  {
    name: 'append: keeps a large event',
    run: async ({ log }) => {
      const data = { text: 'é'.repeat(1_000_000) };
      await log.append([to('a-1', [event(1, data)])]);
      deepEqual(log.at(1)?.data, data);
    },
  },
  {
    name: 'append: is not affected by a writer that changes its data afterwards',
    run: async ({ log }) => {
      const data = { list: [1, 2] };
      const done = log.append([to('a-1', [event(1, data)])]);
      data.list.push(3);
      const result = await done;
      deepEqual(result.kind === 'appended' && result.events[0]?.data, { list: [1, 2] });
      deepEqual(log.at(1)?.data, { list: [1, 2] });
    },
  },
];
