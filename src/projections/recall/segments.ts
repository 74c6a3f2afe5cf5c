/**
 * The parts of an index: sealed segments (sorted arrays, written once), and one for newer documents in
 * `mutable-segment.ts`.
 *
 * - A document is a slot in its part. A removed document keeps its slot, without terms, length or code.
 * - Both kinds are an `IndexPart`, so ranking does not distinguish them.
 */
import { ascendingOrder } from '../../lib/ascending.ts';
import type { Analysed } from './analyse.ts';
import { CODE_WORDS, type Code, HEAD_WORDS } from './quantise.ts';

/** The postings of a term: ascending slots and a mask of blocks each, from `from` up to, not including, `to`. */
export interface PostingRange {
  readonly docs: ArrayLike<number>;
  readonly masks: ArrayLike<number>;
  readonly from: number;
  readonly to: number;
}

/**
 * Binary search: the first index in `from`..`to` of an ascending list whose element is not below `value`, else `to`.
 */
export function firstFrom(list: ArrayLike<number>, range: { value: number; from: number; to: number }): number {
  const { value } = range;
  let low = range.from;
  let high = range.to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (list[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Facts of every document, by slot. */
export interface Slots {
  /** Row numbers of `recall_docs`, ascending. */
  readonly ids: ArrayLike<number>;
  /** Words of the document; 0 for a removed one. */
  readonly lengths: ArrayLike<number>;
  /** Hashes of source and wing, 0 for none. */
  readonly sources: ArrayLike<number>;
  readonly wings: ArrayLike<number>;
  readonly times: ArrayLike<number>;
  /** Index in `blocks` of each document's first block, then the length of `blocks`. */
  readonly blockStarts: ArrayLike<number>;
  readonly blocks: ArrayLike<number>;
  readonly selves: ArrayLike<number>;
}

export interface IndexPart extends Slots {
  readonly size: number;
  readonly codes: Uint32Array;
  /** The first `HEAD_WORDS` words of every code, contiguous for the scan over all documents. */
  readonly heads: Uint32Array;
  find(term: number): PostingRange | undefined;
}

export interface Entry {
  readonly id: number;
  readonly source: number;
  readonly wing: number;
  readonly at: number;
  readonly analysed: Analysed;
  readonly code: Code;
}

export interface Segment {
  readonly size: number;
  readonly ids: Uint32Array;
  readonly lengths: Uint16Array;
  readonly sources: Uint32Array;
  readonly wings: Uint32Array;
  readonly times: Float64Array;
  readonly blockStarts: Uint32Array;
  readonly blocks: Uint8Array;
  readonly selves: Float32Array;
  readonly codes: Uint32Array;
  /** Distinct terms, ascending; term i stands at postings `starts[i]` to `starts[i + 1]`. */
  readonly terms: Uint32Array;
  readonly starts: Uint32Array;
  readonly docs: Uint16Array;
  readonly masks: Uint32Array;
}

/** A sealed segment of these documents, which are in the order of their ids. */
export function sealSegment(entries: readonly Entry[]): Segment {
  const size = entries.length;
  const codes = new Uint32Array(size * CODE_WORDS);
  for (const [slot, { code }] of entries.entries()) codes.set(code.words, slot * CODE_WORDS);
  return {
    size,
    ids: Uint32Array.from(entries, ({ id }) => id),
    lengths: Uint16Array.from(entries, ({ analysed }) => analysed.length),
    sources: Uint32Array.from(entries, ({ source }) => source),
    wings: Uint32Array.from(entries, ({ wing }) => wing),
    times: Float64Array.from(entries, ({ at }) => at),
    blockStarts: blockStartsOf(entries),
    blocks: blocksOf(entries),
    selves: Float32Array.from(entries, ({ code }) => code.self),
    codes,
    ...postingsOf(entries),
  };
}

type Postings = Pick<Segment, 'terms' | 'starts' | 'docs' | 'masks'>;

/** The postings of all terms of all documents. */
function postingsOf(entries: readonly Entry[]): Postings {
  const count = entries.reduce((sum, { analysed }) => sum + analysed.terms.length, 0);
  const given = { terms: new Uint32Array(count), masks: new Uint32Array(count), slots: new Uint16Array(count) };
  let end = 0;
  for (const [slot, { analysed }] of entries.entries()) {
    given.terms.set(analysed.terms, end);
    given.masks.set(analysed.masks, end);
    given.slots.fill(slot, end, end + analysed.terms.length);
    end += analysed.terms.length;
  }
  const terms = new Uint32Array(count);
  const starts = new Uint32Array(count + 1);
  const docs = new Uint16Array(count);
  const masks = new Uint32Array(count);
  let distinct = 0;
  const order = ascendingOrder(given.terms);
  for (let at = 0; at < count; at += 1) {
    const place = order[at]!;
    const term = given.terms[place]!;
    if (distinct === 0 || terms[distinct - 1] !== term) {
      terms[distinct] = term;
      starts[distinct] = at;
      distinct += 1;
    }
    docs[at] = given.slots[place]!;
    masks[at] = given.masks[place]!;
  }
  starts[distinct] = count;
  return { terms: terms.slice(0, distinct), starts: starts.slice(0, distinct + 1), docs, masks };
}

/** The segment without all facts of one document; its slot stays, empty. */
export function clearSlot(segment: Segment, slot: number): Segment {
  const lengths = segment.lengths.slice();
  lengths[slot] = 0;
  return {
    ...segment,
    ...postingsWithout(segment, slot),
    lengths,
    blocks: segment.blocks.slice().fill(0, segment.blockStarts[slot]!, segment.blockStarts[slot + 1]!),
    sources: segment.sources.slice().fill(0, slot, slot + 1),
    wings: segment.wings.slice().fill(0, slot, slot + 1),
    selves: segment.selves.slice().fill(0, slot, slot + 1),
    codes: segment.codes.slice().fill(0, slot * CODE_WORDS, (slot + 1) * CODE_WORDS),
  };
}

/** A term without postings left is removed too. */
function postingsWithout(segment: Segment, slot: number): Postings {
  const terms = new Uint32Array(segment.terms.length);
  const starts = new Uint32Array(segment.starts.length);
  const docs = new Uint16Array(segment.docs.length);
  const masks = new Uint32Array(segment.masks.length);
  let kept = 0;
  let place = 0;
  for (let term = 0; term < segment.terms.length; term += 1) {
    const begun = place;
    for (let at = segment.starts[term]!; at < segment.starts[term + 1]!; at += 1) {
      if (segment.docs[at] === slot) continue;
      docs[place] = segment.docs[at]!;
      masks[place] = segment.masks[at]!;
      place += 1;
    }
    if (place === begun) continue;
    terms[kept] = segment.terms[term]!;
    kept += 1;
    starts[kept] = place;
  }
  return {
    terms: terms.slice(0, kept),
    starts: starts.slice(0, kept + 1),
    docs: docs.slice(0, place),
    masks: masks.slice(0, place),
  };
}

/** The segment as it is kept in memory: masks are most of it, so they take no more bits than the longest text needs. */
export function segmentPart({ masks: stored, ...segment }: Segment): IndexPart {
  const { terms, starts, docs } = segment;
  const masks = narrowed(stored);
  const heads = new Uint32Array(segment.size * HEAD_WORDS);
  for (let slot = 0; slot < segment.size; slot += 1) {
    heads.set(segment.codes.subarray(slot * CODE_WORDS, slot * CODE_WORDS + HEAD_WORDS), slot * HEAD_WORDS);
  }
  return {
    ...segment,
    heads,
    find(term) {
      const low = firstFrom(terms, { value: term, ...aroundTerm(terms, term) });
      return terms[low] === term ? { docs, masks, from: starts[low]!, to: starts[low + 1]! } : undefined;
    },
  };
}

const SHORT_MAX = 0xffff;

/** The numbers in half of the bytes when they fit. */
function narrowed(numbers: Uint32Array): Uint16Array | Uint32Array {
  for (let at = 0; at < numbers.length; at += 1) if (numbers[at]! > SHORT_MAX) return numbers;
  return new Uint16Array(numbers);
}

/** Terms are hashes and spread evenly, so interpolation search starts near the place. */
const TERM_STEP = 64;

function aroundTerm(terms: Uint32Array, term: number): { from: number; to: number } {
  const guess = Math.floor((term / 2 ** 32) * terms.length);
  let from = guess;
  let to = guess;
  for (let step = TERM_STEP; from > 0 && terms[from]! > term; step *= 2) from = Math.max(0, from - step);
  for (let step = TERM_STEP; to < terms.length && terms[to]! < term; step *= 2) to = Math.min(terms.length, to + step);
  return { from, to };
}

function blocksOf(entries: readonly Entry[]): Uint8Array {
  const blocks = new Uint8Array(entries.reduce((sum, { analysed }) => sum + analysed.blocks.length, 0));
  let end = 0;
  for (const { analysed } of entries) {
    blocks.set(analysed.blocks, end);
    end += analysed.blocks.length;
  }
  return blocks;
}

function blockStartsOf(entries: readonly Entry[]): Uint32Array {
  const starts = new Uint32Array(entries.length + 1);
  for (const [slot, { analysed }] of entries.entries()) starts[slot + 1] = starts[slot]! + analysed.blocks.length;
  return starts;
}
