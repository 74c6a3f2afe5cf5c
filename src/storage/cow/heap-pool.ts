/**
 * A pool of leaf heaps. Random writes outgrow heaps so often that leaving them to the garbage collector would double
 * the memory in use.
 *
 * - A heap is returned only by a leaf that no reader can see.
 */

/** Heaps come in few sizes, multiples of this, so that a returned heap fits another leaf. */
const STEP_BYTES = 1024;
/** Larger heaps are not pooled. */
const POOLED_BYTES_MAX = 65_536;
const KEPT_BYTES_MAX = 8_388_608;

/** Free heaps by size in steps. */
const kept: Uint8Array[][] = [];
let keptBytes = 0;

/** A heap of at least `bytes` bytes with undefined content. */
export function borrowHeap(bytes: number): Uint8Array {
  const steps = Math.max(1, Math.ceil(bytes / STEP_BYTES));
  const heap = kept[steps]?.pop();
  if (heap === undefined) return new Uint8Array(steps * STEP_BYTES);
  keptBytes -= heap.length;
  return heap;
}

/** Makes the heap available for another leaf; the caller must not use it any more. Heaps of odd sizes are dropped. */
export function returnHeap(heap: Uint8Array): void {
  const isPooled = heap.length % STEP_BYTES === 0 && heap.length > 0 && heap.length <= POOLED_BYTES_MAX;
  if (!isPooled || keptBytes + heap.length > KEPT_BYTES_MAX) return;
  const steps = heap.length / STEP_BYTES;
  kept[steps] ??= [];
  kept[steps].push(heap);
  keptBytes += heap.length;
}
