/** The memories as a table, and the queries that choose some of them. */
import { describe, expect, it } from 'vitest';
import {
  DAY_MS,
  dueErasures,
  encryptionSettings,
  essentialMemories,
  exportedIds,
  fadedMemories,
  memoriesAfter,
  memoryCounts,
  memoryRow,
  memoryRows,
  newestMemories,
  plainMemories,
  reflectionsOn,
  sectorStats,
  unreflectedMemories,
  weakMemories,
} from '../../src/projections/memory/memories.ts';
import { memory } from '../../src/projections/memory/memory.ts';
import { existingKeys, memoryRefsAfter } from '../../src/projections/memory/vectored.ts';
import { searchTexts } from '../../src/projections/recall/recall.ts';
import type { Views } from '../../src/projections/views.ts';
import { givenProjection, type StreamEvent } from '../../src/testing/given-projection.ts';
import { about, added, asserted, memoryBody, stored } from './stream-events.ts';

const NOW = 100 * DAY_MS;
const given = (...events: readonly StreamEvent[]) => givenProjection(memory, events);
const ids = (rows: readonly { readonly id: string }[]): readonly string[] => rows.map(({ id }) => id);
const sealed = (id: string, of: object = {}): StreamEvent =>
  about(id, 'MemorySealed', {
    ...memoryBody({ content: '', sealed: 'x' }),
    made_by: 'MemoryAdded',
    positions: [],
    ...of,
  });
const isFound = (views: Views, id: string): boolean =>
  searchTexts(views, { kind: 'memory', text: 'green tea', k: 5 }).some(({ key }) => key === id);

describe('a memory', () => {
  it('is a row with its lists as JSON, and the salience that remains', () => {
    const body = memoryBody({
      ...{ content: 'tea', tags: ['a'], meta: { b: 'c' }, secondary: [['episodic', 0.5]], salience: 0.8 },
      ...{ decay_lambda: 0.1, last_seen_at: 90 * DAY_MS, project_id: 'p', session_id: 's', from: ['m0'] },
    });
    const { views } = given(added('m', body));
    const { waypoints: _waypoints, from: _from, ...columns } = body;
    expect(memoryRow(views, 'm', NOW)).toEqual({
      ...{ ...columns, id: 'm', tags: '["a"]', meta: '{"b":"c"}', secondary: '[["episodic",0.5]]', pinned: 0 },
      ...{ from_ids: '["m0"]', made_by: 'MemoryAdded', effective: expect.closeTo(0.8 * Math.exp(-1), 10) },
    });
    // A clock that was set back makes no memory stronger.
    expect(memoryRow(views, 'm', 0)?.effective).toBe(0.8);
    expect(memoryRow(views, 'nobody', NOW)).toBeUndefined();
  });

  it.each(['MemoryAdded', 'MemoryImported', 'MemoriesMerged', 'ReflectionFormed'])(
    'by %s says how it was made',
    (type) => {
      const { views } = given(about('m', type, memoryBody()));
      expect(memoryRow(views, 'm', NOW)?.made_by).toBe(type);
    },
  );

  it('keeps its salience while it is pinned', () => {
    const pinned = () => {
      const { pinned: flag, effective } = memoryRow(story.views, 'm', NOW)!;
      return [flag, effective === 0.5];
    };
    const story = given(added('m', { salience: 0.5, decay_lambda: 0.1, pinned: true }), added('other'));
    expect(pinned()).toEqual([1, true]);
    story.when([about('m', 'MemoryUnpinned', {})]);
    expect(pinned()).toEqual([0, false]);
    story.when([about('m', 'MemoryPinned', {})]);
    expect(pinned()).toEqual([1, true]);
    expect(memoryRow(story.views, 'other', NOW)?.pinned).toBe(0);
  });

  it('is found by its words until it is sealed', () => {
    const story = given(added('m', { content: 'green tea' }), added('n', { content: 'black coffee' }));
    expect(isFound(story.views, 'm')).toBe(true);
    story.when([sealed('m')]);
    expect(isFound(story.views, 'm')).toBe(false);
    expect(memoryRow(story.views, 'm', NOW)).toMatchObject({ sealed: 'x', content: '', made_by: 'MemoryAdded' });
    expect(memoryCounts(story.views).memories).toBe(2);
    given(added('m', { sealed: 'x', content: '' }), sealed('n')).thenRows([], 'recall_docs');
  });

  it('is not in the index of the views as soon as memories are encrypted', () => {
    const data = { key_source: 'passphrase', salt: 's', check: 'c' };
    const encrypted = { stream: 'settings-memory', type: 'MemoryEncryptionEnabled', data };
    given(added('m'), encrypted).thenRows([], 'recall_docs');
  });

  it('is found in the wing of its project, or in the global one', () => {
    const { views } = given(added('m', { project_id: 'p' }), added('n'));
    const inWing = (wing: string) => searchTexts(views, { kind: 'memory', text: 'words', k: 5, wing });
    expect(inWing('p').map(({ key }) => key)).toEqual(['m']);
    expect(inWing('global').map(({ key }) => key)).toEqual(['n']);
  });

  it.each(['MemoryDeleted', 'MemoryDecayed', 'MemoryAbsorbed'])(
    'leaves by %s, with its words and reflections',
    (type) => {
      const story = given(
        added('m', { content: 'green tea' }),
        about('r', 'ReflectionFormed', memoryBody({ content: 'thoughts', from: ['m'] })),
      );
      expect(reflectionsOn(story.views, 'm')).toEqual(['r']);
      story.when([about('m', type, { positions: [1] })]);
      expect(exportedIds(story.views)).toEqual(['r']);
      expect(isFound(story.views, 'm')).toBe(false);
      story.thenRows([], 'memory_reflections');
    },
  );
});

it('the counts are those of the rows: a repetition is no drawer', () => {
  const story = given(added('m'), added('n'), stored('d1'), stored('d2', { kind: 'exact', of: 'd1' }), asserted('f'));
  story.thenAnswer(memoryCounts, { memories: 2, drawers: 1, facts: 1 });
  story.when([about('m', 'MemoryDeleted')]);
  story.thenAnswer(memoryCounts, { memories: 1, drawers: 1, facts: 1 });
});

describe('a choice of memories', () => {
  const story = () =>
    given(
      added('a', { created_at: 1_000, project_id: 'p', salience: 0.5, decay_lambda: 0.1, last_seen_at: 90 * DAY_MS }),
      added('b', { created_at: 3_000, sector: 'episodic', salience: 0.3, pinned: true, content_key: 'b key' }),
      added('c', { created_at: 3_000, sealed: 'x', content: '', salience: 0.9 }),
      about('d', 'ReflectionFormed', memoryBody({ created_at: 2_500, from: ['a', 'gone'], salience: 0.6 })),
      added('e', { created_at: 2_100, project_id: 'p', sector: 'episodic', salience: 0.1 }),
    );
  const page = { limit: 10, offset: 0, now: NOW };

  it.each<[what: string, query: (views: Views) => unknown, expected: unknown]>([
    ['newest', (views) => ids(newestMemories(views, page)), ['c', 'b', 'd', 'e', 'a']],
    ['newest, second page', (views) => ids(newestMemories(views, { ...page, limit: 2, offset: 1 })), ['b', 'd']],
    ['of a sector', (views) => ids(newestMemories(views, { ...page, sector: 'episodic' })), ['b', 'e']],
    ['of a wing', (views) => ids(newestMemories(views, { ...page, wing: 'p' })), ['e', 'a']],
    ['of no project', (views) => ids(newestMemories(views, { ...page, wing: 'global' })), ['c', 'b', 'd']],
    ['of both', (views) => ids(newestMemories(views, { ...page, wing: 'p', sector: 'episodic' })), ['e']],
    ['exported', (views) => exportedIds(views), ['a', 'd', 'e', 'b', 'c']],
    ['after an id', (views) => ids(memoriesAfter(views, 'b', 2)), ['c', 'd']],
    ['not sealed', (views) => ids(plainMemories(views, 3)), ['a', 'b', 'd']],
    ['essential', (views) => ids(essentialMemories(views, NOW, 3)), ['b', 'c', 'd']],
    ['faded', (views) => ids(fadedMemories(views, { now: NOW, below: 0.6, limit: 10 })), ['a', 'e']],
    ['faded at an earlier time', (views) => ids(fadedMemories(views, { now: 0, below: 0.5, limit: 10 })), ['e']],
    ['weak, but no reflection', (views) => ids(weakMemories(views, { now: NOW, atMost: 0.6, limit: 9 })), ['a', 'e']],
    ['weak, the limit included', (views) => ids(weakMemories(views, { now: 0, atMost: 0.5, limit: 9 })), ['a', 'e']],
    ['the oldest weak', (views) => ids(weakMemories(views, { now: NOW, atMost: 0.6, limit: 1 })), ['a']],
    ['without a reflection', (views) => ids(unreflectedMemories(views, NOW, 10)), ['c', 'b', 'e']],
    ['with a vector, after an id', (views) => ids(memoryRefsAfter(views, 'c', 10)), ['d', 'e']],
    ['that exist', (views) => [...existingKeys(views, 'memory', ['e', 'nobody', 'a'])].sort(), ['a', 'e']],
  ])('%s', (_, query, expected) => story().thenAnswer(query, expected));

  it('has the fingerprint of each that gets a vector', () => {
    story().thenAnswer((views) => memoryRefsAfter(views, 'a', 1), [{ id: 'b', content_key: 'b key' }]);
  });

  it('by id has the known ones', () => {
    const { views } = story();
    const many = [...Array.from({ length: 600 }, (_, at) => `x${at}`), 'a', 'e'];
    const rows = memoryRows(views, ['c', ...many], NOW);
    expect([...rows.keys()].sort()).toEqual(['a', 'c', 'e']);
    expect(rows.get('a')).toEqual(memoryRow(views, 'a', NOW));
  });

  it('reflections on a memory are those that still exist', () => {
    const later = story().when([about('c2', 'ReflectionFormed', memoryBody({ from: ['a'] }))]);
    later.thenAnswer((views) => [reflectionsOn(views, 'a'), reflectionsOn(views, 'b')], [['c2', 'd'], []]);
    later.when([about('d', 'MemoryDeleted')]).thenAnswer((views) => reflectionsOn(views, 'a'), ['c2']);
  });
});

it.each<[how: string, seen: (created: StreamEvent) => readonly StreamEvent[]]>([
  ['as it happened', (created) => [created]],
  ['by a rebuild, which sees no replaced memory', () => []],
])('a merged memory has the reflections on those that it replaces, and can be reflected on anew: %s', (_, seen) => {
  const merged = (id: string) => about(id, 'MemoriesMerged', memoryBody({ created_at: 2 }));
  const absorbed = (id: string, into: string) => about(id, 'MemoryAbsorbed', { into, positions: [] });
  const story = given(
    ...['a', 'b', 'c'].flatMap((id) => seen(added(id))),
    about('r', 'ReflectionFormed', memoryBody({ from: ['a', 'c'] })),
    ...seen(merged('ab')),
    ...['a', 'b'].map((id) => absorbed(id, 'ab')),
    merged('abc'),
    ...['ab', 'c'].map((id) => absorbed(id, 'abc')),
  );
  story.thenAnswer((views) => ['a', 'ab', 'abc'].map((id) => reflectionsOn(views, id)), [[], [], ['r']]);
  story.thenAnswer((views) => ids(unreflectedMemories(views, 0, 9)), ['abc']);
  story.when([about('abc', 'MemoryDeleted')]).thenRows([], 'memory_reflections');
});

it('the statistics have every sector in order, also those without a memory', () => {
  const { views } = given(
    added('a', { salience: 0.4, created_at: 90 * DAY_MS, pinned: true }),
    added('b', { salience: 0.8, created_at: 80 * DAY_MS }),
    added('c', { sector: 'reflective', created_at: 200 * DAY_MS }),
  );
  const none = { count: 0, avg_salience: 0, pinned_count: 0, avg_age_days: 0 };
  expect(sectorStats(views, NOW)).toEqual([
    { sector: 'episodic', ...none },
    { sector: 'semantic', count: 2, avg_salience: expect.closeTo(0.6, 10), pinned_count: 1, avg_age_days: 15 },
    { sector: 'procedural', ...none },
    { sector: 'emotional', ...none },
    { sector: 'reflective', count: 1, avg_salience: 1, pinned_count: 0, avg_age_days: 0 },
  ]);
});

describe('erasures', () => {
  const erased = (...positions: readonly number[]): StreamEvent => ({
    ...{ stream: 'log-erasures', type: 'PayloadErased' },
    data: { erased: positions.map((position) => ({ position, leaf_hash: '', seal: '' })) },
  });

  it('are due from the event that decides them until the log records them', () => {
    const story = given(
      about('m', 'MemoryDeleted', { positions: [9, 4] }),
      about('n', 'MemoryDecayed', { positions: [4, 6] }),
    );
    story.thenAnswer((views) => dueErasures(views), [4, 6, 9]);
    story.when([erased(4, 9, 77)]);
    story.thenAnswer((views) => dueErasures(views), [6]);
  });

  it.each<[string, StreamEvent]>([
    ['of a sealed memory', sealed('m', { positions: [5] })],
    ['of a deleted fact', { stream: 'fact-k', type: 'FactDeleted', data: { id: 'f', positions: [5] } }],
    [
      'of a deleted drawer',
      { stream: 'drawer-s', type: 'DrawerDeleted', data: { id: 'd', text_ids: [], positions: [5] } },
    ],
    [
      'of a former key',
      {
        ...{ stream: 'settings-memory', type: 'MemoryKeyMoved' },
        data: { key_source: 'keyring', salt: 's', check: 'c', positions: [5] },
      },
    ],
  ])('%s are due', (_, event) => {
    given(event).thenAnswer((views) => dueErasures(views), [5]);
  });
});

it('the encryption is as it was last set, without the positions of the former key', () => {
  const settings = (type: string, data: object): StreamEvent => ({ stream: 'settings-memory', type, data });
  const first = { key_source: 'passphrase', salt: 's', check: 'c' } as const;
  const second = { ...first, key_source: 'keyring', wrapped: 'w' } as const;
  const story = given();
  story.thenAnswer(encryptionSettings, undefined);
  story.when([settings('MemoryEncryptionEnabled', first)]).thenAnswer(encryptionSettings, first);
  story.when([settings('MemoryKeyMoved', { ...second, positions: [1] })]).thenAnswer(encryptionSettings, second);
});
