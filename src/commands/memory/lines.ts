/**
 * How memories look in a context block, and how such text is recognised when somebody offers it as new.
 *
 * - Recognition ignores what copying changes: case, white space, bullets and the block's own marks.
 */

/** A line of the essential story and of search results is cut here. */
export const LINE_CHARACTERS = 300;
/** A verbatim drawer in a block is cut here. */
export const VERBATIM_CHARACTERS = 400;

export const BLOCK_BEGIN = '<memory-context>';
export const BLOCK_END = '</memory-context>';

/** As a block shows a text: it cannot end the block. Fingerprints of shown lines are taken of this. */
export function quoted(text: string, characters: number): string {
  return oneLine(withoutMarks(text), characters);
}

export function factLine(fact: { readonly subject: string; readonly predicate: string; readonly object: string }) {
  return quoted(`${fact.subject} ${fact.predicate} ${fact.object}`, LINE_CHARACTERS);
}

/** What of a text its fingerprint is taken of. */
export function essence(text: string): string {
  return withoutMarks(text)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(/^(?:[>*•-] |\d{1,3}[.)] |\[[a-z]+\] )*/u, '')
    .replace(/[.!…\s]+$/u, '');
}

/** The lines of a text that say something: headings and marks of a block do not. */
export function tellingLines(text: string): readonly string[] {
  return text
    .split(/\r?\n/u)
    .map((line) => line.trim())
    .filter((line) => line !== '' && line !== BLOCK_BEGIN && line !== BLOCK_END && !/^#{1,6}\s/u.test(line));
}

/** On one line, cut to so many characters. */
function oneLine(text: string, characters: number): string {
  const flat = text.replace(/\s+/gu, ' ').trim();
  let end = 0;
  for (let count = 0; count < characters && end < flat.length; count += 1)
    end += flat.codePointAt(end)! > 0xffff ? 2 : 1;
  return flat.slice(0, end);
}

function withoutMarks(text: string): string {
  return text.replaceAll(/<\/?memory-context>/giu, ' ');
}
