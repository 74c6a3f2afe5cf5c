/**
 * The tree in memory: reads at any root, changes at the newest one by path copying.
 *
 * - An *epoch* ends when a reader (snapshot, iterator, checkpoint) takes the root: what was made before is never
 *   changed in place while a reader lives, so a reader sees one state for ever.
 * - A reference of the current epoch is not on disk; one that is on disk is of an earlier epoch.
 * - Every page that a change replaces is noted with the epoch of the change: readers of earlier epochs may need it.
 */
import type { EncodedChange } from '../batch.ts';
import { Branch, NodeRef, type TreeNode } from './branch.ts';
import type { NodeCache } from './cache.ts';
import { Finger } from './finger.ts';
import { BRANCH_BYTES_MAX, BRANCH_CHILDREN_MIN, LEAF_BYTES_MAX, LEAF_ENTRIES_MIN, type Reference } from './format.ts';
import { borrowHeap } from './heap-pool.ts';
import { type Probe, separatorBetween } from './keys.ts';
import { Leaf } from './leaf.ts';
import type { ValueRef } from './value-ref.ts';

/** A committed state: its root, and what it holds. */
export interface TreeState {
  readonly root: NodeRef;
  readonly keys: number;
  /** Sizes of all keys and values. */
  readonly bytes: number;
}

/** Somebody who reads a state; it stays readable until released. */
export interface TreeReader extends TreeState {
  readonly epoch: number;
}

/** A page that the newest state no longer reaches. */
export interface FreedPage {
  readonly page: Reference;
  /** Readers of earlier epochs than this may still need it. */
  readonly epoch: number;
}

/** Fingers, by the first byte of a key: kinds of keys that grow side by side do not push each other away. */
const FINGERS = 8;

const key: Probe = { bytes: new Uint8Array(), start: 0, end: 0 };
const otherKey: Probe = { bytes: new Uint8Array(), start: 0, end: 0 };

export class Tree implements TreeState {
  readonly cache: NodeCache;
  readonly #keysMax: number;
  root: NodeRef;
  keys: number;
  bytes: number;
  epoch = 0;
  /** Epoch of the checkpoint under way: what it froze counts as dirty until it is written. */
  frozenEpoch = -1;
  /**
   * Set while a checkpoint is under way: writes a frozen leaf to the page file at once, so that it can be changed
   * without being copied; false when it could not.
   */
  writeFrozen: ((leaf: NodeRef) => boolean) | null = null;
  freed: FreedPage[] = [];
  readonly readers = new Set<TreeReader>();
  readonly #fingers = Array.from({ length: FINGERS }, () => new Finger());
  /** The way to the leaf that is being changed. */
  #way = this.#fingers[0]!;
  /** Counts the changes of which nodes there are. */
  #shape = 0;

  constructor(cache: NodeCache, keysMax: number, state: TreeState | null) {
    this.cache = cache;
    this.#keysMax = keysMax;
    this.root = state?.root ?? new NodeRef(0, new Leaf(borrowHeap(1024), 0), 0);
    this.keys = state?.keys ?? 0;
    this.bytes = state?.bytes ?? 0;
    if (state === null) this.#countDirty(this.root);
  }

  /** Takes the newest state; give it back with `release`. */
  read(): TreeReader {
    const reader = { root: this.root, keys: this.keys, bytes: this.bytes, epoch: this.epoch };
    this.epoch += 1;
    this.readers.add(reader);
    return reader;
  }

  /** Another hold on a state that is held already. */
  retain(reader: TreeReader): TreeReader {
    const again = { ...reader };
    this.readers.add(again);
    return again;
  }

  release(reader: TreeReader): void {
    this.readers.delete(reader);
  }

  /** No reader is older than this: pages freed up to this epoch are needed by none. */
  get oldestEpoch(): number {
    let oldest = this.epoch;
    for (const reader of this.readers) oldest = Math.min(oldest, reader.epoch);
    return oldest;
  }

  /** The leaf of a state that would hold the key. */
  leafFor(root: NodeRef, probe: Probe): Leaf {
    if (root === this.root) {
      const finger = this.#fingerFor(probe);
      if (finger.leadsTo(probe, this.epoch, this.#shape)) return finger.leaf!.node as Leaf;
    }
    let ref = root;
    for (let level = root.level; level > 0; level -= 1) {
      const branch = (ref.node ?? this.cache.load(ref)) as Branch;
      ref.hot = true;
      ref = branch.children[branch.childIndex(probe)]!;
    }
    ref.hot = true;
    return (ref.node ?? this.cache.load(ref)) as Leaf;
  }

  apply(change: EncodedChange): void {
    key.bytes = change.bytes;
    key.start = change.keyStart;
    key.end = change.keyEnd;
    if (change.valueStart >= 0) this.#put(change);
    else this.#remove();
  }

  #put(change: EncodedChange): void {
    const ref = this.#ownLeaf();
    const leaf = ref.node as Leaf;
    const index = leaf.find(key);
    const size = change.valueEnd - change.valueStart;
    if (index >= 0) {
      this.bytes += change.keyEnd - change.keyStart + size - leaf.dataBytes(index);
      this.#freeValue(leaf.replace(index, change));
    } else {
      this.keys += 1;
      this.bytes += change.keyEnd - change.keyStart + size;
      leaf.insert(~index, change);
    }
    this.#recount(ref);
    if (leaf.count > this.#keysMax || isLong(leaf)) this.#split(ref);
  }

  #remove(): void {
    const found = this.leafFor(this.root, key).find(key);
    if (found < 0) return;
    const ref = this.#ownLeaf();
    const leaf = ref.node as Leaf;
    this.keys -= 1;
    this.bytes -= leaf.dataBytes(found);
    this.#freeValue(leaf.remove(found));
    this.#recount(ref);
    this.#shrink(ref);
  }

  /** The leaf for `key`, changeable, with the changeable path to it. */
  #ownLeaf(): NodeRef {
    const way = this.#fingerFor(key);
    this.#way = way;
    if (way.leadsTo(key, this.epoch, this.#shape)) return way.leaf!;
    way.begin();
    let ref = this.#own(this.root);
    this.root = ref;
    while (ref.level > 0) {
      const branch = ref.node as Branch;
      const index = branch.childIndex(key);
      way.descend(ref, index);
      ref = this.#ownChild(branch, index);
    }
    way.arrive(ref, this.epoch, this.#shape);
    return ref;
  }

  #fingerFor(probe: Probe): Finger {
    return this.#fingers[probe.bytes[probe.start]! % FINGERS]!;
  }

  #ownChild(branch: Branch, index: number): NodeRef {
    const child = branch.children[index]!;
    if (child.epoch === this.epoch) return child;
    const own = this.#own(child);
    branch.children[index] = own;
    return own;
  }

  /**
   * A version of the node that may be changed in place: itself, its node taken over when nobody reads it, or a copy.
   */
  #own(ref: NodeRef): NodeRef {
    if (ref.epoch === this.epoch) return ref;
    const isUnseen = this.isUnseen(ref) || this.#writtenEarly(ref);
    if (isUnseen && ref.unit === 0) {
      ref.epoch = this.epoch;
      return ref;
    }
    const node = ref.node ?? this.cache.load(ref);
    const own = new NodeRef(ref.level, isUnseen ? node : node.copy(), this.epoch);
    if (isUnseen) this.cache.release(ref);
    this.#replaced(ref);
    this.#countDirty(own);
    return own;
  }

  /** Whether no reader will look at this version again: a checkpoint has no more need of what it wrote. */
  isUnseen(ref: NodeRef): boolean {
    const { size } = this.readers;
    return size === 0 || (size === 1 && this.frozenEpoch >= 0 && ref.unit !== 0);
  }

  /** A leaf that only the checkpoint under way still wants is written ahead of its turn. */
  #writtenEarly(ref: NodeRef): boolean {
    const isFrozen = ref.level === 0 && ref.unit === 0 && ref.epoch <= this.frozenEpoch && this.readers.size === 1;
    return isFrozen && this.writeFrozen?.(ref) === true;
  }

  /** The newest state no longer reaches this version. */
  #replaced(ref: NodeRef): void {
    ref.isReplaced = true;
    this.freed.push({ page: ref, epoch: this.epoch });
    const isBeingWritten = ref.epoch <= this.frozenEpoch;
    if (ref.unit === 0 && !isBeingWritten) this.cache.dirtyBytes -= ref.bytes;
  }

  /** A version of this epoch is gone: only memory knew it. */
  #discard(ref: NodeRef): void {
    this.cache.dirtyBytes -= ref.bytes;
    if (ref.node instanceof Leaf) ref.node.discard();
    ref.node = null;
  }

  #freeValue(value: ValueRef | null): void {
    if (value === null) return;
    this.freed.push({ page: value, epoch: this.epoch });
  }

  #countDirty(ref: NodeRef): void {
    ref.bytes = ref.node!.memoryBytes;
    this.cache.dirtyBytes += ref.bytes;
  }

  #recount(ref: NodeRef): void {
    const bytes = ref.node!.memoryBytes;
    this.cache.dirtyBytes += bytes - ref.bytes;
    ref.bytes = bytes;
  }

  /** Divides a leaf that has grown too large, then its parents as far as they grow too large by it. */
  #split(leafRef: NodeRef): void {
    const leaf = leafRef.node as Leaf;
    const right = leaf.split();
    const separator = separatorBetween(leaf.keyAt(leaf.count - 1, key), right.keyAt(0, otherKey));
    this.#shape += 1;
    this.#addSibling(leafRef, { separator, right, depth: this.#way.depth - 1 });
  }

  #addSibling(
    left: NodeRef,
    added: { readonly separator: Uint8Array; readonly right: TreeNode; readonly depth: number },
  ): void {
    const { separator, right, depth } = added;
    const sibling = new NodeRef(left.level, right, this.epoch);
    this.#countDirty(sibling);
    this.#recount(left);
    if (depth < 0) {
      this.root = new NodeRef(left.level + 1, new Branch(left.level + 1, [left, sibling], [separator]), this.epoch);
      this.#countDirty(this.root);
      return;
    }
    const parentRef = this.#way.path[depth]!;
    const parent = parentRef.node as Branch;
    const index = this.#way.at[depth]!;
    parent.insertAfter(index, separator, sibling);
    this.#recount(parentRef);
    if (parent.count <= this.#keysMax && !isLong(parent)) return;
    const isAppending = index + 2 === parent.count;
    this.#addSibling(parentRef, { ...parent.split(isAppending), depth: depth - 1 });
  }

  /** After a removal: drops empty nodes, joins small ones with a sibling, lowers the root. */
  #shrink(ref: NodeRef): void {
    let node = ref;
    for (let depth = this.#way.depth - 1; depth >= 0; depth -= 1) {
      const parentRef = this.#way.path[depth]!;
      const parent = parentRef.node as Branch;
      const index = this.#way.at[depth]!;
      if (node.node!.count === 0) {
        this.#shape += 1;
        this.#discard(node);
        parent.removeChild(index);
      } else if (this.#isSmall(node.node!)) this.#join(parent, index);
      this.#recount(parentRef);
      node = parentRef;
    }
    this.#lowerRoot();
  }

  /** A root with one child gives way to it. */
  #lowerRoot(): void {
    while (this.root.level > 0) {
      const old = this.root;
      const branch = (old.node ?? this.cache.load(old)) as Branch;
      if (branch.count > 1) return;
      this.#shape += 1;
      const only = branch.children[0];
      this.root = only ?? new NodeRef(0, new Leaf(borrowHeap(1024), 0), this.epoch);
      if (only === undefined) this.#countDirty(this.root);
      if (old.epoch === this.epoch) this.#discard(old);
      else this.#replaced(old);
    }
  }

  #isSmall(node: TreeNode): boolean {
    return node.count * 4 < this.#keysMax && node.pageBytes * 4 < bytesMax(node);
  }

  /** Joins the child at `index` with a neighbour when both fit one node with room to spare. */
  #join(parent: Branch, index: number): void {
    const leftIndex = index > 0 ? index - 1 : index;
    const [left, right] = [parent.children[leftIndex], parent.children[leftIndex + 1]];
    if (left === undefined || right === undefined) return;
    const leftNode = left.node ?? this.cache.load(left);
    const rightNode = right.node ?? this.cache.load(right);
    if ((leftNode.count + rightNode.count) * 4 > this.#keysMax * 3) return;
    if ((leftNode.pageBytes + rightNode.pageBytes) * 4 > bytesMax(leftNode) * 3) return;
    this.#shape += 1;
    const into = this.#ownChild(parent, leftIndex);
    const from = this.#ownChild(parent, leftIndex + 1);
    if (into.node instanceof Branch) into.node.append(parent.separators[leftIndex]!, from.node as Branch);
    else (into.node as Leaf).appendFrom(from.node as Leaf, 0, from.node!.count);
    parent.removeChild(leftIndex + 1);
    this.#recount(into);
    this.#discard(from);
  }
}

function bytesMax(node: TreeNode): number {
  return node.level === 0 ? LEAF_BYTES_MAX : BRANCH_BYTES_MAX;
}

/** Its page is too long, and there are parts enough for two. */
function isLong(node: TreeNode): boolean {
  return node.pageBytes > bytesMax(node) && node.count > (node.level === 0 ? LEAF_ENTRIES_MIN : BRANCH_CHILDREN_MIN);
}
