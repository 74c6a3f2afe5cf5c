/** The layout of a leaf entry: `u16 key size − 1 | u32 value size | key | value`, little-endian. */
import type { EncodedChange } from '../batch.ts';
import { copyRange } from '../copies.ts';
import { readU16, readU32, writeU16, writeU32 } from '../integers.ts';
import { ENTRY_HEADER_BYTES, OWN_PAGE, REFERENCE_BYTES, VALUE_INLINE_BYTES_MAX } from './format.ts';

/** The key size, in bytes, of the entry at `offset`. */
export function keySizeAt(heap: Uint8Array, offset: number): number {
  return readU16(heap, offset) + 1;
}

/** The value size of the entry at `offset`; negative when the value has its own page. */
export function valueSizeAt(heap: Uint8Array, offset: number): number {
  return readU32(heap, offset + 2) | 0;
}

/** Size of the entry in the heap. */
export function entryBytesAt(heap: Uint8Array, offset: number): number {
  const size = valueSizeAt(heap, offset);
  return ENTRY_HEADER_BYTES + keySizeAt(heap, offset) + (size < 0 ? REFERENCE_BYTES : size);
}

/** Offset of the entry's value. */
export function valueStartAt(heap: Uint8Array, offset: number): number {
  return offset + ENTRY_HEADER_BYTES + keySizeAt(heap, offset);
}

/** Whether the value is too large for the leaf. */
export function hasOwnPage(change: EncodedChange): boolean {
  return change.valueEnd - change.valueStart > VALUE_INLINE_BYTES_MAX;
}

/** Size of the entry that `putEntry` writes for a change. */
export function changeBytes(change: EncodedChange): number {
  const value = hasOwnPage(change) ? REFERENCE_BYTES : change.valueEnd - change.valueStart;
  return ENTRY_HEADER_BYTES + change.keyEnd - change.keyStart + value;
}

/** Writes the entry of a change; `ownPage` is the index of its value page, or -1 when the value is in the entry. */
export function putEntry(heap: Uint8Array, at: number, change: EncodedChange, ownPage: number): void {
  const { bytes, keyStart, keyEnd, valueStart, valueEnd } = change;
  const keySize = keyEnd - keyStart - 1;
  writeU16(heap, at, keySize);
  const valueSize = valueEnd - valueStart;
  writeU32(heap, at + 2, ownPage < 0 ? valueSize : valueSize | OWN_PAGE);
  copyRange(heap, at + ENTRY_HEADER_BYTES, { bytes, start: keyStart, end: keyEnd });
  const valueAt = at + ENTRY_HEADER_BYTES + keySize + 1;
  if (ownPage < 0) {
    copyRange(heap, valueAt, { bytes, start: valueStart, end: valueEnd });
    return;
  }
  writeU32(heap, valueAt, ownPage);
  heap.fill(0, valueAt + 4, valueAt + REFERENCE_BYTES);
}
