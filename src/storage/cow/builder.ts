/**
 * Writes a complete page file from entries in key order, with full leaves: for creation, backup and compaction.
 *
 * - The file contains the given entries and nothing else.
 * - When `finish` resolves, the file is complete and synced, and both meta pages name the same tree.
 */
import { Branch, NodeRef, type TreeNode } from './branch.ts';
import { entryBytesAt } from './entries.ts';
import {
  BRANCH_BYTES_MAX,
  BRANCH_CHILDREN_MIN,
  LEAF_BYTES_MAX,
  LEAF_ENTRIES_MIN,
  type Meta,
  OFFSET_BYTES,
  PAGE_HEADER_BYTES,
  REFERENCE_BYTES,
  SEPARATOR_SIZE_BYTES,
  UNIT_BYTES,
  unitsOf,
} from './format.ts';
import { borrowHeap } from './heap-pool.ts';
import { type Probe, separatorBetween, wholeKey } from './keys.ts';
import { Leaf } from './leaf.ts';
import type { PageFile } from './page-file.ts';
import { UnitAllocator } from './unit-allocator.ts';
import { ValueRef } from './value-ref.ts';

const CHECKPOINT = 1;
/** A leaf that is at least half full is closed when no more than this is left of its last unit. */
const CLOSE_BYTES = UNIT_BYTES / 16;

/** The branch being filled on one level. */
interface OpenBranch {
  /** The separator before its first child; null for the first branch of its level. */
  readonly opening: Uint8Array | null;
  readonly children: NodeRef[];
  readonly separators: Uint8Array[];
}

/** Writes a page file from entries that are added in key order. */
export class TreeBuilder {
  readonly #file: PageFile;
  readonly #keysMax: number;
  readonly #units = UnitAllocator.fresh();
  /** The open branches, by the level of their children. */
  readonly #branches: OpenBranch[] = [];
  /** Values of the open leaf that are already in this file. */
  readonly #written = new Set<ValueRef>();
  #leaf = emptyLeaf();
  #lastKey: Uint8Array | null = null;
  #keys = 0;
  #bytes = 0;

  constructor(file: PageFile, keysMax: number) {
    this.#file = file;
    this.#keysMax = keysMax;
  }

  get bytesWritten(): number {
    return this.#units.length * UNIT_BYTES;
  }

  /** Adds all entries of a leaf of another tree; their keys must be greater than all keys added before. */
  add(source: Leaf, readValue: (value: ValueRef) => Uint8Array): void {
    let from = 0;
    while (from < source.count) {
      const to = this.#fitting(source, from);
      if (to > from) this.#leaf.appendFrom(source, from, to);
      for (let index = from; index < to; index += 1) this.#bytes += source.dataBytes(index);
      this.#keys += to - from;
      this.#copyValues(readValue);
      from = to;
      if (from < source.count) this.#closeLeaf();
    }
  }

  /** Writes the rest and both meta pages; `sequence` is the newest commit that the entries contain. */
  async finish(sequence: number): Promise<Meta> {
    if (this.#leaf.count > 0 || this.#branches.length === 0) this.#closeLeaf();
    const root = this.#closeBranches();
    const freeMap = { unit: 0, length: 0, crc: 0 };
    const bytes = new Uint8Array(UnitAllocator.mapBytes(this.#units.length) + UNIT_BYTES / 8);
    const place = this.#take(PAGE_HEADER_BYTES + bytes.length);
    bytes.set(this.#units.mapWithout([]));
    this.#file.writeBytes(freeMap, bytes, { kind: 'free map', ...place });
    const counts = { keys: this.#keys, bytes: this.#bytes, units: this.#units.length };
    const meta = { checkpoint: CHECKPOINT, sequence, ...counts, root, freeMap, levels: root.level };
    this.#file.writeMeta({ ...meta, checkpoint: CHECKPOINT - 1 });
    this.#file.writeMeta(meta);
    await this.#file.sync();
    return meta;
  }

  /** The end of the range of the source's entries, beginning at `from`, that fits the open leaf. */
  #fitting(source: Leaf, from: number): number {
    let bytes = this.#leaf.pageBytes;
    let count = this.#leaf.count;
    for (let index = from; index < source.count; index += 1) {
      const next = bytes + OFFSET_BYTES + entryBytesAt(source.heap, source.offset(index));
      const isTooLong = next > LEAF_BYTES_MAX && count >= LEAF_ENTRIES_MIN;
      if (count >= this.#keysMax || isTooLong || this.#wouldWasteUnit(count, bytes, next)) return index;
      bytes = next;
      count += 1;
    }
    return source.count;
  }

  /** Whether one more entry would begin a new unit while the last one is nearly full. */
  #wouldWasteUnit(count: number, bytes: number, next: number): boolean {
    const isHalf = count * 2 >= this.#keysMax || bytes * 2 >= LEAF_BYTES_MAX;
    return isHalf && unitsOf(next) > unitsOf(bytes) && unitsOf(bytes) * UNIT_BYTES - bytes <= CLOSE_BYTES;
  }

  /** Copies large values of the source file to pages of this file. */
  #copyValues(readValue: (value: ValueRef) => Uint8Array): void {
    const { values } = this.#leaf;
    if (values === null) return;
    for (let index = 0; index < values.length; index += 1) {
      const value = values[index];
      if (value === undefined || this.#written.has(value)) continue;
      const copy = new ValueRef(null, value.length);
      this.#file.writeBytes(copy, readValue(value), { kind: 'value', ...this.#take(value.length) });
      this.#written.add(copy);
      values[index] = copy;
    }
  }

  #closeLeaf(): void {
    const leaf = this.#leaf;
    const separator = this.#lastKey === null ? null : separatorBetween(wholeKey(this.#lastKey), leaf.keyAt(0, probe));
    if (leaf.count > 0) this.#lastKey = copyOf(leaf.keyAt(leaf.count - 1, probe));
    this.#addNode(leaf, separator);
    leaf.discard();
    this.#leaf = emptyLeaf();
    this.#written.clear();
  }

  /** Writes a node and adds it to the open branch one level up; closes that branch first if it is full. */
  #addNode(node: TreeNode, separator: Uint8Array | null): NodeRef {
    const ref = new NodeRef(node.level, null, 0);
    this.#file.writeNode(ref, node, this.#take(node.pageBytes));
    const above = this.#branches[node.level];
    if (above === undefined) {
      this.#branches.push({ opening: null, children: [ref], separators: [] });
      return ref;
    }
    if (above.children.length < this.#keysMax && !isFull(above)) {
      above.children.push(ref);
      above.separators.push(separator!);
      return ref;
    }
    this.#branches[node.level] = { opening: separator, children: [ref], separators: [] };
    this.#addNode(new Branch(node.level + 1, above.children, above.separators), above.opening);
    return ref;
  }

  /** Closes the open branches from the lowest level up and returns the root. */
  #closeBranches(): NodeRef {
    for (let level = 0; ; level += 1) {
      const { opening, children, separators } = this.#branches[level]!;
      const isTop = level === this.#branches.length - 1;
      if (isTop && children.length === 1) return children[0]!;
      this.#addNode(new Branch(level + 1, children, separators), opening);
    }
  }

  #take(length: number): { readonly unit: number; readonly checkpoint: number } {
    return { unit: this.#units.take(unitsOf(length)), checkpoint: CHECKPOINT };
  }
}

const probe: Probe = { bytes: new Uint8Array(), start: 0, end: 0 };

function emptyLeaf(): Leaf {
  return new Leaf(borrowHeap(UNIT_BYTES), 0);
}

function copyOf({ bytes, start, end }: Probe): Uint8Array {
  return bytes.slice(start, end);
}

function isFull({ children, separators }: OpenBranch): boolean {
  if (children.length < BRANCH_CHILDREN_MIN) return false;
  const bytes = separators.reduce((sum, separator) => sum + SEPARATOR_SIZE_BYTES + separator.length, 0);
  return PAGE_HEADER_BYTES + children.length * REFERENCE_BYTES + bytes > BRANCH_BYTES_MAX / 2;
}
