/**
 * Comparison of keys in place, as ranges of byte arrays, without allocation.
 *
 * A *head* is the four bytes of a key after the prefix that all keys of a node share, as a signed number that sorts
 * like the bytes. Most searches need only heads.
 */

/** A key as a range of bytes. Probe objects are reused: a caller that keeps the key copies it. */
export interface Probe {
  bytes: Uint8Array;
  start: number;
  end: number;
}

/** A probe that is the whole array. */
export function wholeKey(bytes: Uint8Array): Probe {
  return { bytes, start: 0, end: bytes.length };
}

/**
 * The head that begins at `start` of a key that ends at `end`, padded with zeros. Equal heads do not imply equal keys.
 */
export function headOf(bytes: Uint8Array, start: number, end: number): number {
  if (end - start >= 4) {
    const word = (bytes[start]! << 24) | (bytes[start + 1]! << 16) | (bytes[start + 2]! << 8) | bytes[start + 3]!;
    return word ^ 0x80000000;
  }
  let head = 0;
  for (let at = start; at < start + 4; at += 1) head = (head << 8) | (at < end ? bytes[at]! : 0);
  return head ^ 0x80000000;
}

/** Index of the first of `count` sorted heads that is not less than `head`. */
export function firstHead(heads: Int32Array, count: number, head: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (heads[middle]! < head) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Negative, zero or positive as `a` sorts before, equal to or after `b`. Their first `skip` bytes must be equal. */
export function compareProbes(a: Probe, b: Probe, skip: number): number {
  const from = a.bytes;
  const other = b.bytes;
  const aStart = a.start;
  const bStart = b.start;
  const aSize = a.end - aStart;
  const bSize = b.end - bStart;
  const shared = aSize < bSize ? aSize : bSize;
  for (let at = skip; at < shared; at += 1) {
    const difference = from[aStart + at]! - other[bStart + at]!;
    if (difference !== 0) return difference;
  }
  return aSize - bSize;
}

/** Length of the longest common prefix of two keys. */
export function sharedBytes(a: Probe, b: Probe): number {
  const length = Math.min(a.end - a.start, b.end - b.start);
  let at = 0;
  while (at < length && a.bytes[a.start + at] === b.bytes[b.start + at]) at += 1;
  return at;
}

/** Negative or positive when the key sorts before or after all keys with the prefix; 0 when it has the prefix too. */
export function sideOfPrefix(probe: Probe, prefix: Probe): number {
  const size = prefix.end - prefix.start;
  const length = Math.min(size, probe.end - probe.start);
  for (let at = 0; at < length; at += 1) {
    const difference = probe.bytes[probe.start + at]! - prefix.bytes[prefix.start + at]!;
    if (difference !== 0) return difference;
  }
  return length < size ? -1 : 0;
}

/** The shortest prefix of `right` that is greater than `left`; `left` must be less than `right`. */
export function separatorBetween(left: Probe, right: Probe): Uint8Array {
  return right.bytes.slice(right.start, right.start + sharedBytes(left, right) + 1);
}
