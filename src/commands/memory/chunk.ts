/**
 * Cuts a text into chunks of 800 characters. The last 100 of a chunk begin the next, so that a sentence at a border is
 * whole in one of them.
 *
 * - A character is a code point: no surrogate pair is split, and the chunks give back the text exactly.
 */

export const CHUNK_CHARACTERS = 800;
export const OVERLAP_CHARACTERS = 100;
const STEP_CHARACTERS = CHUNK_CHARACTERS - OVERLAP_CHARACTERS;

export interface Chunk {
  readonly content: string;
  /** Code points from the beginning of the text. */
  readonly start: number;
}

/** A generator, because cutting 900 kB at once takes some milliseconds. */
export function* chunksOf(text: string): Generator<Chunk, void, undefined> {
  let start = 0;
  let from = 0;
  for (;;) {
    const end = skip(text, from, CHUNK_CHARACTERS);
    yield { content: text.slice(from, end), start };
    if (end >= text.length) return;
    from = skip(text, from, STEP_CHARACTERS);
    start += STEP_CHARACTERS;
  }
}

/** The text of chunks in order. */
export function joined(chunks: readonly Chunk[]): string {
  let text = '';
  let reached = 0;
  for (const { content, start } of chunks) {
    text += content.slice(skip(content, 0, reached - start));
    reached = start + [...content].length;
  }
  return text;
}

/** The UTF-16 offset that is `characters` code points after `from`. */
export function skip(text: string, from: number, characters: number): number {
  let at = from;
  for (let count = 0; count < characters && at < text.length; count += 1) {
    at += text.codePointAt(at)! > 0xffff ? 2 : 1;
  }
  return at;
}
