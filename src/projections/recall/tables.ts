/**
 * The tables of the index: documents, unsealed documents (`recall_tail`) and sealed segments, by kind of text.
 *
 * - Only the folds of the projection that owns the texts write them, in its transaction.
 * - `SEGMENT_DOCS` unsealed documents of a kind become a segment: one row of blobs, rewritten only to remove a
 *   document.
 * - `revision` counts the changes other than additions; `index-cache.ts` compares it.
 * - The tables hold no text, and no trace of a text after `unindexText`.
 */
import type { Views } from '../views.ts';
import type { Analysed } from './analyse.ts';
import { type Code, encode } from './quantise.ts';
import { clearSlot, type Entry, type Segment, sealSegment } from './segments.ts';
import { takeAnalysis } from './text-analysis.ts';
import { hash32 } from './words.ts';

export type RecallKind = 'memory' | 'drawer';

export interface RecallItem {
  readonly key: string;
  readonly kind: RecallKind;
  readonly text: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly source: string | null;
  readonly wing: string | null;
}

export const RECALL_TABLES: readonly string[] = ['recall_docs', 'recall_tail', 'recall_segments', 'recall_state'];

export const RECALL_DDL = `
CREATE TABLE recall_docs (
  id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, source TEXT, wing TEXT,
  at INTEGER NOT NULL, segment INTEGER
);
CREATE TABLE recall_tail (
  kind TEXT NOT NULL, id INTEGER NOT NULL, source INTEGER NOT NULL, wing INTEGER NOT NULL, at INTEGER NOT NULL,
  terms BLOB NOT NULL, masks BLOB NOT NULL, blocks BLOB NOT NULL, length INTEGER NOT NULL, code BLOB NOT NULL,
  self REAL NOT NULL, PRIMARY KEY (kind, id)
) WITHOUT ROWID;
CREATE TABLE recall_segments (
  kind TEXT NOT NULL, number INTEGER NOT NULL, revision INTEGER NOT NULL, size INTEGER NOT NULL, ids BLOB NOT NULL,
  lengths BLOB NOT NULL, sources BLOB NOT NULL, wings BLOB NOT NULL, times BLOB NOT NULL, block_starts BLOB NOT NULL,
  blocks BLOB NOT NULL, selves BLOB NOT NULL, codes BLOB NOT NULL, terms BLOB NOT NULL, starts BLOB NOT NULL,
  docs BLOB NOT NULL, masks BLOB NOT NULL, PRIMARY KEY (kind, number)
);
CREATE TABLE recall_state (
  kind TEXT PRIMARY KEY, revision INTEGER NOT NULL, added INTEGER NOT NULL, tail INTEGER NOT NULL,
  segments INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO recall_state VALUES ('memory', 0, 0, 0, 0), ('drawer', 0, 0, 0, 0);`;

/** Documents of a sealed segment. */
export const SEGMENT_DOCS = 2_048;

export interface State {
  readonly revision: number;
  /** Documents ever added. */
  readonly added: number;
  /** Unsealed documents. */
  readonly tail: number;
  readonly segments: number;
}

/** Adds a text, or replaces the one with its key. */
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
  if (state.tail >= SEGMENT_DOCS) seal(views, kind, state);
}

/** Removes a text with everything derived from it. Without a text of this key nothing happens. */
export function unindexText(views: Views, key: string): void {
  const row = views.get<{ id: number; kind: RecallKind; segment: number | null }>(
    'SELECT id, kind, segment FROM recall_docs WHERE key = ?',
    key,
  );
  if (row === undefined) return;
  views.run('DELETE FROM recall_docs WHERE id = ?', row.id);
  if (row.segment === null) {
    views.run('DELETE FROM recall_tail WHERE kind = ? AND id = ?', row.kind, row.id);
    views.run('UPDATE recall_state SET tail = tail - 1, revision = revision + 1 WHERE kind = ?', row.kind);
    return;
  }
  const segment = readSegment(views, row.kind, row.segment)!;
  writeSegment(views, { kind: row.kind, number: row.segment }, clearSlot(segment, segment.ids.indexOf(row.id)));
  views.run('UPDATE recall_state SET revision = revision + 1 WHERE kind = ?', row.kind);
}

export function readState(views: Views, kind: RecallKind): State {
  return views.get<State>('SELECT revision, added, tail, segments FROM recall_state WHERE kind = ?', kind)!;
}

/** Up to `limit` unsealed documents with an id above `after`, oldest first. */
export function readUnsealed(
  views: Views,
  kind: RecallKind,
  { after, limit }: { readonly after: number; readonly limit: number },
): readonly Entry[] {
  const rows = views.all<UnsealedRow>(
    'SELECT * FROM recall_tail WHERE kind = ? AND id > ? ORDER BY id LIMIT ?',
    kind,
    after,
    limit,
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

/** The revision of every segment of a kind, by number. */
export function readRevisions(views: Views, kind: RecallKind): readonly { number: number; revision: number }[] {
  return views.all('SELECT number, revision FROM recall_segments WHERE kind = ? ORDER BY number', kind);
}

export function readSegment(views: Views, kind: RecallKind, number: number): Segment | undefined {
  const row = views.get<SegmentRow>('SELECT * FROM recall_segments WHERE kind = ? AND number = ?', kind, number);
  if (row === undefined) return undefined;
  return {
    size: row.size,
    ids: words32(row.ids),
    lengths: words16(row.lengths),
    sources: words32(row.sources),
    wings: words32(row.wings),
    times: doubles(row.times),
    blockStarts: words32(row.block_starts),
    blocks: row.blocks,
    selves: floats(row.selves),
    codes: words32(row.codes),
    terms: words32(row.terms),
    starts: words32(row.starts),
    docs: words16(row.docs),
    masks: words32(row.masks),
  };
}

/** The number by which parts identify a source or a wing; 0 for none. */
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

type Blobs = 'ids' | 'lengths' | 'sources' | 'wings' | 'times' | 'blocks' | 'selves' | 'codes' | 'terms' | 'starts';
type SegmentRow = Readonly<Record<Blobs | 'docs' | 'masks' | 'block_starts', Uint8Array>> & { readonly size: number };

function seal(views: Views, kind: RecallKind, state: State): void {
  const number = state.segments;
  const segment = sealSegment(readUnsealed(views, kind, { after: 0, limit: SEGMENT_DOCS }));
  writeSegment(views, { kind, number }, segment);
  views.run('DELETE FROM recall_tail WHERE kind = ?', kind);
  const first = segment.ids[0]!;
  views.run('UPDATE recall_docs SET segment = ? WHERE id >= ? AND kind = ? AND segment IS NULL', number, first, kind);
  views.run('UPDATE recall_state SET revision = revision + 1, tail = 0, segments = segments + 1 WHERE kind = ?', kind);
}

function writeSegment(views: Views, place: { kind: RecallKind; number: number }, segment: Segment): void {
  const { revision } = views.get<{ revision: number }>(
    'SELECT coalesce(max(revision), 0) + 1 AS revision FROM recall_segments WHERE kind = ? AND number = ?',
    place.kind,
    place.number,
  )!;
  views.run(
    'INSERT OR REPLACE INTO recall_segments VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    place.kind,
    place.number,
    revision,
    segment.size,
    bytes(segment.ids),
    bytes(segment.lengths),
    bytes(segment.sources),
    bytes(segment.wings),
    bytes(segment.times),
    bytes(segment.blockStarts),
    bytes(segment.blocks),
    bytes(segment.selves),
    bytes(segment.codes),
    bytes(segment.terms),
    bytes(segment.starts),
    bytes(segment.docs),
    bytes(segment.masks),
  );
}

function bytes(array: ArrayBufferView): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/** The blob's own buffer when its offset is aligned for typed arrays, else a copy. */
function aligned(blob: Uint8Array): { buffer: ArrayBuffer; from: number } {
  if (blob.byteOffset % Float64Array.BYTES_PER_ELEMENT === 0) {
    return { buffer: blob.buffer as ArrayBuffer, from: blob.byteOffset };
  }
  return { buffer: new Uint8Array(blob).buffer, from: 0 };
}

function words32(blob: Uint8Array): Uint32Array {
  const { buffer, from } = aligned(blob);
  return new Uint32Array(buffer, from, blob.byteLength / Uint32Array.BYTES_PER_ELEMENT);
}

function words16(blob: Uint8Array): Uint16Array {
  const { buffer, from } = aligned(blob);
  return new Uint16Array(buffer, from, blob.byteLength / Uint16Array.BYTES_PER_ELEMENT);
}

function floats(blob: Uint8Array): Float32Array {
  const { buffer, from } = aligned(blob);
  return new Float32Array(buffer, from, blob.byteLength / Float32Array.BYTES_PER_ELEMENT);
}

function doubles(blob: Uint8Array): Float64Array {
  const { buffer, from } = aligned(blob);
  return new Float64Array(buffer, from, blob.byteLength / Float64Array.BYTES_PER_ELEMENT);
}
