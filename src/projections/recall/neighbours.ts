/** Documents continue each other when they share a source, or have none and lie within half an hour. */
import { locate, type RecallIndex } from './index-cache.ts';

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
export function beside(loaded: RecallIndex, doc: number, step: 1 | -1): number | null {
  for (let next = doc + step; next >= 0 && next < loaded.size; next += step) {
    const { part, slot } = locate(loaded, next);
    if (part.lengths[slot] !== 0) return next;
  }
  return null;
}

/** Whether a document continues the one beside it. */
export function follows(loaded: RecallIndex, { before, doc }: { before: number; doc: number }): boolean {
  const own = locate(loaded, doc);
  const other = locate(loaded, before);
  const source = own.part.sources[own.slot]!;
  if (source !== other.part.sources[other.slot]) return false;
  return source !== 0 || Math.abs(own.part.times[own.slot]! - other.part.times[other.slot]!) <= TALK_GAP_MS;
}
