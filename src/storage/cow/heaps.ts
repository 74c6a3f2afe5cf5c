/**
 * Buffers of leaves, lent and taken back: random writes outgrow buffers so often that leaving them to the garbage
 * collector would double the memory in use.
 *
 * - A buffer comes back only from a leaf that nobody else can see.
 */

const STEP_BYTES = 1024;
const POOLED_BYTES_MAX = 65_536;
const KEPT_PER_SIZE = 32;

const kept: Uint8Array[][] = [];

/** A buffer of at least `bytes`, contents undefined. */
export function takeHeap(bytes: number): Uint8Array {
  const size = Math.ceil(bytes / STEP_BYTES);
  return kept[size]?.pop() ?? new Uint8Array(size * STEP_BYTES);
}

export function giveHeap(heap: Uint8Array): void {
  if (heap.length > POOLED_BYTES_MAX || heap.length % STEP_BYTES !== 0 || heap.length === 0) return;
  const size = heap.length / STEP_BYTES;
  kept[size] ??= [];
  if (kept[size].length < KEPT_PER_SIZE) kept[size].push(heap);
}

const POOL_BYTES = 8192;
const POOL_COPY_BYTES_MAX = 2048;
let pool = new Uint8Array(POOL_BYTES);
let poolAt = 0;

/** A copy of `bytes[start, end)` that stays valid for ever; short ones share a small buffer. */
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
