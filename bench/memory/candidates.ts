/** The measured indexes: recall, plain FTS5 and a flat scan over vectors. All get the same texts and questions. */
import type { RecallKind } from '../../src/projections/recall/recall.ts';
import { indexText, RECALL_DDL, searchTexts, warmRecall } from '../../src/projections/recall/recall.ts';
import { cosine, localVector } from '../../src/projections/recall/vector.ts';
import { openViews, type ViewsStore } from '../../src/projections/views.ts';

export interface Item {
  readonly key: string;
  readonly kind: RecallKind;
  readonly text: string;
}

export interface Candidate {
  /** In one transaction, like a batch of events that is folded. */
  add(items: readonly Item[]): void;
  search(text: string, kind: RecallKind): number;
  /** One step of warming up; returns whether there is more. */
  warm(): boolean;
  close(): void;
}

export const CANDIDATES = ['recall', 'fts5', 'flat'] as const;
export type CandidateName = (typeof CANDIDATES)[number];

const RESULTS = 10;

export function openCandidate(name: CandidateName, path: string, fresh: boolean): Candidate {
  if (name === 'recall') return recall(openViews(path), fresh);
  return name === 'fts5' ? fts5(openViews(path), fresh) : flat();
}

function recall(views: ViewsStore, fresh: boolean): Candidate {
  if (fresh) views.exec(RECALL_DDL);
  return {
    add(items) {
      views.begin();
      for (const item of items) indexText(views, { ...item, at: 0, source: null, wing: null });
      views.commit();
    },
    search: (text, kind) => searchTexts(views, { text, kind, k: RESULTS }).length,
    warm: () => warmRecall(views),
    close: () => views.close(),
  };
}

/** SQLite's own text search with Porter stems, queried for any of the words and ranked by its BM25. */
function fts5(views: ViewsStore, fresh: boolean): Candidate {
  if (fresh) {
    views.exec(
      `CREATE VIRTUAL TABLE texts USING fts5(text, kind UNINDEXED, key UNINDEXED, tokenize = 'porter unicode61')`,
    );
  }
  return {
    add(items) {
      views.begin();
      for (const { text, kind, key } of items) views.run('INSERT INTO texts VALUES (?, ?, ?)', text, kind, key);
      views.commit();
    },
    search(text, kind) {
      const words = (text.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => `"${word}"`);
      const sql = 'SELECT key FROM texts WHERE texts MATCH ? AND kind = ? ORDER BY rank LIMIT ?';
      return views.all(sql, words.join(' OR '), kind, RESULTS).length;
    },
    warm: () => false,
    close: () => views.close(),
  };
}

/** Every vector in memory, compared with every question. Nothing is stored between processes. */
function flat(): Candidate {
  const vectors: { key: string; kind: RecallKind; vector: Float32Array }[] = [];
  return {
    add(items) {
      for (const { key, kind, text } of items) vectors.push({ key, kind, vector: localVector(text) });
    },
    search(text, kind) {
      const wanted = localVector(text);
      const scored = vectors.flatMap((row) => (row.kind === kind ? [cosine(wanted, row.vector)] : []));
      return scored.sort((a, b) => b - a).slice(0, RESULTS).length;
    },
    warm: () => false,
    close: () => undefined,
  };
}
