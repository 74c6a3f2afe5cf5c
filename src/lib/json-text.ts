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

/** What to say of a file whose field `format` is a later number than the known one; null for any other value. */
export function laterFormat(value: unknown, known: number): string | null {
  const { format } = (value ?? {}) as { readonly format?: unknown };
  if (typeof format !== 'number' || format <= known) return null;
  return `has format ${format}; this program reads format ${known}. Use the program that wrote it.`;
}

/** A whole number so long that it may be rounded, perhaps inside a text. */
const LONG_INTEGER = /(?<![\w.])\d{16,308}(?![\w.])/;

interface Context {
  /** The text of a value that is no object and no array. */
  readonly source?: string;
}

/** The value of a JSON text, with each whole number that `JSON.parse` rounds as the text that it is. */
export function parsedExactly(json: string): unknown {
  if (!LONG_INTEGER.test(json)) return JSON.parse(json);
  return JSON.parse(json, (_key, value: unknown, context?: Context) => roundedOf(value, context) ?? value);
}

/** The first whole number of a JSON text that `JSON.parse` rounds. */
export function roundedInteger(json: string): string | undefined {
  if (!LONG_INTEGER.test(json)) return undefined;
  let first: string | undefined;
  JSON.parse(json, (_key, value: unknown, context?: Context) => {
    first ??= roundedOf(value, context);
    return value;
  });
  return first;
}

function roundedOf(value: unknown, { source = '' }: Context = {}): string | undefined {
  const isWhole = typeof value === 'number' && /^-?\d{16,308}$/.test(source);
  return isWhole && BigInt(source) !== BigInt(value) ? source : undefined;
}
