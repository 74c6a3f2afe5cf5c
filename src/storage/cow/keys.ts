/**
 * Comparing keys where they lie: ranges of byte arrays, no objects made.
 *
 * A *head* is the four bytes of a key behind the prefix that all keys of a node share, as a signed number in byte order:
 * most searches are decided by heads alone.
 */

/** A key as a range of some bytes. Reused: whoever needs it longer copies the key. */
export interface Probe {
  bytes: Uint8Array;
  start: number;
  end: number;
}

/** The head of the key that ends at `end`, taken from `start`; zeros stand for what is missing, so equal heads decide nothing. */
export function headOf(bytes: Uint8Array, start: number, end: number): number {
  if (end - start >= 4) {
    const word = (bytes[start]! << 24) | (bytes[start + 1]! << 16) | (bytes[start + 2]! << 8) | bytes[start + 3]!;
    return word ^ 0x80000000;
  }
  let head = 0;
  for (let at = start; at < start + 4; at += 1) head = (head << 8) | (at < end ? bytes[at]! : 0);
  return head ^ 0x80000000;
}

/** Negative, zero or positive as the key in `probe` is before, equal to or behind `key`; `skip` bytes are known equal. */
export function compareProbe(probe: Probe, key: Probe, skip: number): number {
  const { bytes, start } = probe;
  const other = key.bytes;
  const otherStart = key.start;
  const size = probe.end - start;
  const otherSize = key.end - otherStart;
  const shared = size < otherSize ? size : otherSize;
  for (let at = skip; at < shared; at += 1) {
    const difference = bytes[start + at]! - other[otherStart + at]!;
    if (difference !== 0) return difference;
  }
  return size - otherSize;
}

export function wholeKey(bytes: Uint8Array): Probe {
  return { bytes, start: 0, end: bytes.length };
}

export function compareKeys(a: Uint8Array, b: Uint8Array): number {
  return compareProbe(wholeKey(a), wholeKey(b), 0);
}

/** How many bytes two keys have in common from their beginning. */
export function sharedBytes(a: Probe, b: Probe): number {
  const length = Math.min(a.end - a.start, b.end - b.start);
  let at = 0;
  while (at < length && a.bytes[a.start + at] === b.bytes[b.start + at]) at += 1;
  return at;
}

/** The shortest prefix of `right` that is greater than `left`; `left` must be less than `right`. */
export function separatorBetween(left: Probe, right: Probe): Uint8Array {
  return right.bytes.slice(right.start, right.start + sharedBytes(left, right) + 1);
}
