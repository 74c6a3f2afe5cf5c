/** Search for a key in a leaf: by heads first, by whole keys only where heads are equal. */
import { keySizeAt } from './entries.ts';
import { ENTRY_HEADER_BYTES } from './format.ts';
import { compareProbes, firstHead, headOf, type Probe, sideOfPrefix } from './keys.ts';
import type { Leaf } from './leaf.ts';

const entryKey: Probe = { bytes: new Uint8Array(), start: 0, end: 0 };

/** Index of the key, or `~index` of the place to insert it. */
export function findKey(leaf: Leaf, probe: Probe): number {
  const { slots, count, prefix } = leaf;
  if (count === 0) return ~0;
  const first = leaf.keyAt(0, entryKey);
  first.end = first.start + prefix;
  const side = sideOfPrefix(probe, first);
  if (side !== 0) return side < 0 ? ~0 : ~count;
  const head = headOf(probe.bytes, probe.start + prefix, probe.end);
  const low = firstHead(slots, count, head);
  if (low === count || slots[low] !== head) return ~low;
  return findAmongEqualHeads(leaf, probe, low);
}

/**
 * Index of the key, or -1. A fifth faster than `findKey`: it tests only equality, from the last byte backward, and so
 * needs neither the order of the keys nor their common prefix.
 */
export function lookupKey(leaf: Leaf, probe: Probe): number {
  const { slots, count, heap } = leaf;
  const { bytes, start, end } = probe;
  const head = headOf(bytes, start + leaf.prefix, end);
  const half = slots.length >> 1;
  for (let index = firstHead(slots, count, head); index < count && slots[index] === head; index += 1) {
    const keyStart = slots[half + index]! + ENTRY_HEADER_BYTES;
    if (keySizeAt(heap, keyStart - ENTRY_HEADER_BYTES) !== end - start) continue;
    let at = end - 1;
    const shift = keyStart - start;
    while (at >= start && bytes[at] === heap[at + shift]) at -= 1;
    if (at < start) return index;
  }
  return -1;
}

/** `findKey` among the entries with the head of `from`, the first of them; all share the leaf's prefix with the key. */
function findAmongEqualHeads(leaf: Leaf, probe: Probe, from: number): number {
  const { slots, count, prefix } = leaf;
  const order = compareProbes(probe, leaf.keyAt(from, entryKey), prefix);
  if (order <= 0) return order === 0 ? from : ~from;
  let low = from + 1;
  let high = low;
  while (high < count && slots[high] === slots[from]) high += 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    const side = compareProbes(probe, leaf.keyAt(middle, entryKey), prefix);
    if (side === 0) return middle;
    if (side > 0) low = middle + 1;
    else high = middle;
  }
  return ~low;
}
