/**
 * Escape sequences of terminals (ECMA-48): control sequences; strings such as titles and links, which end on their line
 * with BEL or ST; and escapes of two bytes. An unfinished one is left.
 *
 * - No part can match in two ways, and no string contains the beginning of another, so the time is linear. Node's
 *   `stripVTControlCharacters` takes quadratic time for links without an end.
 */
const ESCAPE_SEQUENCES = new RegExp(
  [
    '(?:\\x1b\\[|\\x9b)[0-?]*[ -/]*[@-~]',
    '(?:\\x1b[\\]PX^_]|[\\x90\\x98\\x9d-\\x9f])[^\\x07\\x1b\\x90\\x98\\x9c-\\x9f\\r\\n]*(?:\\x07|\\x1b\\\\|\\x9c)',
    '\\x1b[ -/]+[0-~]',
    '\\x1b[0-OQ-WYZ\\\\`-~]',
  ].join('|'),
  'g',
);

export function withoutEscapeSequences(text: string): string {
  return text.replace(ESCAPE_SEQUENCES, '');
}
