/**
 * The rows of sealed segments, and how small segments become a large one.
 *
 * - A segment is a row of slots and a row of postings for each range of terms. Its number is the id of its first
 *   document.
 * - `MERGED_SEGMENTS` small segments are merged in steps: one range of terms after the other, then the slots. The small
 *   segments remain the index until the last step, which removes them. So each step takes a few milliseconds, and the
 *   rows depend only on the order of the texts.
 */
import { replaceRow } from '../rows.ts';
import type { Views } from '../views.ts';
import { bytes, doubles, floats, narrowed, unsigned, words16, words32 } from './blobs.ts';
import { mergedPostings, type Postings, postingsWithout, TERM_RANGES } from './postings.ts';
import { mergedSlots, type Segment, type SegmentSlots, withoutSlots } from './segments.ts';

export type RecallKind = 'memory' | 'drawer';

export const SEGMENT_TABLES: readonly string[] = ['recall_segments', 'recall_postings'];

export const SEGMENTS_DDL = `
CREATE TABLE recall_segments (
  kind TEXT NOT NULL, number INTEGER NOT NULL, is_small INTEGER NOT NULL, revision INTEGER NOT NULL,
  size INTEGER NOT NULL, ids BLOB NOT NULL, lengths BLOB NOT NULL, sources BLOB NOT NULL, wings BLOB NOT NULL,
  times BLOB NOT NULL, block_starts BLOB NOT NULL, blocks BLOB NOT NULL, selves BLOB NOT NULL, codes BLOB NOT NULL,
  PRIMARY KEY (kind, number)
);
CREATE INDEX recall_small_segments ON recall_segments (kind, number) WHERE is_small = 1;
CREATE TABLE recall_postings (
  kind TEXT NOT NULL, number INTEGER NOT NULL, is_small INTEGER NOT NULL, range INTEGER NOT NULL, terms BLOB NOT NULL,
  starts BLOB NOT NULL, docs BLOB NOT NULL, masks BLOB NOT NULL, PRIMARY KEY (kind, number, is_small, range)
);`;

/** Number of small segments that are merged into a large one. */
export const MERGED_SEGMENTS = 16;

/** The number and the revision of every segment of a kind, in the order of the documents. */
export function readRevisions(views: Views, kind: RecallKind): readonly { number: number; revision: number }[] {
  return views.all('SELECT number, revision FROM recall_segments WHERE kind = ? ORDER BY number', kind);
}

export function readSegment(views: Views, kind: RecallKind, number: number): Segment | undefined {
  const row = views.get<SlotsRow>('SELECT * FROM recall_segments WHERE kind = ? AND number = ?', kind, number);
  if (row === undefined) return undefined;
  const sql = 'SELECT * FROM recall_postings WHERE kind = ? AND number = ? AND is_small = ? ORDER BY range';
  const ranges = views.all<PostingsRow>(sql, kind, number, row.is_small);
  return { slots: slotsIn(row), postings: ranges.map(postingsIn) };
}

/** Writes a small segment. */
export function writeSegment(
  views: Views,
  place: { kind: RecallKind; revision: number },
  { slots, postings }: Segment,
): void {
  const { kind } = place;
  writeSlots(views, { ...place, isSmall: 1 }, slots);
  for (const [range, own] of postings.entries()) {
    writePostings(views, { kind, number: slots.ids[0]!, isSmall: 1, range }, own);
  }
}

/** A removed document, and the revision of its removal. */
export interface Removed {
  readonly id: number;
  readonly revision: number;
}

/** Empties the slots of documents, both in their segments and in the merge under way. Writes each row once. */
export function removeFromSegments(
  views: Views,
  { kind, removed, merged }: { kind: RecallKind; removed: readonly Removed[]; merged: number },
): void {
  const small = smallSegments(views, kind);
  const bases = basesOf(small);
  for (const [number, own] of Map.groupBy(removed, ({ id }) => segmentOf(views, kind, id))) {
    const sql = 'SELECT * FROM recall_segments WHERE kind = ? AND number = ?';
    const row = views.get<SlotsRow>(sql, kind, number)!;
    const all = slotsIn(row);
    const slots = own.map(({ id }) => all.ids.indexOf(id));
    const revision = Math.max(row.revision, ...own.map((each) => each.revision));
    writeSlots(views, { kind, revision, isSmall: row.is_small }, withoutSlots(all, slots));
    for (let range = 0; range < TERM_RANGES; range += 1) {
      removePostings(views, { kind, number, isSmall: row.is_small, range }, slots);
    }
    const base = bases[small.findIndex((segment) => segment.number === number)];
    if (base === undefined) continue;
    const mergedSlots = slots.map((slot) => base + slot);
    for (let range = 0; range < merged; range += 1) {
      removePostings(views, { kind, number: small[0]!.number, isSmall: 0, range }, mergedSlots);
    }
  }
}

/** The number of the segment with a document. */
function segmentOf(views: Views, kind: RecallKind, id: number): number {
  const sql = 'SELECT number FROM recall_segments WHERE kind = ? AND number <= ? ORDER BY number DESC LIMIT 1';
  return views.get<{ number: number }>(sql, kind, id)!.number;
}

/**
 * Performs the next step of a merge of which `merged` steps are done, if there are enough small segments for one.
 * `revision` is the revision of the segment that the last step completes.
 */
export function mergeStep(
  views: Views,
  { kind, revision, merged }: { kind: RecallKind; revision: number; merged: number },
): 'none due' | 'a part' | 'the last' {
  const small = smallSegments(views, kind);
  if (small.length < MERGED_SEGMENTS) return 'none due';
  const number = small[0]!.number;
  if (merged < TERM_RANGES) {
    const bases = basesOf(small);
    const parts = small.map((segment, index) => {
      const postings = readPostings(views, { kind, number: segment.number, isSmall: 1, range: merged });
      return { postings, base: bases[index]! };
    });
    writePostings(views, { kind, number, isSmall: 0, range: merged }, mergedPostings(parts));
    return 'a part';
  }
  const last = small.at(-1)!.number;
  const rows = views.all<SlotsRow>(
    'SELECT * FROM recall_segments WHERE kind = ? AND number BETWEEN ? AND ? ORDER BY number',
    ...[kind, number, last],
  );
  writeSlots(views, { kind, revision, isSmall: 0 }, mergedSlots(rows.map(slotsIn)));
  views.run('DELETE FROM recall_segments WHERE kind = ? AND number BETWEEN ? AND ?', kind, number + 1, last);
  views.run(
    'DELETE FROM recall_postings WHERE kind = ? AND number BETWEEN ? AND ? AND is_small = 1',
    ...[kind, number, last],
  );
  return 'the last';
}

interface Small {
  readonly number: number;
  readonly size: number;
}

/** The small segments that are merged next. */
function smallSegments(views: Views, kind: RecallKind): readonly Small[] {
  return views.all(
    'SELECT number, size FROM recall_segments WHERE kind = ? AND is_small = 1 ORDER BY number LIMIT ?',
    kind,
    MERGED_SEGMENTS,
  );
}

/** The slot in the large segment at which each small one begins. */
function basesOf(small: readonly Small[]): readonly number[] {
  let base = 0;
  return small.map(({ size }) => {
    const own = base;
    base += size;
    return own;
  });
}

interface SlotsPlace {
  readonly kind: RecallKind;
  readonly revision: number;
  readonly isSmall: 0 | 1;
}

function writeSlots(views: Views, { kind, revision, isSmall }: SlotsPlace, slots: SegmentSlots): void {
  replaceRow(views, 'recall_segments', {
    kind,
    number: slots.ids[0]!,
    is_small: isSmall,
    revision,
    size: slots.size,
    ids: bytes(slots.ids),
    lengths: bytes(slots.lengths),
    sources: bytes(slots.sources),
    wings: bytes(slots.wings),
    times: bytes(slots.times),
    block_starts: bytes(slots.blockStarts),
    blocks: bytes(slots.blocks),
    selves: bytes(slots.selves),
    codes: bytes(slots.codes),
  });
}

interface PostingsPlace {
  readonly kind: RecallKind;
  readonly number: number;
  readonly isSmall: 0 | 1;
  readonly range: number;
}

function writePostings(
  views: Views,
  { kind, number, isSmall, range }: PostingsPlace,
  { terms, starts, docs, masks }: Postings,
): void {
  views.run(
    'INSERT OR REPLACE INTO recall_postings VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    ...[kind, number, isSmall, range],
    ...[terms, narrowed(starts), docs, narrowed(masks)].map(bytes),
  );
}

function readPostings(views: Views, { kind, number, isSmall, range }: PostingsPlace): Postings {
  const sql = 'SELECT * FROM recall_postings WHERE kind = ? AND number = ? AND is_small = ? AND range = ?';
  return postingsIn(views.get<PostingsRow>(sql, kind, number, isSmall, range)!);
}

function removePostings(views: Views, place: PostingsPlace, slots: readonly number[]): void {
  const postings = readPostings(views, place);
  const remaining = postingsWithout(postings, new Set(slots));
  if (remaining.docs.length < postings.docs.length) writePostings(views, place, remaining);
}

type SlotBlobs = 'ids' | 'lengths' | 'sources' | 'wings' | 'times' | 'block_starts' | 'blocks' | 'selves' | 'codes';
type SlotsRow = Readonly<Record<SlotBlobs, Uint8Array>> &
  Small & { readonly is_small: 0 | 1; readonly revision: number };

function slotsIn(row: SlotsRow): SegmentSlots {
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
  };
}

type PostingsRow = Readonly<Record<'terms' | 'starts' | 'docs' | 'masks', Uint8Array>>;

/** The arrays are views of the row's bytes, so that nothing is copied. */
function postingsIn(row: PostingsRow): Postings {
  const terms = words32(row.terms);
  const docs = words16(row.docs);
  return { terms, starts: unsigned(row.starts, terms.length + 1), docs, masks: unsigned(row.masks, docs.length) };
}
