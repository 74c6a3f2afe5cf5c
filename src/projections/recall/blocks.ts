/**
 * Candidates looked at block by block: what stands together counts, what the named one says counts more, and what was
 * said just before or after counts a little.
 */
import { BLOCKS_MAX } from './analyse.ts';
import { type Loaded, locate } from './loaded.ts';
import { beside, follows } from './neighbours.ts';
import type { Question } from './question.ts';
import type { Settings } from './settings.ts';

/** For each candidate what its best blocks are worth. */
export function scoreBlocks(
  loaded: Loaded,
  candidates: readonly number[],
  { question, settings }: { readonly question: Question; readonly settings: Settings },
): Float32Array {
  const places = new Uint32Array(loaded.size);
  for (const [at, doc] of candidates.entries()) places[doc] = at + 1;
  const grid = new Float32Array(candidates.length * BLOCKS_MAX);
  const spoken = new Float32Array(grid.length);
  const average = Math.max(1, loaded.words / Math.max(1, loaded.blocks));
  const { k1, blockB } = settings;
  eachHit(loaded, { places, terms: question.terms }, ({ cell, length, weight }) => {
    grid[cell] = grid[cell]! + (weight * (k1 + 1)) / (1 + k1 * (1 - blockB + (blockB * length) / average));
  });
  eachHit(loaded, { places, terms: question.speakers }, ({ cell, weight }) => {
    spoken[cell] = Math.max(spoken[cell]!, weight);
  });
  for (let cell = 0; cell < grid.length; cell += 1) {
    grid[cell] = grid[cell]! * (1 + spoken[cell]!);
  }
  return bestOf(lend(loaded, candidates, { grid, near: settings.near }), settings);
}

/** One block of a candidate in which a term stands. */
interface Hit {
  readonly cell: number;
  /** Words of the block. */
  readonly length: number;
  readonly weight: number;
}

/** `places` is one more than a document's place among the candidates, 0 for those that are none. */
function eachHit(
  loaded: Loaded,
  { places, terms }: { readonly places: Uint32Array; readonly terms: Question['terms'] },
  visit: (hit: Hit) => void,
): void {
  for (const [index, part] of loaded.parts.entries()) {
    const base = loaded.bases[index]!;
    for (const { spans, weight } of terms) {
      const span = spans[index];
      if (span === undefined) continue;
      for (let at = span.from; at < span.to; at += 1) {
        const slot = span.docs[at]!;
        const place = places[base + slot]!;
        if (place === 0) continue;
        let cell = (place - 1) * BLOCKS_MAX;
        let block = part.blockStarts[slot]!;
        for (let mask = span.masks[at]!; mask !== 0; mask >>>= 1, cell += 1, block += 1) {
          if (mask & 1) visit({ cell, weight, length: part.blocks[block]! });
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
  let line: number[] = [];
  const settle = (): void => {
    for (const [at, cell] of line.entries()) {
      for (const [index, share] of near.entries()) {
        out[cell] = out[cell]! + share * ((grid[line[at - index - 1]!] ?? 0) + (grid[line[at + index + 1]!] ?? 0));
      }
    }
    line = [];
  };
  for (const [index, { doc, place }] of order.entries()) {
    const before = order[index - 1]?.doc;
    const continues = before !== undefined && before === beside(loaded, doc, -1) && follows(loaded, { before, doc });
    if (!continues) settle();
    const { part, slot } = locate(loaded, doc);
    const blocks = part.blockStarts[slot + 1]! - part.blockStarts[slot]!;
    for (let block = 0; block < blocks; block += 1) line.push(place * BLOCKS_MAX + block);
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
