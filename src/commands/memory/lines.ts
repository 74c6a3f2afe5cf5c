/**
 * How texts are shown in a context block, and how they are compared when they are offered as new.
 *
 * - The comparison ignores changes by copying: case, white space, bullets and the marks of the block.
 */
import { streamSafe } from '../../lib/stream-safe.ts';
import { skip } from './chunk.ts';

/** Length of a line of the essential story and of search results. */
export const LINE_CHARACTERS = 300;
/** Length of a verbatim drawer in a block. */
export const VERBATIM_CHARACTERS = 400;

export const BLOCK_BEGIN = '<memory-context>';
export const BLOCK_END = '</memory-context>';

/** A text as a block shows it, without the marks that would end the block. Its fingerprint is the `line_key`. */
export function quoted(text: string, characters: number): string {
  return oneLine(withoutMarks(text), characters);
}

export function factLine(fact: { readonly subject: string; readonly predicate: string; readonly object: string }) {
  return quoted(`${fact.subject} ${fact.predicate} ${fact.object}`, LINE_CHARACTERS);
}

/** The normal form of a text from which loose fingerprints are computed. */
export function essence(text: string): string {
  return streamSafe(withoutMarks(text))
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(/^(?:[>*•-] |\d{1,3}[.)] |\[[a-z]+\] )*/u, '')
    .replace(/(?<![.!…\s])[.!…\s]+$/u, '');
}

/** The lines of a text without blank lines, headings and the marks of a block. */
export function contentLines(text: string): readonly string[] {
  return text
    .split(/\r?\n/u)
    .map((line) => line.trim())
    .filter((line) => line !== '' && line !== BLOCK_BEGIN && line !== BLOCK_END && !/^#{1,6}\s/u.test(line));
}

/** The text on one line, cut to `characters` code points. */
function oneLine(text: string, characters: number): string {
  const flat = text.replace(/\s+/gu, ' ').trim();
  return flat.slice(0, skip(flat, 0, characters));
}

function withoutMarks(text: string): string {
  return text.replaceAll(/<\/?memory-context>/giu, ' ');
}
