/** JSON texts, and what may stand before them. */

const BYTE_ORDER_MARK = '\uFEFF';

/** The text without the byte order mark that some programs begin a text with. JSON lets a reader ignore it. */
export function withoutByteOrderMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

/** The value of a JSON text; undefined for any other text. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
