/**
 * The index as rows and in memory: it answers the same after additions, replacements and removals in any order, sealed
 * or not, warm or cold, rolled back or rebuilt.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  cosinesWith,
  indexText,
  nearestTexts,
  RECALL_RESULTS_MAX,
  RECALL_TABLES,
  readRecall,
  searchTexts,
  unindexAll,
  unindexText,
  warmRecall,
} from '../../src/projections/recall/recall.ts';
import { MERGED_SEGMENTS } from '../../src/projections/recall/segment-rows.ts';
import { UNSEALED_MAX } from '../../src/projections/recall/tables.ts';
import { hash32, words } from '../../src/projections/recall/words.ts';
import type { ViewsStore } from '../../src/projections/views.ts';
import { ask, emptyStore, given, item, runs, startOver } from './support.ts';

/** Documents of a large segment. */
const SEGMENT_DOCS = UNSEALED_MAX * MERGED_SEGMENTS;
const VOCABULARY = 'river bank loan swim code test deploy cake lisbon violin kitten tax garden motor'.split(' ');
const sentence = fc.array(fc.constantFrom(...VOCABULARY), { minLength: 1, maxLength: 8 }).map((list) => list.join(' '));
const step = fc.record({ key: fc.integer({ min: 0, max: 9 }).map(String), text: fc.option(sentence) });

it('any history of additions and removals answers as if only what is left had ever been added', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), sentence, fc.boolean(), (steps, question, warm) => {
      const views = emptyStore();
      const left = new Map<string, string>();
      for (const { key, text } of steps) {
        if (text === null) unindexText(views, key);
        else indexText(views, item(key, text));
        left.delete(key);
        if (text !== null) left.set(key, text);
        if (warm) ask(views, question);
      }
      const fresh = emptyStore();
      for (const [key, text] of left) indexText(fresh, item(key, text));
      const query = { text: question, kind: 'memory', k: 20 } as const;
      expect(searchTexts(views, query)).toEqual(searchTexts(fresh, query));
      const near = { text: question, kind: 'memory', k: 20, min: 0.1 } as const;
      expect(nearestTexts(views, near)).toEqual(nearestTexts(fresh, near));
    }),
    { numRuns: runs(60) },
  );
});

it('a transaction that is rolled back leaves nothing behind, even when it was asked about in between', () => {
  const views = given('a kitten');
  expect(ask(views, 'kitten')).toEqual(['0']);
  views.begin();
  indexText(views, item('1', 'another kitten'));
  unindexText(views, '0');
  expect(ask(views, 'kitten')).toEqual(['1']);
  views.rollback();
  expect(ask(views, 'kitten')).toEqual(['0']);
  indexText(views, item('2', 'a violin'));
  expect(ask(views, 'violin')[0]).toBe('2');
  expect(ask(views, 'kitten')[0]).toBe('0');
});

describe('what was read within a transaction that is rolled back', () => {
  const takenBack: Readonly<Record<string, (views: ViewsStore, work: () => void) => void>> = {
    rollback: (views, work) => {
      views.begin();
      work();
      views.rollback();
    },
    tentatively: (views, work) => views.tentatively(work),
    'tentatively, in a transaction that stays': (views, work) => {
      views.begin();
      views.tentatively(work);
      views.commit();
    },
  };
  const cases = Object.keys(takenBack).flatMap((name) => [[name, 3] as const, [name, UNSEALED_MAX + 3] as const]);

  it.each(cases)('is not taken for what the next one writes under the same revision: %s, %d texts', (name, count) => {
    const views = given(...Array.from({ length: count }, (_, at) => `a kitten x${at}y`));
    takenBack[name]!(views, () => {
      unindexText(views, '0');
      expect(ask(views, 'x0y', 1)).not.toEqual(['0']);
    });
    unindexText(views, '1');
    expect(ask(views, 'x0y', 1)).toEqual(['0']);
    expect(ask(views, 'x1y', count)).not.toContain('1');
    views.close();
  });
});

it('tables made anew are read anew', () => {
  const views = given('a kitten', 'a violin');
  expect(ask(views, 'violin')[0]).toBe('1');
  startOver(views);
  expect(ask(views, 'violin')).toEqual([]);
  indexText(views, item('9', 'the violin again'));
  expect(ask(views, 'violin')).toEqual(['9']);
});

describe('a question', () => {
  const views = emptyStore();
  beforeAll(() => {
    indexText(views, item('m', 'the kitten', { wing: 'home' }));
    indexText(views, item('d1', 'the kitten', { kind: 'drawer', source: 'a', wing: 'home' }));
    indexText(views, item('d2', 'the kitten', { kind: 'drawer', source: 'b', wing: 'work' }));
  });
  const keys = (more: object): readonly string[] =>
    searchTexts(views, { text: 'kitten', kind: 'drawer', k: 9, ...more }).map(({ key }) => key);

  it.each([
    [{}, ['d1', 'd2']],
    [{ kind: 'memory' }, ['m']],
    [{ wing: 'work' }, ['d2']],
    [{ wing: 'nowhere' }, []],
    [{ wing: null }, ['d1', 'd2']],
    [{ k: 1 }, ['d1']],
    [{ k: 0 }, []],
    [{ k: -1 }, []],
    [{ k: Number.NaN }, []],
    [{ text: '' }, []],
    [{ text: '🎉' }, []],
  ])('with %j finds %j', (more, expected) => {
    expect(keys(more)).toEqual(expected);
  });

  it('of a megabyte is answered', () => {
    expect(keys({ text: `kitten ${'word '.repeat(200_000)}` })[0]).toBe('d1');
  });

  it('of an empty store finds nothing', () => {
    const empty = emptyStore();
    expect(ask(empty, 'kitten')).toEqual([]);
    expect(nearestTexts(empty, { text: 'kitten', kind: 'memory', k: 3, min: 0 })).toEqual([]);
    expect(warmRecall(empty)).toBe(false);
  });
});

describe('more texts than a segment holds', () => {
  /** Two large segments, two small ones and a tail. */
  const count = SEGMENT_DOCS * 2 + 300;
  const textOf = (at: number): string => `note ${at} about ${VOCABULARY[at % VOCABULARY.length]} and x${at}y`;
  let views: ViewsStore;
  let piecesRead: readonly boolean[];
  beforeAll(() => {
    views = emptyStore();
    views.begin();
    for (let at = 0; at < count; at += 1) indexText(views, item(`${at}`, textOf(at)));
    views.commit();
    piecesRead = Array.from({ length: 7 }, () => warmRecall(views));
  });
  afterAll(() => views.close());

  it('are read into memory piece by piece', () => {
    expect(piecesRead).toEqual([true, true, true, true, true, false, false]);
    const question = { text: textOf(7), kind: 'memory', k: 20 } as const;
    const warm = searchTexts(views, question);
    expect(warm).toHaveLength(20);
    indexText(views, item('late', 'kitten x7y'));
    expect(ask(views, 'x7y', 2).toSorted()).toEqual(['7', 'late']);
    unindexText(views, 'late');
    expect(searchTexts(views, question)).toEqual(warm);
  });

  it('are read in slices before a question, also those that came since the last one', async () => {
    const cold = emptyStore();
    const add = (from: number, to: number): void => {
      cold.begin();
      for (let at = from; at < to; at += 1) indexText(cold, item(`${at}`, textOf(at)));
      cold.commit();
    };
    /** Turns that others get meanwhile: a piece takes three of the five milliseconds of a slice. */
    const turnsOfReading = async (): Promise<number> => {
      let clock = 0;
      let turns = 0;
      const now = (): number => {
        clock += 3;
        return clock;
      };
      const turn = async (): Promise<void> => {
        turns += 1;
      };
      await readRecall(cold, { now, turn });
      expect(warmRecall(cold)).toBe(false);
      return turns;
    };
    // A large segment, two small ones and the tail; then two more small ones and the tail.
    add(0, SEGMENT_DOCS + 300);
    expect(await turnsOfReading()).toBe(2);
    add(SEGMENT_DOCS + 300, SEGMENT_DOCS + 600);
    expect(await turnsOfReading()).toBe(1);
    expect(ask(cold, `x${SEGMENT_DOCS + 599}y`, 1)).toEqual([`${SEGMENT_DOCS + 599}`]);
  });

  it('are read to the end by a question that comes before all pieces are', () => {
    const cold = emptyStore();
    cold.begin();
    for (let at = 0; at < SEGMENT_DOCS + 300; at += 1) indexText(cold, item(`${at}`, textOf(at)));
    cold.commit();
    for (let pieces = 0; pieces < 2; pieces += 1) expect(warmRecall(cold)).toBe(true);
    expect(ask(cold, `x${SEGMENT_DOCS + 299}y`, 1)).toEqual([`${SEGMENT_DOCS + 299}`]);
    expect(warmRecall(cold)).toBe(false);
    indexText(cold, item('late', 'kitten x12345y'));
    expect(ask(cold, 'x12345y', 1)).toEqual(['late']);
    cold.close();
  });

  it.each([0, SEGMENT_DOCS - 1, SEGMENT_DOCS, SEGMENT_DOCS * 2, count - 1])('are found at place %d', (at) => {
    expect(ask(views, `x${at}y`, 1)).toEqual([`${at}`]);
    expect(nearestTexts(views, { text: textOf(at), kind: 'memory', k: 1, min: 0.9 })).toEqual([
      { key: `${at}`, similarity: expect.closeTo(1, 4) as number },
    ]);
  });

  it('can be taken out of a sealed segment without a trace', () => {
    const term = hash32(words('x77y')[0]!.stem);
    const stands = (): boolean =>
      views
        .all<{ terms: Uint8Array }>('SELECT terms FROM recall_postings')
        .some(({ terms }) => new Uint32Array(new Uint8Array(terms).buffer).includes(term));
    expect(stands()).toBe(true);
    views.begin();
    unindexText(views, '77');
    expect(stands()).toBe(false);
    expect(ask(views, 'x77y', 5)).not.toContain('77');
    expect(nearestTexts(views, { text: textOf(77), kind: 'memory', k: 5, min: 0 }).map(({ key }) => key)).not.toContain(
      '77',
    );
    expect(ask(views, 'x78y', 1)).toEqual(['78']);
    expect(views.get('SELECT 1 FROM recall_docs WHERE key = ?', '77')).toBeUndefined();
    views.rollback();
  });

  it('can all be taken out without a trace, and others be added after', () => {
    expect(ask(views, 'x77y', 1)).toEqual(['77']);
    views.begin();
    unindexAll(views);
    for (const table of RECALL_TABLES.filter((name) => name !== 'recall_state')) {
      expect(views.all(`SELECT * FROM ${table}`)).toEqual([]);
    }
    expect(ask(views, 'x77y', 5)).toEqual([]);
    for (let at = 0; at <= UNSEALED_MAX; at += 1) indexText(views, item(`new-${at}`, `kitten n${at}y`));
    expect([ask(views, 'n0y', 1), ask(views, `n${UNSEALED_MAX}y`, 1)]).toEqual([['new-0'], [`new-${UNSEALED_MAX}`]]);
    views.rollback();
  });

  it('answer, with some taken out, as if those had never been there', () => {
    const gone = [3, 4, 5, 700, 2_047, 2_048, 2_049, 4_000];
    views.begin();
    for (const at of gone) unindexText(views, `${at}`);
    const fresh = emptyStore();
    fresh.begin();
    for (let at = 0; at < count; at += 1) {
      if (!gone.includes(at)) indexText(fresh, item(`${at}`, textOf(at)));
    }
    fresh.commit();
    for (const text of ['kitten x6y', 'note about violin x2050y', 'x2046y', 'tax and cake', 'unheard x78y']) {
      const query = { text, kind: 'memory', k: 30 } as const;
      expect(searchTexts(views, query)).toEqual(searchTexts(fresh, query));
      const near = { text, kind: 'memory', k: 30, min: 0.2 } as const;
      expect(nearestTexts(views, near)).toEqual(nearestTexts(fresh, near));
    }
    fresh.close();
    views.rollback();
  });

  it('are compared with a question as a search compares them, also those that it does not find', () => {
    const query = { text: 'kitten x6y', kind: 'memory' } as const;
    const hits = searchTexts(views, { ...query, k: 50 });
    const cosineOf = cosinesWith(views, query);
    expect(hits.map(({ key }) => Math.max(0, cosineOf(key)))).toEqual(hits.map(({ vector }) => vector));
    const places = [0, 1, SEGMENT_DOCS - 1, SEGMENT_DOCS, SEGMENT_DOCS * 2, count - 1];
    for (const at of places) {
      const same = cosinesWith(views, { text: textOf(at), kind: 'memory' })(`${at}`);
      expect(same).toBeCloseTo(1, 4);
    }
    expect(cosineOf('unknown')).toBe(0);
  });

  it('answer at most so many', () => {
    expect(ask(views, 'note', RECALL_RESULTS_MAX * 3)).toHaveLength(RECALL_RESULTS_MAX);
  });
});
