/**
 * The parts of an index: sealed segments (sorted arrays, written once), and one for newer documents in
 * `mutable-segment.ts`.
 *
 * - A document is a slot in its part. A removed document keeps its slot, without terms, length or code.
 * - Both kinds are an `IndexPart`, so ranking does not distinguish them.
 */
import type { Analysed } from './analyse.ts';
import { cutByTerm, findTerm, type PostingRange, type PostingsByRange, postingsOf } from './postings.ts';
import { CODE_WORDS, type Code, HEAD_WORDS } from './quantise.ts';

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

/** The facts of a sealed segment's documents, without their terms. */
export interface SegmentSlots extends Slots {
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
}

export interface Segment {
  readonly slots: SegmentSlots;
  readonly postings: PostingsByRange;
}

/** A sealed segment of these documents, which are in the order of their ids. */
export function sealSegment(entries: readonly Entry[]): Segment {
  return { slots: slotsOf(entries), postings: cutByTerm(postingsOf(entries.map(({ analysed }) => analysed))) };
}

function slotsOf(entries: readonly Entry[]): SegmentSlots {
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
  };
}

/** The slots of several segments as those of one, in their order. */
export function mergedSlots(parts: readonly SegmentSlots[]): SegmentSlots {
  const size = parts.reduce((sum, part) => sum + part.size, 0);
  const blockStarts = new Uint32Array(size + 1);
  let slot = 0;
  let blocks = 0;
  for (const part of parts) {
    for (let at = 0; at <= part.size; at += 1) blockStarts[slot + at] = blocks + part.blockStarts[at]!;
    slot += part.size;
    blocks += part.blocks.length;
  }
  return {
    size,
    ids: filled(new Uint32Array(size), parts, ({ ids }) => ids),
    lengths: filled(new Uint16Array(size), parts, ({ lengths }) => lengths),
    sources: filled(new Uint32Array(size), parts, ({ sources }) => sources),
    wings: filled(new Uint32Array(size), parts, ({ wings }) => wings),
    times: filled(new Float64Array(size), parts, ({ times }) => times),
    blockStarts,
    blocks: filled(new Uint8Array(blocks), parts, (part) => part.blocks),
    selves: filled(new Float32Array(size), parts, ({ selves }) => selves),
    codes: filled(new Uint32Array(size * CODE_WORDS), parts, ({ codes }) => codes),
  };
}

function filled<Numbers extends Settable>(
  numbers: Numbers,
  parts: readonly SegmentSlots[],
  of: (part: SegmentSlots) => Numbers,
): Numbers {
  let end = 0;
  for (const part of parts) {
    const own = of(part);
    numbers.set(own, end);
    end += own.length;
  }
  return numbers;
}

type Settable = ArrayLike<number> & { set(numbers: ArrayLike<number>, at: number): void };

/** The slots without the facts of some documents, whose slots stay as empty ones. */
export function withoutSlots(slots: SegmentSlots, removed: readonly number[]): SegmentSlots {
  const { blockStarts } = slots;
  const emptied = {
    lengths: slots.lengths.slice(),
    blocks: slots.blocks.slice(),
    sources: slots.sources.slice(),
    wings: slots.wings.slice(),
    selves: slots.selves.slice(),
    codes: slots.codes.slice(),
  };
  for (const slot of removed) {
    for (const facts of [emptied.lengths, emptied.sources, emptied.wings, emptied.selves]) facts[slot] = 0;
    emptied.blocks.fill(0, blockStarts[slot]!, blockStarts[slot + 1]!);
    emptied.codes.fill(0, slot * CODE_WORDS, (slot + 1) * CODE_WORDS);
  }
  return { ...slots, ...emptied };
}

/** The segment in the form that is cached in memory. */
export function segmentPart({ slots, postings }: Segment): IndexPart {
  const heads = new Uint32Array(slots.size * HEAD_WORDS);
  for (let slot = 0; slot < slots.size; slot += 1) {
    heads.set(slots.codes.subarray(slot * CODE_WORDS, slot * CODE_WORDS + HEAD_WORDS), slot * HEAD_WORDS);
  }
  return { ...slots, heads, find: (term) => findTerm(postings, term) };
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
