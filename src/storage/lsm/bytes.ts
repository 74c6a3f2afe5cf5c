/**
 * Byte operations of the `lsm` engine: order, hash and variable-length integers.
 *
 * - Order is unsigned byte order; a prefix sorts before longer keys.
 * - Varints are canonical (shortest form), so their length follows from their value: `readVarint` returns the value,
 *   `varintBytes` its length. Values are below 2^53.
 */

/** Negative, zero or positive as `a` sorts before, equal to or after `b`. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  return compareWithPart(a, b, 0, b.length);
}

/** Compares `a` with `bytes[start, end)`, without creating a view. */
export function compareWithPart(a: Uint8Array, bytes: Uint8Array, start: number, end: number): number {
  const partLength = end - start;
  const length = a.length < partLength ? a.length : partLength;
  for (let at = 0; at < length; at += 1) {
    const difference = a[at]! - bytes[start + at]!;
    if (difference !== 0) return difference;
  }
  return a.length - partLength;
}

/** A key in a larger array. */
export interface KeyRange {
  readonly keyBytes: Uint8Array;
  readonly keyStart: number;
  readonly keyEnd: number;
}

/** Compares two keys in larger arrays. */
export function compareKeys(a: KeyRange, b: KeyRange): number {
  const { keyBytes, keyStart } = a;
  const { keyBytes: others, keyStart: otherStart } = b;
  const length = a.keyEnd - keyStart;
  const otherLength = b.keyEnd - otherStart;
  const limit = length < otherLength ? length : otherLength;
  for (let at = 0; at < limit; at += 1) {
    const difference = keyBytes[keyStart + at]! - others[otherStart + at]!;
    if (difference !== 0) return difference;
  }
  return length - otherLength;
}

/** MurmurHash3 (32 bits, seed 0). Part of the table format: the bloom filters depend on it. */
export function hashKey(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0;
  let at = start;
  for (const last = end - 3; at < last; at += 4) {
    const word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    hash ^= scramble(word);
    hash = (hash << 13) | (hash >>> 19);
    hash = (Math.imul(hash, 5) + 0xe6546b64) | 0;
  }
  let tail = 0;
  for (let shift = 0; at < end; at += 1, shift += 8) tail |= bytes[at]! << shift;
  hash ^= scramble(tail) ^ (end - start);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function scramble(word: number): number {
  const mixed = Math.imul(word, 0xcc9e2d51);
  return Math.imul((mixed << 15) | (mixed >>> 17), 0x1b873593);
}

/** The number of bytes of a varint: 1 to 8. */
export function varintBytes(value: number): number {
  if (value < 0x80) return 1;
  if (value < 0x4000) return 2;
  if (value < 0x20_0000) return 3;
  if (value < 0x1000_0000) return 4;
  return 4 + varintBytes(Math.floor(value / 0x1000_0000));
}

/** The offset after the varint at `at`. */
export function varintEnd(bytes: Uint8Array, at: number): number {
  let end = at;
  while (bytes[end]! >= 0x80) end += 1;
  return end + 1;
}

/** The value of the varint at `at`. */
export function readVarint(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!;
  return first < 0x80 ? first : readLongVarint(bytes, at);
}

/** A separate function, so that the one-byte form is inlined into its callers and takes a third of the time. */
function readLongVarint(bytes: Uint8Array, at: number): number {
  let value = 0;
  let scale = 1;
  for (let next = at; next < at + 8; next += 1) {
    const byte = bytes[next]!;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) break;
    scale *= 0x80;
  }
  return value;
}

/** Writes `value` at `at` and returns the offset after it. */
export function writeVarint(bytes: Uint8Array, at: number, value: number): number {
  let rest = value;
  let end = at;
  while (rest >= 0x80) {
    bytes[end] = (rest % 0x80) | 0x80;
    rest = Math.floor(rest / 0x80);
    end += 1;
  }
  bytes[end] = rest;
  return end + 1;
}
