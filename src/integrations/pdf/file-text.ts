/**
 * The text of a file: decodes it, removes terminal escapes such as colours, and refuses what is binary. Other control
 * characters stay; `fonts.ts` shows them.
 */
import { DocumentError } from '../../ports/documents.ts';

/**
 * Reads UTF-8, UTF-16 with a byte order mark, or Latin-1. Throws `DocumentError` for other bytes, for a NUL, and for
 * text in which more than one character in `CHARACTERS_PER_CONTROL` is a control character.
 */
export function textOfFile(bytes: Buffer): string {
  const text = decoded(bytes).replace(ESCAPES, '');
  const controls = text.match(CONTROLS)?.length ?? 0;
  if (text.includes('\0') || controls * CHARACTERS_PER_CONTROL > text.length) throw notText();
  return text;
}

const CHARACTERS_PER_CONTROL = 3;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters other than white space.
const CONTROLS = /[\0-\x08\x0e-\x1f\x7f-\x9f]/g;

/**
 * Escape sequences of ECMA-48: control sequences; strings such as titles and links, which end on their line with BEL or
 * ST; and escapes of two bytes. An unfinished one is left. No part can match in two ways, so the time is linear.
 */
const ESCAPES = new RegExp(
  [
    '(?:\\x1b\\[|\\x9b)[0-?]*[ -/]*[@-~]',
    '(?:\\x1b[\\]PX^_]|[\\x90\\x98\\x9d-\\x9f])[^\\x07\\x1b\\x9c\\r\\n]*(?:\\x07|\\x1b\\\\|\\x9c)',
    '\\x1b[ -/]+[0-~]',
    '\\x1b[0-OQ-WYZ\\\\`-~]',
  ].join('|'),
  'g',
);

function decoded(bytes: Buffer): string {
  const mark = bytes.subarray(0, 2).toString('hex');
  if (mark === 'fffe' || mark === 'feff') {
    return new TextDecoder(mark === 'fffe' ? 'utf-16le' : 'utf-16be').decode(bytes);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const latin = bytes.toString('latin1');
    if (/[\x7f-\x9f]/.test(latin)) throw notText();
    return latin;
  }
}

function notText(): DocumentError {
  return new DocumentError('unsupported_media', 'The input is not text.');
}
