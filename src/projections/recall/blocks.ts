/**
 * Candidates looked at block by block: what stands together counts, what the named one says counts more, and what was
 * said just before or after counts a little.
 */
import { BLOCKS_MAX } from './analyse.ts';
import { type Loaded, locate } from './loaded.ts';
import { beside, follows } from './neighbours.ts';
import { firstFrom } from './parts.ts';
import type { Question } from './question.ts';
import type { Settings } from './settings.ts';

/** For each candidate what its best blocks are worth. */
export function scoreBlocks(
  loaded: Loaded,
  candidates: readonly number[],
  { question, settings }: { readonly question: Question; readonly settings: Settings },
): Float32Array {
  const places = placed(loaded, candidates);
  const grid = new Float32Array(candidates.length * BLOCKS_MAX);
  const spoken = new Float32Array(grid.length);
  const average = Math.max(1, loaded.words / Math.max(1, loaded.blocks));
  const { k1, blockB } = settings;
  eachHit(loaded, { places, terms: question.terms }, (cell, weight, length) => {
    grid[cell] = grid[cell]! + (weight * (k1 + 1)) / (1 + k1 * (1 - blockB + (blockB * length) / average));
  });
  eachHit(loaded, { places, terms: question.speakers }, (cell, weight) => {
    spoken[cell] = Math.max(spoken[cell]!, weight);
  });
  for (let cell = 0; cell < grid.length; cell += 1) {
    grid[cell] = grid[cell]! * (1 + spoken[cell]!);
  }
  return bestOf(lend(loaded, candidates, { grid, near: settings.near }), settings);
}

/** Of a block of a candidate in which a term stands: its cell, the term's weight, and how many words it has. */
type Visit = (cell: number, weight: number, length: number) => void;

/** A candidate: its slot in its part, and its place among all of them. */
interface Placed {
  readonly slot: number;
  readonly place: number;
}

/** The candidates of each part, by slot. */
function placed(loaded: Loaded, candidates: readonly number[]): readonly (readonly Placed[])[] {
  const parts: Placed[][] = loaded.parts.map(() => []);
  const order = candidates.map((doc, place) => ({ doc, place })).sort((one, other) => one.doc - other.doc);
  let index = 0;
  for (const { doc, place } of order) {
    while (index + 1 < loaded.bases.length && loaded.bases[index + 1]! <= doc) index += 1;
    parts[index]!.push({ slot: doc - loaded.bases[index]!, place });
  }
  return parts;
}

/** Looks the few candidates up among the many documents that a term stands in. */
function eachHit(
  loaded: Loaded,
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

/** Every block with what its neighbours lend it, across the borders of documents that follow one another. */
function lend(
  loaded: Loaded,
  candidates: readonly number[],
  { grid, near }: { readonly grid: Float32Array; readonly near: readonly number[] },
): Float32Array {
  const out = grid.slice();
  const order = candidates.map((doc, place) => ({ doc, place })).sort((a, b) => a.doc - b.doc);
  /** The cells of what was said in a row. */
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

/** Uses the grid up: what was counted is zero afterwards. */
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
