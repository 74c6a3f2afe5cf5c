/**
 * Unsealed texts become small segments, and these a large one, in steps with the texts that follow. No question,
 * removal, crash or rolled back transaction is affected, and no step is long.
 */
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearestTexts, RECALL_TABLES, searchTexts } from '../../src/projections/recall/recall.ts';
import { MERGED_SEGMENTS } from '../../src/projections/recall/segment-rows.ts';
import {
  clearRemoved,
  indexText,
  UNSEALED_MAX,
  unindexLater,
  unindexText,
} from '../../src/projections/recall/tables.ts';
import { hash32, words } from '../../src/projections/recall/words.ts';
import { openViews, type Value, type Views, type ViewsStore } from '../../src/projections/views.ts';
import { temporaryFolder } from '../support/folders.ts';
import { emptyStore, item, runs } from './support.ts';

const SEGMENT_DOCS = UNSEALED_MAX * MERGED_SEGMENTS;
/** With so many texts more, a merge of the first ones has ended. */
const MERGE_DOCS = 300;
const VOCABULARY = 'river bank loan swim code test deploy cake lisbon violin kitten tax garden motor'.split(' ');

const textOf = (at: number): string => `note ${at} about ${VOCABULARY[at % VOCABULARY.length]} and x${at}y`;

function add(views: ViewsStore, from: number, to: number): void {
  views.begin();
  for (let at = from; at < to; at += 1) indexText(views, item(`${at}`, textOf(at)));
  views.commit();
}

function answers(views: ViewsStore): readonly unknown[] {
  return ['kitten x6y', 'note about violin x1050y', 'tax and cake', `x${SEGMENT_DOCS - 1}y`, 'unheard x78y'].flatMap(
    (text) => [
      searchTexts(views, { text, kind: 'memory', k: 30 }),
      nearestTexts(views, { text, kind: 'memory', k: 30, min: 0.2 }),
    ],
  );
}

function segments(views: ViewsStore): { readonly small: number; readonly large: number } {
  return views.get(
    `SELECT count(*) FILTER (WHERE is_small = 1) AS small, count(*) FILTER (WHERE is_small = 0) AS large
     FROM recall_segments`,
  )!;
}

/** All rows, with blobs as text. */
function rows(views: ViewsStore): readonly string[] {
  return RECALL_TABLES.flatMap((table) => {
    const list = views.all(`SELECT * FROM ${table} ORDER BY 1, 2`);
    return list.map((row) =>
      JSON.stringify([table, ...Object.values(row)], (_, value) =>
        value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
      ),
    );
  });
}

describe('while small segments are merged', () => {
  it('questions are answered as by an index whose segments begin and end elsewhere', () => {
    const [views, shifted] = [emptyStore(), emptyStore()];
    // Texts that are gone keep their slots: all that follows is sealed and merged after other texts.
    for (let at = 0; at < 40; at += 1) indexText(shifted, item(`gone ${at}`, 'gone'));
    for (let at = 0; at < 40; at += 1) unindexText(shifted, `gone ${at}`);
    for (const store of [views, shifted]) add(store, 0, SEGMENT_DOCS - 10);
    const seen = new Set<string>();
    for (let at = SEGMENT_DOCS - 10; at < SEGMENT_DOCS + MERGE_DOCS; at += 1) {
      for (const store of [views, shifted]) add(store, at, at + 1);
      seen.add(JSON.stringify([segments(views), segments(shifted)]));
      if (at % 17 === 0) expect(answers(views)).toEqual(answers(shifted));
    }
    expect(segments(views)).toEqual({ small: 2, large: 1 });
    // The merges took place at different times.
    expect(seen.size).toBeGreaterThan(2);
    for (const store of [views, shifted]) store.close();
  });

  it('a text is taken out without a trace, wherever the merge is', () => {
    const stands = (views: ViewsStore, at: number): boolean =>
      views
        .all<{ terms: Uint8Array }>('SELECT terms FROM recall_postings UNION ALL SELECT terms FROM recall_tail')
        .some(({ terms }) => new Uint32Array(new Uint8Array(terms).buffer).includes(hash32(words(`x${at}y`)[0]!.stem)));
    const views = emptyStore();
    const gone = new Set<number>();
    add(views, 0, SEGMENT_DOCS);
    for (let more = 0; more < MERGE_DOCS; more += 1) {
      add(views, SEGMENT_DOCS + more, SEGMENT_DOCS + more + 1);
      if (more % 7 > 0) continue;
      const at = (more * 347) % SEGMENT_DOCS;
      expect(stands(views, at)).toBe(true);
      unindexText(views, `${at}`);
      gone.add(at);
      expect(stands(views, at)).toBe(false);
    }
    expect(segments(views)).toEqual({ small: 2, large: 1 });
    const fresh = emptyStore();
    fresh.begin();
    for (let at = 0; at < SEGMENT_DOCS + MERGE_DOCS; at += 1) {
      if (!gone.has(at)) indexText(fresh, item(`${at}`, textOf(at)));
    }
    fresh.commit();
    expect(answers(views)).toEqual(answers(fresh));
    for (const store of [views, fresh]) store.close();
  });

  it('texts that are taken out together leave the rows that they leave one by one', () => {
    const [single, grouped] = [emptyStore(), emptyStore()];
    for (const store of [single, grouped]) {
      add(store, 0, SEGMENT_DOCS);
      store.begin();
    }
    for (let more = 0; more < MERGE_DOCS; more += 1) {
      for (const store of [single, grouped]) {
        indexText(store, item(`${SEGMENT_DOCS + more}`, textOf(SEGMENT_DOCS + more)));
      }
      if (more % 5 === 0) {
        unindexText(single, `${(more * 347) % SEGMENT_DOCS}`);
        unindexLater(grouped, `${(more * 347) % SEGMENT_DOCS}`);
      }
      if (more % 60 > 0) continue;
      clearRemoved(grouped);
      expect(rows(grouped)).toEqual(rows(single));
    }
    expect(segments(grouped)).toEqual({ small: 2, large: 1 });
    for (const store of [single, grouped]) store.close();
  });

  it('a crash or a transaction that is rolled back leaves the last commit, and the merge goes on from it', () => {
    const whole = emptyStore();
    add(whole, 0, SEGMENT_DOCS + MERGE_DOCS);
    const path = join(temporaryFolder('recall-merge'), 'views.db');
    const filled = emptyStore(path);
    add(filled, 0, SEGMENT_DOCS);
    const expected = { before: rows(filled), whole: rows(whole), answers: answers(whole) };
    for (const store of [filled, whole]) store.close();
    const breaks = fc.array(fc.nat({ max: MERGE_DOCS - 1 }), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(breaks, (places) => {
        let views = openViews(path);
        views.begin();
        for (const [index, place] of places.entries()) {
          for (let at = 0; at < place; at += 1) {
            indexText(views, item(`${SEGMENT_DOCS + at}`, textOf(SEGMENT_DOCS + at)));
          }
          if (index === 0) answers(views);
          views.rollback();
          views.close();
          views = openViews(path);
          views.begin();
        }
        expect(rows(views)).toEqual(expected.before);
        for (let at = SEGMENT_DOCS; at < SEGMENT_DOCS + MERGE_DOCS; at += 1) {
          indexText(views, item(`${at}`, textOf(at)));
        }
        expect(rows(views)).toEqual(expected.whole);
        expect(answers(views)).toEqual(expected.answers);
        views.rollback();
        views.close();
      }),
      { numRuns: runs(3) },
    );
  });
});

/** Bytes of rows that each addition reads and writes. */
function watched(views: Views): { readonly views: Views; taken(): number } {
  let count = 0;
  const counted = (values: readonly unknown[]): void => {
    for (const value of values) {
      if (value instanceof Uint8Array) count += value.length;
      else if (value !== null && typeof value === 'object') counted(Object.values(value));
    }
  };
  const answered = <Result>(result: Result, values: readonly Value[]): Result => {
    counted(values);
    counted([result]);
    return result;
  };
  return {
    views: {
      transaction: views.transaction,
      run(sql, ...values) {
        answered(views.run(sql, ...values), values);
      },
      get: <Result>(sql: string, ...values: Value[]) => answered(views.get<Result>(sql, ...values), values),
      all: <Result>(sql: string, ...values: Value[]) => answered(views.all<Result>(sql, ...values), values),
    },
    taken() {
      const taken = count;
      count = 0;
      return taken;
    },
  };
}

describe('the work of sealing', () => {
  it('is spread over the texts that come: none takes more than a megabyte of rows, 64 of them no more than two', () => {
    const store = emptyStore();
    const { views, taken } = watched(store);
    const work: number[] = [];
    store.begin();
    for (let at = 0; at < SEGMENT_DOCS + MERGE_DOCS; at += 1) {
      // 110 terms, as a drawer of 800 characters has.
      const text = Array.from({ length: 110 }, (_, word) => `w${(at * 31 + word * 97) % 20_000}`).join(' ');
      indexText(views, item(`${at}`, text));
      work.push(taken());
    }
    store.commit();
    expect(segments(store)).toEqual({ small: 2, large: 1 });
    const megabytes = (from: number, to: number): number =>
      work.slice(from, to).reduce((sum, each) => sum + each, 0) / 1_000_000;
    const commits = Array.from({ length: Math.floor(work.length / 64) }, (_, at) => megabytes(at * 64, at * 64 + 64));
    expect(Math.max(...work) / 1_000_000).toBeLessThan(1);
    expect(Math.max(...commits)).toBeLessThan(2);
    store.close();
  });
});
