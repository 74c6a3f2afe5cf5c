/** Which texts were said one after the other: the same source, or, without one, within half an hour. */
import { type Loaded, locate } from './loaded.ts';

/** The best candidates, whose neighbours are looked at too. */
const NEIGHBOURS_OF = 100;
/** Texts without a source that follow one another within this time are one talk. */
const TALK_GAP_MS = 30 * 60_000;

/** The candidates and, for the best of them, the documents before and after. */
export function withNeighbours(
  loaded: Loaded,
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

/** The next document that is there in a direction: where one was taken out, its neighbours are neighbours. */
export function beside(loaded: Loaded, doc: number, step: 1 | -1): number | null {
  for (let next = doc + step; next >= 0 && next < loaded.size; next += step) {
    const { part, slot } = locate(loaded, next);
    if (part.lengths[slot] !== 0) return next;
  }
  return null;
}

/** Whether a document continues the one beside it: the same source, or, without one, said soon after. */
export function follows(loaded: Loaded, { before, doc }: { before: number; doc: number }): boolean {
  const own = locate(loaded, doc);
  const other = locate(loaded, before);
  const source = own.part.sources[own.slot]!;
  if (source !== other.part.sources[other.slot]) return false;
  return source !== 0 || Math.abs(own.part.times[own.slot]! - other.part.times[other.slot]!) <= TALK_GAP_MS;
}
