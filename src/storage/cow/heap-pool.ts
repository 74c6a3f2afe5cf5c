/**
 * Buffers of leaves, lent and taken back: random writes outgrow buffers so often that leaving them to the garbage
 * collector would double the memory in use.
 *
 * - A buffer comes back only from a leaf that nobody else can see.
 */

/** Sizes go up in steps: few sizes, so that what one leaf gives back fits the next. */
const STEP_BYTES = 1024;
const LENT_BYTES_MAX = 65_536;
const KEPT_BYTES_MAX = 8_388_608;

/** By size in steps. */
const kept: Uint8Array[][] = [];
let keptBytes = 0;

/** A buffer of at least `bytes`, contents undefined. */
export function borrowHeap(bytes: number): Uint8Array {
  const steps = Math.max(1, Math.ceil(bytes / STEP_BYTES));
  const heap = kept[steps]?.pop();
  if (heap === undefined) return new Uint8Array(steps * STEP_BYTES);
  keptBytes -= heap.length;
  return heap;
}

export function returnHeap(heap: Uint8Array): void {
  const isOurs = heap.length % STEP_BYTES === 0 && heap.length > 0 && heap.length <= LENT_BYTES_MAX;
  if (!isOurs || keptBytes + heap.length > KEPT_BYTES_MAX) return;
  const steps = heap.length / STEP_BYTES;
  kept[steps] ??= [];
  kept[steps].push(heap);
  keptBytes += heap.length;
}
