/**
 * The postings of a sealed segment as sorted arrays. Terms are hashes, so the ranges of terms by
 * their first bits are about equally long: a segment is stored, merged and cached range by range.
 */
import { ascendingOrder } from '../../lib/radix-sort.ts';
import type { Analysed } from './analyse.ts';
import type { Unsigned } from './blobs.ts';

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

/** The postings of some documents for a range of terms, or for all terms. */
export interface Postings {
  /** Distinct terms, ascending; term i stands at postings `starts[i]` to `starts[i + 1]`. */
  readonly terms: Uint32Array;
  readonly starts: Unsigned;
  readonly docs: Uint16Array;
  readonly masks: Unsigned;
}

export const TERM_RANGES = 16;
const TERMS_PER_RANGE = 2 ** 32 / TERM_RANGES;

/** The postings of a sealed segment, a part for each range of terms in their order. */
export type PostingsByRange = readonly Postings[];

/** Parallel arrays: a term, a document, and the document's blocks with the term. */
interface Gathered {
  readonly terms: Uint32Array;
  readonly docs: Uint16Array;
  readonly masks: Uint32Array;
}

/** The postings of all terms of these documents. */
export function postingsOf(analyses: readonly Pick<Analysed, 'terms' | 'masks'>[]): Postings {
  const unsorted = room(analyses.reduce((sum, { terms }) => sum + terms.length, 0));
  let end = 0;
  for (const [slot, { terms, masks }] of analyses.entries()) {
    unsorted.terms.set(terms, end);
    unsorted.masks.set(masks, end);
    unsorted.docs.fill(slot, end, end + terms.length);
    end += terms.length;
  }
  return sorted(unsorted);
}

/** The postings of several segments as those of one, in which the slots of each begin at its `base`. */
export function mergedPostings(parts: readonly { readonly postings: Postings; readonly base: number }[]): Postings {
  const unsorted = room(parts.reduce((sum, { postings }) => sum + postings.docs.length, 0));
  let end = 0;
  for (const { postings, base } of parts) {
    for (let at = 0, term = 0; at < postings.docs.length; at += 1) {
      while (at >= postings.starts[term + 1]!) term += 1;
      unsorted.terms[end + at] = postings.terms[term]!;
      unsorted.docs[end + at] = base + postings.docs[at]!;
    }
    unsorted.masks.set(postings.masks, end);
    end += postings.docs.length;
  }
  return sorted(unsorted);
}

function room(count: number): Gathered {
  return { terms: new Uint32Array(count), docs: new Uint16Array(count), masks: new Uint32Array(count) };
}

function sorted(given: Gathered): Postings {
  const count = given.terms.length;
  const { terms, docs, masks } = room(count);
  const starts = new Uint32Array(count + 1);
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
    docs[at] = given.docs[place]!;
    masks[at] = given.masks[place]!;
  }
  starts[distinct] = count;
  return { terms: terms.subarray(0, distinct), starts: starts.subarray(0, distinct + 1), docs, masks };
}

export function cutByTerm({ terms, starts, docs, masks }: Postings): PostingsByRange {
  const ranges: Postings[] = [];
  let from = 0;
  for (let range = 1; range <= TERM_RANGES; range += 1) {
    const to = firstFrom(terms, { value: range * TERMS_PER_RANGE, from, to: terms.length });
    const [first, last] = [starts[from]!, starts[to]!];
    ranges.push({
      terms: terms.subarray(from, to),
      starts: starts.subarray(from, to + 1).map((start) => start - first),
      docs: docs.subarray(first, last),
      masks: masks.subarray(first, last),
    });
    from = to;
  }
  return ranges;
}

/** The postings without those of some documents. A term without remaining postings is removed. */
export function postingsWithout(postings: Postings, slots: ReadonlySet<number>): Postings {
  const terms = new Uint32Array(postings.terms.length);
  const starts = new Uint32Array(postings.starts.length);
  const docs = new Uint16Array(postings.docs.length);
  const masks = new Uint32Array(postings.masks.length);
  let kept = 0;
  let place = 0;
  for (let term = 0; term < postings.terms.length; term += 1) {
    const begun = place;
    for (let at = postings.starts[term]!; at < postings.starts[term + 1]!; at += 1) {
      if (slots.has(postings.docs[at]!)) continue;
      docs[place] = postings.docs[at]!;
      masks[place] = postings.masks[at]!;
      place += 1;
    }
    if (place === begun) continue;
    terms[kept] = postings.terms[term]!;
    kept += 1;
    starts[kept] = place;
  }
  return {
    terms: terms.subarray(0, kept),
    starts: starts.subarray(0, kept + 1),
    docs: docs.subarray(0, place),
    masks: masks.subarray(0, place),
  };
}

/** The postings of a term in a segment. */
export function findTerm(ranges: PostingsByRange, term: number): PostingRange | undefined {
  const range = Math.floor(term / TERMS_PER_RANGE);
  const { terms, starts, docs, masks } = ranges[range]!;
  const share = term / TERMS_PER_RANGE - range;
  const low = firstFrom(terms, { value: term, ...around(terms, { term, guess: Math.floor(share * terms.length) }) });
  return terms[low] === term ? { docs, masks, from: starts[low]!, to: starts[low + 1]! } : undefined;
}

/** Terms are hashes and evenly distributed, so interpolation search starts near the right index. */
const TERM_STEP = 64;

function around(terms: Uint32Array, { term, guess }: { term: number; guess: number }): { from: number; to: number } {
  let from = guess;
  let to = guess;
  for (let step = TERM_STEP; from > 0 && terms[from]! > term; step *= 2) from = Math.max(0, from - step);
  for (let step = TERM_STEP; to < terms.length && terms[to]! < term; step *= 2) to = Math.min(terms.length, to + step);
  return { from, to };
}
