/** Drawers, their texts and facts as tables, and the queries that choose some of them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  drawerRow,
  drawerRows,
  drawerStats,
  drawerWith,
  newestDrawers,
  placeCount,
  placesOf,
  plainTexts,
  textOf,
  textsWith,
} from '../../src/projections/memory/drawers.ts';
import { factCount, factRow, factRows, plainFacts } from '../../src/projections/memory/facts.ts';
import { memory } from '../../src/projections/memory/memory.ts';
import { drawerRefsAfter, existingKeys } from '../../src/projections/memory/vectored.ts';
import { searchTexts } from '../../src/projections/recall/recall.ts';
import type { Views } from '../../src/projections/views.ts';
import { contentHash } from '../../src/queries/memory/drawers.ts';
import { givenProjection, type StreamEvent } from '../../src/testing/given-projection.ts';
import { replacing } from '../support/replacing.ts';
import { asserted, chunked, factBody, placeBody, stored } from './stream-events.ts';

const given = (...events: readonly StreamEvent[]) => givenProjection(memory, events);
const ids = (rows: readonly { readonly id: string }[]): readonly string[] => rows.map(({ id }) => id);
const found = (views: Views, text: string): readonly string[] =>
  searchTexts(views, { kind: 'drawer', text, k: 5 }).map(({ key }) => key);
const about = (type: string, data: object): StreamEvent => ({ stream: 'drawer-s', type, data });
const deleted = (id: string, ...text_ids: readonly string[]): StreamEvent =>
  about('DrawerDeleted', { id, text_ids, positions: [] });

describe('a drawer', () => {
  it('is a row with the time and position of its event', () => {
    const { views } = given(stored('d', { index: 2, start: 40, of: null, room: 'episodic' }));
    const { index, of: _of, ...columns } = placeBody({ id: 'd', index: 2, start: 40, room: 'episodic' });
    expect(drawerRow(views, 'd')).toEqual({
      ...columns,
      place: index,
      of_id: null,
      created_at: 1,
      ...{ position: 1, text_position: 1 },
    });
    expect(drawerRow(views, 'nobody')).toBeUndefined();
  });

  it('is found by its words until it is sealed, and keeps its time and position then', () => {
    const story = given(
      stored('d', { content: 'green tea' }),
      stored('near', { kind: 'near', of: 'd', content: 'green tea leaves' }),
    );
    expect(found(story.views, 'green tea')).toEqual(['d']);
    const sealed = { content: '', source: '', sealed: 'x', created_at: 1, position: 1 };
    story.when([about('DrawerSealed', { ...placeBody({ id: 'd' }), ...sealed })]);
    expect(found(story.views, 'green tea')).toEqual([]);
    expect(drawerRow(story.views, 'd')).toMatchObject({ ...sealed, text_position: 3 });
    story.thenRows([], 'recall_docs');
    given(stored('d', { sealed: 'x', content: '' })).thenRows([], 'recall_docs');
  });

  it('leaves with the places that point to it, and its texts can be stored again', () => {
    const story = given(
      ...[chunked('t1'), stored('d', { text_id: 't1', content: 'green tea' })],
      ...[chunked('t2'), stored('same', { text_id: 't2', kind: 'exact', of: 'd', content: '' })],
      ...[chunked('t3'), stored('near', { text_id: 't3', kind: 'near', of: 'd' })],
    );
    expect(textsWith(story.views, 'd')).toEqual(['t1', 't2']);
    story.when([deleted('d', 't1', 't2')]);
    expect(ids(drawerRows(story.views, { source_key: 's', after: 0, limit: 10 }))).toEqual(['near']);
    expect(found(story.views, 'green tea')).toEqual([]);
    const texts = ['t1', 't2', 't3'].map((id) => textOf(story.views, 'drawer-s', `key of ${id}`)?.text_id);
    expect(texts).toEqual([undefined, undefined, 't3']);
    story.when([chunked('t4', { text_key: 'key of t1' })]);
    expect(textOf(story.views, 'drawer-s', 'key of t1')?.text_id).toBe('t4');
  });
});

describe('a choice of drawers', () => {
  const story = () =>
    given(
      stored('a', { text_id: 't1', index: 0, content_key: 'key a' }),
      stored('b', { text_id: 't1', index: 2, wing: 'v' }),
      stored('c', { text_id: 't1', index: 1, kind: 'exact', of: 'a', content_key: 'key a' }),
      stored('d', { text_id: 't2', source_key: 'other', room: 'episodic', sealed: 'x' }),
      stored('e', { text_id: 't2', source_key: 'other', kind: 'blank', sealed: 'x' }),
    );
  const page = { after: 0, limit: 10 };

  it.each<[what: string, query: (views: Views) => unknown, expected: unknown]>([
    ['in the order of storage', (views) => ids(drawerRows(views, page)), ['a', 'b', 'd']],
    ['after a position', (views) => ids(drawerRows(views, { after: 1, limit: 1 })), ['b']],
    ['of a wing', (views) => ids(drawerRows(views, { ...page, wing: 'v' })), ['b']],
    ['of a room', (views) => ids(drawerRows(views, { ...page, room: 'semantic' })), ['a', 'b']],
    ['of a wing and a room', (views) => ids(drawerRows(views, { ...page, wing: 'w', room: 'episodic' })), ['d']],
    ['of a source, with every place', (views) => ids(drawerRows(views, { ...page, source_key: 's' })), ['a', 'b', 'c']],
    ['newest first', (views) => ids(newestDrawers(views, 2)), ['d', 'b']],
    ['the places of a text in order', (views) => ids(placesOf(views, 't1')), ['a', 'c', 'b']],
    ['with a vector, after a position', (views) => ids(drawerRefsAfter(views, 1, 1)), ['b']],
    ['that exist', (views) => [...existingKeys(views, 'drawer', ['b', 'c', 'nobody'])], ['b']],
    ['with these words', (views) => drawerWith(views, 'key a'), 'a'],
    ['with unknown words', (views) => drawerWith(views, 'key z'), undefined],
    ['the number of places', (views) => [placeCount(views, 't1'), placeCount(views, 't9')], [3, 0]],
    ['texts with it', (views) => textsWith(views, 'a'), ['t1']],
  ])('%s', (_, query, expected) => story().thenAnswer(query, expected));

  it.each([{}, { wing: 'w' }, { room: 'episodic' }, { wing: 'w', room: 'episodic' }, { source_key: 's' }])(
    'a page of %j does not sort all that follows',
    (filter) => {
      const { views } = story();
      const explained = replacing(views, {
        all: (sql, ...values) => views.all(`EXPLAIN QUERY PLAN ${sql}`, ...values),
      });
      const plan = JSON.stringify(drawerRows(explained, { ...page, ...filter }));
      expect(plan).toContain('memory_drawers');
      expect(plan).not.toContain('TEMP B-TREE');
    },
  );

  it('has the fingerprint and position of each that gets a vector', () => {
    story().thenAnswer((views) => drawerRefsAfter(views, 0, 1), [{ id: 'a', content_key: 'key a', position: 1 }]);
  });
});

describe('a text', () => {
  it('counts its repetitions, and keeps them when it is sealed', () => {
    const counts = { chunks: 5, created: 2, exact: 1, near: 1, blank: 1 };
    const story = given(
      chunked('t', counts),
      about('TextRepeated', { text_key: 'key of t', chunks: 4 }),
      { ...about('TextRepeated', { text_key: 'key of t', chunks: 4 }), stream: 'drawer-other' },
      about('TextRepeated', { text_key: 'key of another', chunks: 4 }),
    );
    const row = { text_id: 't', stream: 'drawer-s', text_key: 'key of t', ...counts, repeated: 4 };
    expect(textOf(story.views, 'drawer-s', 'key of t')).toEqual(row);
    expect(textOf(story.views, 'drawer-other', 'key of t')).toBeUndefined();
    story.when([
      {
        ...{ stream: 'drawer-k', type: 'TextSealed' },
        data: { ...counts, text_id: 't', text_key: 'new key', repeated: 4, positions: [] },
      },
    ]);
    story.thenRows([{ ...row, stream: 'drawer-k', text_key: 'new key' }], 'memory_texts');
  });

  it('is plain while one of its places is', () => {
    const { views } = given(
      ...[chunked('t3'), stored('a', { text_id: 't3' }), stored('b', { text_id: 't3', sealed: 'x' })],
      ...[chunked('t2'), stored('c', { text_id: 't2', sealed: 'x' })],
      ...[chunked('t1'), stored('d', { text_id: 't1' })],
    );
    const plain = (limit: number) => plainTexts(views, limit).map(({ text_id }) => text_id);
    expect([plain(10), plain(1)]).toEqual([['t1', 't3'], ['t1']]);
  });
});

it('the statistics count drawers by place, and the chunks that were offered', () => {
  given().thenAnswer(drawerStats, { wings: [], rooms: [], chunks: 0, exact: 0, near: 0 });
  given(
    chunked('t1', { chunks: 7, created: 3, exact: 2, near: 1, blank: 1 }),
    chunked('t2', { chunks: 2, created: 1, exact: 1 }),
    about('TextRepeated', { text_key: 'key of t2', chunks: 2 }),
    ...[stored('a', { wing: 'v' }), stored('b', { wing: 'u' }), stored('c', { wing: 'w', room: 'episodic' })],
    ...[stored('d', { wing: 'w' }), stored('e', { wing: 'v', kind: 'near', of: 'a' })],
  ).thenAnswer(drawerStats, {
    wings: [
      { wing: 'w', count: 2 },
      { wing: 'u', count: 1 },
      { wing: 'v', count: 1 },
    ],
    rooms: [
      { room: 'semantic', count: 3 },
      { room: 'episodic', count: 1 },
    ],
    ...{ chunks: 10, exact: 5, near: 1 },
  });
});

describe('facts', () => {
  const of = (type: string, data: object): StreamEvent => ({ stream: 'fact-k', type, data });
  const story = () =>
    given(
      { ...asserted('a', { valid_from: 10 }), at: 100 },
      { ...asserted('b', { valid_from: 20, confidence: 0.5 }), at: 100 },
      of('FactClosed', { id: 'a', valid_to: 20, closed_by: 'b' }),
      { ...asserted('c', { valid_from: 15 }), at: 90 },
      of('FactSealed', {
        ...factBody({ id: 's', sealed: 'x', valid_from: 1 }),
        valid_to: 5,
        recorded_at: 80,
        positions: [],
      }),
    );
  const rows = (views: Views, valid_at?: number, limit = 10, offset = 0) =>
    ids(factRows(views, { valid_at, limit, offset }));

  it.each<[what: string, query: (views: Views) => unknown, expected: unknown]>([
    ['the most recently recorded first', (views) => rows(views), ['b', 'a', 'c', 's']],
    ['on the second page', (views) => rows(views, undefined, 2, 1), ['a', 'c']],
    ['from the moment when it began', (views) => rows(views, 10), ['a']],
    ['until the moment when it ended', (views) => rows(views, 20), ['b', 'c']],
    ['at an earlier moment', (views) => rows(views, 4), ['s']],
    ['at a moment, on the second page', (views) => rows(views, 20, 1, 1), ['c']],
    ['that are not sealed', (views) => ids(plainFacts(views)), ['c', 'a', 'b']],
    ['how many', (views) => [factCount(views, undefined), factCount(views, 20), factCount(views, 0)], [4, 2, 0]],
  ])('%s', (_, query, expected) => story().thenAnswer(query, expected));

  it('are rows with their end and the time of recording', () => {
    const { views } = story();
    const { object_key: _key, ...columns } = factBody({ id: 'b', valid_from: 20, confidence: 0.5 });
    const recorded = { stream: 'fact-k', valid_to: null, recorded_at: 100, text_position: expect.any(Number) };
    expect(factRow(views, 'b')).toEqual({ ...columns, ...recorded });
    expect(factRow(views, 's')).toMatchObject({ sealed: 'x', valid_to: 5, recorded_at: 80 });
    expect(factRow(views, 'nobody')).toBeUndefined();
  });

  it('hold again after their successor is deleted', () => {
    const again = given(asserted('a', { valid_from: 10 }), asserted('b', { valid_from: 20 }));
    again.when([of('FactClosed', { id: 'a', valid_to: 20, closed_by: 'b' })]);
    again.when([of('FactDeleted', { id: 'b', positions: [] }), of('FactReopened', { id: 'a', valid_to: null })]);
    expect(factRows(again.views, { limit: 10, offset: 0 })).toMatchObject([{ id: 'a', valid_to: null }]);
  });
});

describe('the hash of a content', () => {
  // Of the test vectors of draft-eastlake-fnv.
  it.each([
    ['', 'cbf29ce484222325'],
    ['a', 'af63dc4c8601ec8c'],
    ['foobar', '85944171f73967e8'],
  ])('of %j is %s', (text, hash) => {
    expect(contentHash(text)).toBe(hash);
  });

  it('is 64-bit FNV-1a', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', '\0', 'é', '日', '😀')), (letters) => {
        const text = letters.join('');
        let hash = 0xcbf29ce484222325n;
        for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
        expect(contentHash(text)).toBe(hash.toString(16).padStart(16, '0'));
      }),
      { numRuns: 100 },
    );
  });
});
