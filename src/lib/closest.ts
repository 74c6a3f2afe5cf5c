/** Suggests a known word in place of a misspelled one. */

/** A shorter word is close to too many candidates. */
const WORD_CHARACTERS_MIN = 3;

/**
 * The candidate that is closest to the word by edit distance, ignoring case; its beginning may be compared instead.
 * Undefined when every distance exceeds a third of the characters of the word.
 */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length < WORD_CHARACTERS_MIN) return undefined;
  const typed = word.toLowerCase();
  let best: string | undefined;
  let fewest = Math.floor(word.length / 3) + 1;
  for (const candidate of candidates) {
    const name = candidate.toLowerCase();
    const edits = Math.min(editDistance(typed, name), editDistance(typed, name.slice(0, word.length)) + PREFIX_EDITS);
    if (edits >= fewest) continue;
    fewest = edits;
    best = candidate;
  }
  return best;
}

/** A candidate that is as close as a whole is preferred to one whose beginning is. */
const PREFIX_EDITS = 0.5;

/** Insertions, deletions, substitutions and swaps of neighbours that turn one text into the other. */
function editDistance(from: string, to: string): number {
  let before: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let row = 1; row <= from.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isEqual = from[row - 1] === to[column - 1];
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const substituted = last[column - 1]! + (isEqual ? 0 : 1);
      const swapped = isSwap ? before[column - 2]! + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min(last[column]! + 1, next[column - 1]! + 1, substituted, swapped));
    }
    before = last;
    last = next;
  }
  return last[to.length]!;
}
