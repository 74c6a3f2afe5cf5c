/** Encoding and decoding of nodes as pages (`docs/formats/cow.md`, "Bytes"). No I/O. */
import { copyRange } from '../copies.ts';
import { readU16, readU32, writeU16, writeU32 } from '../integers.ts';
import { Branch, NodeRef, type TreeNode } from './branch.ts';
import { entryBytesAt, valueSizeAt, valueStartAt } from './entries.ts';
import {
  ENTRY_HEADER_BYTES,
  getReference,
  OFFSET_BYTES,
  PAGE_HEADER_BYTES,
  type PageHeader,
  putReference,
  REFERENCE_BYTES,
  SEPARATOR_SIZE_BYTES,
} from './format.ts';
import { Leaf } from './leaf.ts';
import { ValueRef } from './value-ref.ts';

/** Writes the content of a node after the header of `page`. Its children and values must have been written before. */
export function encodeNode(node: TreeNode, page: Uint8Array): void {
  if (node instanceof Branch) encodeBranch(node, page);
  else encodeLeaf(node, page);
}

/**
 * The node of a page whose header has been checked, or a sentence that describes the damage. The node keeps and changes
 * the page's bytes.
 */
export function decodeNode(page: Uint8Array, header: PageHeader, length: number): TreeNode | string {
  if (header.kind === 'leaf' && header.level === 0) return decodeLeaf(page, header.count, length);
  if (header.kind === 'branch' && header.level > 0) return decodeBranch(page, header, length);
  return `a ${header.kind} page of level ${header.level} is no node`;
}

function encodeLeaf(leaf: Leaf, page: Uint8Array): void {
  const heapStart = PAGE_HEADER_BYTES + OFFSET_BYTES * leaf.count;
  if (leaf.dead === 0) page.set(leaf.heap.subarray(leaf.start, leaf.used), heapStart);
  let end = heapStart;
  for (let index = 0; index < leaf.count; index += 1) {
    const from = leaf.offset(index);
    let at = heapStart + from - leaf.start;
    if (leaf.dead > 0) {
      at = end;
      end += entryBytesAt(leaf.heap, from);
      copyRange(page, at, { bytes: leaf.heap, start: from, end: from + end - at });
    }
    writeU32(page, PAGE_HEADER_BYTES + OFFSET_BYTES * index, at - heapStart);
    const value = leaf.valueRefAt(index);
    if (value !== null) putReference(page, valueStartAt(page, at), value);
  }
}

function decodeLeaf(page: Uint8Array, count: number, length: number): Leaf | string {
  const heapStart = PAGE_HEADER_BYTES + OFFSET_BYTES * count;
  const leaf = new Leaf(page, count);
  leaf.start = heapStart;
  leaf.used = length;
  leaf.count = count;
  const half = leaf.slots.length >> 1;
  for (let index = 0; index < count; index += 1) {
    const offset = heapStart + readU32(page, PAGE_HEADER_BYTES + OFFSET_BYTES * index);
    if (offset + ENTRY_HEADER_BYTES > length) return `entry ${index} lies outside its leaf`;
    if (offset + entryBytesAt(page, offset) > length) return `entry ${index} ends outside its leaf`;
    leaf.slots[half + index] = offset;
    if (valueSizeAt(page, offset) >= 0) continue;
    leaf.values ??= [];
    const at = valueStartAt(page, offset);
    const value = ValueRef.onDisk(getReference(page, at));
    writeU32(page, at, leaf.values.push(value) - 1);
  }
  leaf.rebuildHeads();
  return leaf;
}

function encodeBranch(branch: Branch, page: Uint8Array): void {
  let at = PAGE_HEADER_BYTES;
  for (const child of branch.children) {
    putReference(page, at, child);
    at += REFERENCE_BYTES;
  }
  for (const separator of branch.separators) {
    writeU16(page, at, separator.length - 1);
    at += SEPARATOR_SIZE_BYTES;
  }
  for (const separator of branch.separators) {
    page.set(separator, at);
    at += separator.length;
  }
}

function decodeBranch(page: Uint8Array, header: PageHeader, length: number): Branch | string {
  const { count, level } = header;
  const sizesAt = PAGE_HEADER_BYTES + count * REFERENCE_BYTES;
  let at = sizesAt + (count - 1) * SEPARATOR_SIZE_BYTES;
  if (count === 0 || at > length) return 'the children lie outside their branch';
  const children = Array.from({ length: count }, (_, index) =>
    NodeRef.onDisk(getReference(page, PAGE_HEADER_BYTES + index * REFERENCE_BYTES), level - 1),
  );
  const separators: Uint8Array[] = [];
  for (let index = 0; index < count - 1; index += 1) {
    const size = readU16(page, sizesAt + index * SEPARATOR_SIZE_BYTES) + 1;
    separators.push(page.slice(at, at + size));
    at += size;
  }
  return at === length ? new Branch(level, children, separators) : 'the separators do not fill their branch';
}
