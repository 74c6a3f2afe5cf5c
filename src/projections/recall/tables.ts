/**
 * The tables of the index: documents, unsealed documents (`recall_tail`) and sealed segments, by kind of text.
 *
 * - Only the folds of the projection that owns the texts write them, in its transaction.
 * - `UNSEALED_MAX` unsealed documents of a kind become a segment. Segments of this size are merged with the documents
 *   that follow: `segment-rows.ts`.
 * - `revision` counts the changes other than additions; `index-cache.ts` compares it.
 * - The tables hold no text, and no trace of a text after `unindexText`.
 */
import type { Views } from '../views.ts';
import type { Analysed } from './analyse.ts';
import { bytes, words32 } from './blobs.ts';
import { type Code, encode } from './quantise.ts';
import {
  mergeStep,
  type RecallKind,
  type Removed,
  removeFromSegments,
  SEGMENT_TABLES,
  SEGMENTS_DDL,
  writeSegment,
} from './segment-rows.ts';
import { type Entry, sealSegment } from './segments.ts';
import { takeAnalysis } from './text-analysis.ts';
import { hash32 } from './words.ts';

export interface RecallItem {
  readonly key: string;
  readonly kind: RecallKind;
  readonly text: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly source: string | null;
  readonly wing: string | null;
}

const TEXT_TABLES: readonly string[] = ['recall_docs', 'recall_tail', ...SEGMENT_TABLES, 'recall_removed'];
export const RECALL_TABLES: readonly string[] = [...TEXT_TABLES, 'recall_state'];

export const RECALL_DDL = `
CREATE TABLE recall_docs (
  id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, source TEXT, wing TEXT,
  at INTEGER NOT NULL
);
CREATE TABLE recall_tail (
  kind TEXT NOT NULL, id INTEGER NOT NULL, source INTEGER NOT NULL, wing INTEGER NOT NULL, at INTEGER NOT NULL,
  terms BLOB NOT NULL, masks BLOB NOT NULL, blocks BLOB NOT NULL, length INTEGER NOT NULL, code BLOB NOT NULL,
  self REAL NOT NULL, PRIMARY KEY (kind, id)
) WITHOUT ROWID;
${SEGMENTS_DDL}
CREATE TABLE recall_removed (
  kind TEXT NOT NULL, id INTEGER NOT NULL, revision INTEGER NOT NULL, PRIMARY KEY (kind, id)
) WITHOUT ROWID;
CREATE TABLE recall_state (
  kind TEXT PRIMARY KEY, revision INTEGER NOT NULL, added INTEGER NOT NULL, tail INTEGER NOT NULL,
  merged INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO recall_state VALUES ('memory', 0, 0, 0, 0), ('drawer', 0, 0, 0, 0);`;

/** Number of documents that are sealed at once, in a few milliseconds. */
export const UNSEALED_MAX = 128;
/**
 * One of this many added documents performs a step of a merge, so that a large commit performs several; never the
 * document that seals a segment.
 */
const DOCS_PER_MERGE_STEP = 16;

export interface State {
  readonly revision: number;
  /** Number of documents ever added. */
  readonly added: number;
  /** Number of unsealed documents. */
  readonly tail: number;
  /** Number of completed steps of the merge under way. */
  readonly merged: number;
}

/** Adds a text, or replaces the text with the same key. */
export function indexText(views: Views, item: RecallItem): void {
  const { kind, key, source, wing, at } = item;
  const insert = (): { readonly id: number } | undefined =>
    views.get(
      'INSERT INTO recall_docs (key, kind, source, wing, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id',
      ...[key, kind, source, wing, at],
    );
  let inserted = insert();
  if (inserted === undefined) {
    unindexText(views, key);
    inserted = insert();
  }
  const { analysed, vector } = takeAnalysis(item.text);
  const code = encode(vector);
  views.run(
    'INSERT INTO recall_tail VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    kind,
    inserted!.id,
    nameHash(source),
    nameHash(wing),
    at,
    bytes(analysed.terms),
    bytes(analysed.masks),
    bytes(analysed.blocks),
    analysed.length,
    bytes(code.words),
    code.self,
  );
  const counted = 'UPDATE recall_state SET added = added + 1, tail = tail + 1 WHERE kind = ? RETURNING *';
  const state = views.get<State>(counted, kind)!;
  if (state.tail >= UNSEALED_MAX) seal(views, kind, state);
  else if (state.tail % DOCS_PER_MERGE_STEP === DOCS_PER_MERGE_STEP / 2) merge(views, kind, state);
}

/** Removes a text with everything derived from it. Does nothing for an unknown key. */
export function unindexText(views: Views, key: string): void {
  unindexLater(views, key);
  clearRemoved(views);
}

/** As `unindexText`, but a sealed text stays in its segment until `clearRemoved`. */
export function unindexLater(views: Views, key: string): void {
  const sql = 'DELETE FROM recall_docs WHERE key = ? RETURNING id, kind';
  const removed = views.get<{ id: number; kind: RecallKind }>(sql, key);
  if (removed === undefined) return;
  const { id, kind } = removed;
  const { revision } = nextRevision(views, kind);
  const unsealed = views.get('DELETE FROM recall_tail WHERE kind = ? AND id = ? RETURNING id', kind, id);
  if (unsealed === undefined) views.run('INSERT INTO recall_removed VALUES (?, ?, ?)', kind, id, revision);
  else views.run('UPDATE recall_state SET tail = tail - 1 WHERE kind = ?', kind);
}

/** Takes removed texts out of their segments. Each segment is written once for all of them, in about 4 ms. */
export function clearRemoved(views: Views): void {
  const removed = views.all<Removed & { kind: RecallKind }>('SELECT * FROM recall_removed ORDER BY kind, id');
  if (removed.length === 0) return;
  for (const [kind, own] of Map.groupBy(removed, (each) => each.kind)) {
    removeFromSegments(views, { kind, removed: own, merged: readState(views, kind).merged });
  }
  views.run('DELETE FROM recall_removed');
}

/** Removes every text with everything derived from it. */
export function unindexAll(views: Views): void {
  for (const table of TEXT_TABLES) views.run(`DELETE FROM ${table}`);
  views.run('UPDATE recall_state SET revision = revision + 1, tail = 0, merged = 0');
}

export function readState(views: Views, kind: RecallKind): State {
  return views.get<State>('SELECT revision, added, tail, merged FROM recall_state WHERE kind = ?', kind)!;
}

/** The unsealed documents with an id above `after`, oldest first. */
export function readUnsealed(views: Views, kind: RecallKind, after: number): readonly Entry[] {
  const rows = views.all<UnsealedRow>(
    'SELECT * FROM recall_tail WHERE kind = ? AND id > ? ORDER BY id LIMIT ?',
    kind,
    after,
    UNSEALED_MAX,
  );
  return rows.map((row) => {
    const analysed: Analysed = {
      terms: words32(row.terms),
      masks: words32(row.masks),
      blocks: row.blocks,
      length: row.length,
    };
    const code: Code = { words: words32(row.code), self: row.self };
    return { id: row.id, source: row.source, wing: row.wing, at: row.at, analysed, code };
  });
}

/** The number that stands for a source or a wing in parts; 0 for none. */
export function nameHash(name: string | null): number {
  return name === null ? 0 : hash32(name) || 1;
}

interface UnsealedRow {
  readonly id: number;
  readonly source: number;
  readonly wing: number;
  readonly at: number;
  readonly terms: Uint8Array;
  readonly masks: Uint8Array;
  readonly blocks: Uint8Array;
  readonly length: number;
  readonly code: Uint8Array;
  readonly self: number;
}

function seal(views: Views, kind: RecallKind, { revision: before }: State): void {
  const revision = before + 1;
  writeSegment(views, { kind, revision }, sealSegment(readUnsealed(views, kind, 0)));
  views.run('DELETE FROM recall_tail WHERE kind = ?', kind);
  views.run('UPDATE recall_state SET revision = ?, tail = 0 WHERE kind = ?', revision, kind);
}

function merge(views: Views, kind: RecallKind, { revision: before, merged }: State): void {
  const revision = before + 1;
  const step = mergeStep(views, { kind, revision, merged });
  if (step === 'a part') views.run('UPDATE recall_state SET merged = merged + 1 WHERE kind = ?', kind);
  if (step !== 'the last') return;
  views.run('UPDATE recall_state SET revision = ?, merged = 0 WHERE kind = ?', revision, kind);
}

function nextRevision(views: Views, kind: RecallKind): State {
  return views.get<State>('UPDATE recall_state SET revision = revision + 1 WHERE kind = ? RETURNING *', kind)!;
}
