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

/** The first whole number of a JSON text that `JSON.parse` rounds to another one. */
export function roundedInteger(json: string): string | undefined {
  if (!/\d{16}/.test(json)) return undefined;
  const tokens = json.replace(/\\./gs, '').match(/"[^"]*"|-?\d[\d.eE+-]*/g) ?? [];
  return tokens.find((token) => /^-?\d{16,308}$/.test(token) && BigInt(token) !== BigInt(Number(token)));
}
