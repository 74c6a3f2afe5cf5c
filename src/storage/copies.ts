/** Copies of byte ranges, and arrays that grow. */

/** Short copies share buffers of this size. */
const POOL_BYTES = 8192;
const POOL_COPY_BYTES_MAX = 2048;
let pool = new Uint8Array(POOL_BYTES);
let poolAt = 0;

/**
 * A copy of `bytes[start, end)` that is never overwritten. Short copies share a pooled buffer: with a buffer each, a
 * read of a small entry would take 1.3 (`cow`, `lsm`) to 2.5 times as long (`hot-entries.ts`).
 */
export function copyOut(bytes: Uint8Array, start: number, end: number): Uint8Array {
  const length = end - start;
  if (length > POOL_COPY_BYTES_MAX) return bytes.slice(start, end);
  if (poolAt + length > POOL_BYTES) {
    pool = new Uint8Array(POOL_BYTES);
    poolAt = 0;
  }
  const copy = new Uint8Array(pool.buffer, poolAt, length);
  copy.set(new Uint8Array(bytes.buffer, bytes.byteOffset + start, length));
  poolAt += (length + 7) & ~7;
  return copy;
}

/** Copies a range of other bytes into `into`, beginning at `at`, and returns the offset after the copy. */
export function copyRange(
  into: Uint8Array,
  at: number,
  range: { readonly bytes: Uint8Array; readonly start: number; readonly end: number },
): number {
  const { bytes, start, end } = range;
  into.set(bytes.subarray(start, end), at);
  return at + end - start;
}

/** `bytes`, or a copy of at least twice its size when it has no room for `needed` bytes. */
export function withRoom(bytes: Uint8Array<ArrayBuffer>, needed: number): Uint8Array<ArrayBuffer> {
  if (needed <= bytes.length) return bytes;
  const larger = new Uint8Array(Math.max(needed, bytes.length * 2));
  larger.set(bytes);
  return larger;
}
