/**
 * Scores candidates by their best blocks: BM25 within each block, raised for blocks of a speaker that the question
 * names, plus a share of the neighbouring blocks' scores.
 */
import { lengthNorm, termScore } from '../../lib/bm25.ts';
import { BLOCKS_MAX } from './analyse.ts';
import { locate, type RecallIndex } from './index-cache.ts';
import { firstFrom } from './postings.ts';
import type { Question } from './question.ts';
import type { Settings } from './settings.ts';

/** The score of each candidate, in the order of the candidates. */
export function scoreBlocks(
  loaded: RecallIndex,
  candidates: readonly number[],
  { question, settings }: { readonly question: Question; readonly settings: Settings },
): Float32Array {
  const places = placed(loaded, candidates);
  const grid = new Float32Array(candidates.length * BLOCKS_MAX);
  const spoken = new Float32Array(grid.length);
  const average = Math.max(1, loaded.words / Math.max(1, loaded.blocks));
  const { k1, blockB: b } = settings;
  eachHit(loaded, { places, terms: question.terms }, (cell, weight, length) => {
    grid[cell] = grid[cell]! + termScore(weight * (k1 + 1), 1, lengthNorm({ k1, b }, length, average));
  });
  eachHit(loaded, { places, terms: question.speakers }, (cell, weight) => {
    spoken[cell] = Math.max(spoken[cell]!, weight);
  });
  for (let cell = 0; cell < grid.length; cell += 1) {
    grid[cell] = grid[cell]! * (1 + spoken[cell]!);
  }
  return bestOf(addNeighbours(loaded, candidates, { grid, near: settings.near }), settings);
}

/** Called for each block of a candidate that holds a term: its cell in the grid, the term's weight, its words. */
type Visit = (cell: number, weight: number, length: number) => void;

/** A candidate by its slot in its part and its place among the candidates. */
interface Placed {
  readonly slot: number;
  readonly place: number;
}

/** The candidates of each part in the order of their slots. */
function placed(loaded: RecallIndex, candidates: readonly number[]): readonly (readonly Placed[])[] {
  const parts: Placed[][] = loaded.parts.map(() => []);
  const order = candidates.map((doc, place) => ({ doc, place })).sort((one, other) => one.doc - other.doc);
  let index = 0;
  for (const { doc, place } of order) {
    while (index + 1 < loaded.bases.length && loaded.bases[index + 1]! <= doc) index += 1;
    parts[index]!.push({ slot: doc - loaded.bases[index]!, place });
  }
  return parts;
}

/** Visits the blocks of the candidates that hold a term: looks up the few candidates in the long postings. */
function eachHit(
  loaded: RecallIndex,
  { places, terms }: { readonly places: readonly (readonly Placed[])[]; readonly terms: Question['terms'] },
  visit: Visit,
): void {
  for (const [index, part] of loaded.parts.entries()) {
    const own = places[index]!;
    if (own.length === 0) continue;
    for (const { spans, weight } of terms) {
      const span = spans[index];
      if (span === undefined) continue;
      let from = span.from;
      for (let next = 0; next < own.length && from < span.to; next += 1) {
        const { slot, place } = own[next]!;
        from = firstFrom(span.docs, { value: slot, from, to: span.to });
        if (from >= span.to || span.docs[from] !== slot) continue;
        let cell = place * BLOCKS_MAX;
        let block = part.blockStarts[slot]!;
        for (let mask = span.masks[from]!; mask !== 0; mask >>>= 1, cell += 1, block += 1) {
          if (mask & 1) visit(cell, weight, part.blocks[block]!);
        }
      }
    }
  }
}

/** Adds to every block a share of its neighbours' scores, across documents that continue each other. */
function addNeighbours(
  loaded: RecallIndex,
  candidates: readonly number[],
  { grid, near }: { readonly grid: Float32Array; readonly near: readonly number[] },
): Float32Array {
  const out = grid.slice();
  const order = candidates.map((doc, place) => ({ doc, place })).sort((a, b) => a.doc - b.doc);
  /** The cells of blocks that continue each other, in order. */
  const line = new Int32Array(grid.length);
  let length = 0;
  const settle = (): void => {
    for (let at = 0; at < length; at += 1) {
      const cell = line[at]!;
      let sum = out[cell]!;
      for (let step = 1; step <= near.length; step += 1) {
        const before = at >= step ? grid[line[at - step]!]! : 0;
        const after = at + step < length ? grid[line[at + step]!]! : 0;
        sum = Math.fround(sum + near[step - 1]! * (before + after));
      }
      out[cell] = sum;
    }
    length = 0;
  };
  for (const [index, { doc, place }] of order.entries()) {
    const before = order[index - 1]?.doc;
    const continues = before !== undefined && before === beside(loaded, doc, -1) && follows(loaded, { before, doc });
    if (!continues) settle();
    const { part, slot } = locate(loaded, doc);
    const blocks = part.blockStarts[slot + 1]! - part.blockStarts[slot]!;
    for (let block = 0; block < blocks; block += 1) line[length++] = place * BLOCKS_MAX + block;
  }
  settle();
  return out;
}

/** The decayed sum of each candidate's best blocks. Overwrites the grid. */
function bestOf(grid: Float32Array, { bestBlocks, blockDecay }: Settings): Float32Array {
  const out = new Float32Array(grid.length / BLOCKS_MAX);
  for (let place = 0; place < out.length; place += 1) {
    const end = (place + 1) * BLOCKS_MAX;
    for (let nth = 0, share = 1; nth < bestBlocks; nth += 1, share *= blockDecay) {
      let best = end - BLOCKS_MAX;
      for (let cell = best + 1; cell < end; cell += 1) if (grid[cell]! > grid[best]!) best = cell;
      out[place] = out[place]! + grid[best]! * share;
      grid[best] = 0;
    }
  }
  return out;
}

/** Number of the best candidates whose neighbours are added. */
const NEIGHBOURS_OF = 100;
/** Consecutive texts without a source belong together within this time. */
const TALK_GAP_MS = 30 * 60_000;

/** The candidates and, for the best of them, the documents before and after. */
export function withNeighbours(
  loaded: RecallIndex,
  found: readonly number[],
  allowed: (doc: number) => boolean,
): readonly number[] {
  const all = new Set(found);
  for (const doc of found.slice(0, NEIGHBOURS_OF)) {
    const before = beside(loaded, doc, -1);
    const after = beside(loaded, doc, 1);
    if (before !== null && allowed(before) && follows(loaded, { before, doc })) all.add(before);
    if (after !== null && allowed(after) && follows(loaded, { before: doc, doc: after })) all.add(after);
  }
  return [...all];
}

/** The next document in a direction. Removed documents are skipped, so their neighbours become neighbours. */
function beside(loaded: RecallIndex, doc: number, step: 1 | -1): number | null {
  for (let next = doc + step; next >= 0 && next < loaded.size; next += step) {
    const { part, slot } = locate(loaded, next);
    if (part.lengths[slot] !== 0) return next;
  }
  return null;
}

/** Whether a document continues the one beside it. */
function follows(loaded: RecallIndex, { before, doc }: { before: number; doc: number }): boolean {
  const own = locate(loaded, doc);
  const other = locate(loaded, before);
  const source = own.part.sources[own.slot]!;
  if (source !== other.part.sources[other.slot]) return false;
  return source !== 0 || Math.abs(own.part.times[own.slot]! - other.part.times[other.slot]!) <= TALK_GAP_MS;
}
