/**
 * Splits a text by lines, and merges small pieces.
 *
 * - The pieces of a text, joined in order, are the text.
 * - A piece has at most CHUNK_CHARACTERS_MAX characters and never splits a surrogate pair.
 */

export interface Piece {
  /** UTF-16 offsets into the text, the end exclusive. */
  readonly start: number;
  readonly end: number;
  /** Qualified name of the definition. */
  readonly symbol: string | null;
}

/** Raise it when the same text is split differently: chunks of other versions are not reused. */
export const CHUNKER_VERSION = 1;

/** About 400 tokens, which small embedding models accept. */
export const CHUNK_CHARACTERS_MAX = 1_600;
/** Small neighbours are merged up to this size: a chunk of three lines carries too little meaning. */
const TOGETHER_CHARACTERS_MAX = 800;

/** Splits by lines: in the second half of a chunk before a heading, else after a blank line, else after a line. */
export function byLines(text: string, within: Piece): readonly Piece[] {
  const pieces: Piece[] = [];
  let start = within.start;
  while (within.end - start > CHUNK_CHARACTERS_MAX) {
    const end = cutIn(text, start);
    pieces.push({ ...within, start, end });
    start = end;
  }
  if (start < within.end) pieces.push({ ...within, start });
  return pieces;
}

/** Merges small neighbours. A piece that is big enough stays alone, so that a function stays one chunk. */
export function mergeSmall(pieces: readonly Piece[]): readonly Piece[] {
  const joined: Piece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (last === undefined || piece.end - last.start > TOGETHER_CHARACTERS_MAX) joined.push(piece);
    else joined[joined.length - 1] = { start: last.start, end: piece.end, symbol: last.symbol ?? piece.symbol };
  }
  return joined;
}

/** Start of the line that contains the offset; a line break belongs to the line that it ends. */
export function lineStart(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

/** `lineStart` of offsets that never decrease; a long line is read once and not for each of them. */
export function createLineStarts(text: string): (offset: number) => number {
  let start = 0;
  let end = -1;
  return (offset) => {
    if (offset <= end) return start;
    start = lineStart(text, offset);
    const next = text.indexOf('\n', offset);
    end = next < 0 ? text.length : next;
    return start;
  };
}

function cutIn(text: string, start: number): number {
  const limit = start + CHUNK_CHARACTERS_MAX;
  const half = start + CHUNK_CHARACTERS_MAX / 2;
  const window = text.slice(half, limit);
  const good = lastHeading(window) || window.lastIndexOf('\n\n') + 2;
  if (good > 1) return half + good;
  const line = text.lastIndexOf('\n', limit - 1);
  if (line > start) return line + 1;
  const isSplit = /[\uD800-\uDBFF]/.test(text[limit - 1]!) && /[\uDC00-\uDFFF]/.test(text[limit]!);
  return isSplit ? limit - 1 : limit;
}

/** Start of the last line that looks like a heading, or 0. */
function lastHeading(window: string): number {
  return [...window.matchAll(/\n(?=#{1,6} )/g)].reduce((_, { index }) => index + 1, 0);
}
