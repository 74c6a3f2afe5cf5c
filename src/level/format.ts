/**
 * Keys and values between the formats of abstract-level and the bytes of an engine.
 *
 * - An engine shares bytes with its cache and keeps the bytes of a commit, so bytes are copied in both directions.
 * - abstract-level has an empty key and an engine has none. A key that is empty or begins with a zero byte is stored
 *   behind one zero byte more; the order of keys stays the same.
 */
import type { Bytes } from '../storage/engine.ts';

/** A key or value as the private interface of abstract-level has it. */
export type Encoded = string | Uint8Array;

/** The formats that need no transcoder: text, `Buffer`, `Uint8Array`. */
export type Format = 'utf8' | 'buffer' | 'view';

/** A copy of a value as the engine stores it. */
export function toStoredValue(value: Encoded): Bytes {
  return typeof value === 'string' ? Buffer.from(value) : Buffer.from(value);
}

/** A copy of a key as the engine stores it. */
export function toStoredKey(key: Encoded): Bytes {
  const bytes = toStoredValue(key);
  return bytes.length === 0 || bytes[0] === 0 ? Buffer.concat([ZERO, bytes]) : bytes;
}

/** A copy of a stored value in a format of abstract-level. */
export function fromStoredValue(bytes: Bytes, format: Format): Encoded {
  switch (format) {
    case 'utf8':
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
    case 'buffer':
      return Buffer.from(bytes);
    case 'view':
      return new Uint8Array(bytes);
  }
}

/** A copy of a stored key in a format of abstract-level. */
export function fromStoredKey(key: Bytes, format: Format): Encoded {
  return fromStoredValue(key[0] === 0 ? key.subarray(1) : key, format);
}

const ZERO = Buffer.of(0);
