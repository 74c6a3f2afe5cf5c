/**
 * The copy-on-write B+ tree in memory: reads at any root, changes at the newest root by path copying.
 *
 * - A version of the current epoch is not on disk; a version on disk belongs to an earlier epoch.
 */
import type { EncodedChange } from '../batch.ts';
import { Branch, NodeRef, type TreeNode } from './branch.ts';
import type { NodeCache } from './cache.ts';
import { Epochs, type TreeReader, type TreeState } from './epochs.ts';
import { Finger } from './finger.ts';
import { BRANCH_BYTES_MAX, BRANCH_CHILDREN_MIN, LEAF_BYTES_MAX, LEAF_ENTRIES_MIN } from './format.ts';
import { borrowHeap } from './heap-pool.ts';
import { type Probe, separatorBetween } from './keys.ts';
import { Leaf } from './leaf.ts';
import { findKey } from './leaf-search.ts';
import type { ValueRef } from './value-ref.ts';

/** Fingers are chosen by the first byte of the key, so that kinds of keys that grow concurrently do not collide. */
const FINGERS = 8;

/** The key of the change that is being applied, up to a split. Reused, so that a change allocates no probe. */
const key: Probe = { bytes: new Uint8Array(), start: 0, end: 0 };
const otherKey: Probe = { bytes: new Uint8Array(), start: 0, end: 0 };

/** The copy-on-write B+ tree. */
export class Tree implements TreeState {
  readonly cache: NodeCache;
  readonly #keysMax: number;
  root: NodeRef;
  keys: number;
  bytes: number;
  readonly epochs = new Epochs();
  /**
   * Set while a checkpoint runs: writes a frozen leaf to the page file immediately, so that it can be changed without a
   * copy. Returns false when that failed.
   */
  writeFrozen: ((leaf: NodeRef) => boolean) | null = null;
  readonly #fingers = Array.from({ length: FINGERS }, () => new Finger());
  /** The path to the leaf that is being changed. */
  #path = this.#fingers[0]!;
  /** Counts splits, merges and removals of nodes: they invalidate all fingers. */
  #shape = 0;

  constructor(cache: NodeCache, keysMax: number, state: TreeState) {
    this.cache = cache;
    this.#keysMax = keysMax;
    this.root = state.root;
    this.keys = state.keys;
    this.bytes = state.bytes;
  }

  /** Acquires the newest state for reading; `epochs.release` must follow. */
  read(): TreeReader {
    return this.epochs.acquire(this);
  }

  /** The leaf whose range contains the key, in the state with this root. */
  leafFor(root: NodeRef, probe: Probe): Leaf {
    if (root === this.root) {
      const finger = this.#fingerFor(probe);
      if (finger.leadsTo(probe, this.epochs.current, this.#shape)) return finger.leaf!.node as Leaf;
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

  /** Applies one change to the newest state. */
  apply(change: EncodedChange): void {
    key.bytes = change.bytes;
    key.start = change.keyStart;
    key.end = change.keyEnd;
    if (change.valueStart >= 0) this.#put(change);
    else this.#remove();
  }

  #put(change: EncodedChange): void {
    const ref = this.#writableLeaf();
    const leaf = ref.node as Leaf;
    const index = findKey(leaf, key);
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
    const found = findKey(this.leafFor(this.root, key), key);
    if (found < 0) return;
    const ref = this.#writableLeaf();
    const leaf = ref.node as Leaf;
    this.keys -= 1;
    this.bytes -= leaf.dataBytes(found);
    this.#freeValue(leaf.remove(found));
    this.#recount(ref);
    this.#shrink(ref);
  }

  /** The leaf for `key`, which may be changed in place like all nodes on the path to it. */
  #writableLeaf(): NodeRef {
    const path = this.#fingerFor(key);
    this.#path = path;
    if (path.leadsTo(key, this.epochs.current, this.#shape)) return path.leaf!;
    path.begin();
    let ref = this.#writable(this.root);
    this.root = ref;
    while (ref.level > 0) {
      const branch = ref.node as Branch;
      const index = branch.childIndex(key);
      path.descend(ref, index);
      ref = this.#writableChild(branch, index);
    }
    path.arrive(ref, this.epochs.current, this.#shape);
    return ref;
  }

  #fingerFor(probe: Probe): Finger {
    return this.#fingers[probe.bytes[probe.start]! % FINGERS]!;
  }

  #writableChild(branch: Branch, index: number): NodeRef {
    const child = branch.children[index]!;
    if (child.epoch === this.epochs.current) return child;
    const writable = this.#writable(child);
    branch.children[index] = writable;
    return writable;
  }

  /** A version of the node that may be changed in place: itself, a new version with the same node, or a copy. */
  #writable(ref: NodeRef): NodeRef {
    if (ref.epoch === this.epochs.current) return ref;
    const isUnread = this.epochs.isUnread(ref) || this.#tryWriteEarly(ref);
    if (isUnread && ref.unit === 0) {
      ref.epoch = this.epochs.current;
      return ref;
    }
    const node = ref.node ?? this.cache.load(ref);
    const writable = new NodeRef(ref.level, isUnread ? node : node.copy(), this.epochs.current);
    if (isUnread) this.cache.release(ref);
    this.#replaced(ref);
    this.#countDirty(writable);
    return writable;
  }

  /** Writes a leaf early that only the running checkpoint still needs; false for any other node, or on failure. */
  #tryWriteEarly(ref: NodeRef): boolean {
    return ref.level === 0 && this.epochs.isOnlyFrozen(ref) && this.writeFrozen?.(ref) === true;
  }

  /** Records that the newest state does not reach this version any more. */
  #replaced(ref: NodeRef): void {
    ref.isReplaced = true;
    this.epochs.free(ref);
    const isBeingWritten = ref.epoch <= this.epochs.frozen;
    if (ref.unit === 0 && !isBeingWritten) this.cache.dirtyBytes -= ref.bytes;
  }

  /** Drops a version of the current epoch, which is only in memory. */
  #discard(ref: NodeRef): void {
    this.cache.dirtyBytes -= ref.bytes;
    if (ref.node instanceof Leaf) ref.node.discard();
    ref.node = null;
  }

  #freeValue(value: ValueRef | null): void {
    if (value !== null) this.epochs.free(value);
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

  /** Splits a leaf that is too large, then its ancestors as far as they become too large. */
  #split(leafRef: NodeRef): void {
    const leaf = leafRef.node as Leaf;
    const right = leaf.split();
    const separator = separatorBetween(leaf.keyAt(leaf.count - 1, key), right.keyAt(0, otherKey));
    this.#shape += 1;
    this.#addSibling(leafRef, { separator, right, depth: this.#path.depth - 1 });
  }

  #addSibling(
    left: NodeRef,
    added: { readonly separator: Uint8Array; readonly right: TreeNode; readonly depth: number },
  ): void {
    const { separator, right, depth } = added;
    const sibling = new NodeRef(left.level, right, this.epochs.current);
    this.#countDirty(sibling);
    this.#recount(left);
    if (depth < 0) {
      this.root = new NodeRef(
        left.level + 1,
        new Branch(left.level + 1, [left, sibling], [separator]),
        this.epochs.current,
      );
      this.#countDirty(this.root);
      return;
    }
    const parentRef = this.#path.path[depth]!;
    const parent = parentRef.node as Branch;
    const index = this.#path.at[depth]!;
    parent.insertAfter(index, separator, sibling);
    this.#recount(parentRef);
    if (parent.count <= this.#keysMax && !isLong(parent)) return;
    const isAppending = index + 2 === parent.count;
    this.#addSibling(parentRef, { ...parent.split(isAppending), depth: depth - 1 });
  }

  /** After a removal: drops empty nodes, merges small ones with a sibling, lowers the root. */
  #shrink(ref: NodeRef): void {
    let node = ref;
    for (let depth = this.#path.depth - 1; depth >= 0; depth -= 1) {
      const parentRef = this.#path.path[depth]!;
      const parent = parentRef.node as Branch;
      const index = this.#path.at[depth]!;
      if (node.node!.count === 0) {
        this.#shape += 1;
        this.#discard(node);
        parent.removeChild(index);
      } else if (this.#isSmall(node.node!)) this.#merge(parent, index);
      this.#recount(parentRef);
      node = parentRef;
    }
    this.#lowerRoot();
  }

  /** Replaces a root that has one child by that child, as often as possible. */
  #lowerRoot(): void {
    while (this.root.level > 0) {
      const old = this.root;
      const branch = (old.node ?? this.cache.load(old)) as Branch;
      if (branch.count > 1) return;
      this.#shape += 1;
      const only = branch.children[0];
      this.root = only ?? new NodeRef(0, new Leaf(borrowHeap(1024), 0), this.epochs.current);
      if (only === undefined) this.#countDirty(this.root);
      if (old.epoch === this.epochs.current) this.#discard(old);
      else this.#replaced(old);
    }
  }

  #isSmall(node: TreeNode): boolean {
    return node.count * 4 < this.#keysMax && node.pageBytes * 4 < bytesMax(node);
  }

  /** Merges the child at `index` with a neighbour when both fill at most three quarters of a node. */
  #merge(parent: Branch, index: number): void {
    const leftIndex = index > 0 ? index - 1 : index;
    const [left, right] = [parent.children[leftIndex], parent.children[leftIndex + 1]];
    if (left === undefined || right === undefined) return;
    const leftNode = left.node ?? this.cache.load(left);
    const rightNode = right.node ?? this.cache.load(right);
    if ((leftNode.count + rightNode.count) * 4 > this.#keysMax * 3) return;
    if ((leftNode.pageBytes + rightNode.pageBytes) * 4 > bytesMax(leftNode) * 3) return;
    this.#shape += 1;
    const into = this.#writableChild(parent, leftIndex);
    const from = this.#writableChild(parent, leftIndex + 1);
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

/** Whether the page is too long and the node has enough parts for two. */
function isLong(node: TreeNode): boolean {
  return node.pageBytes > bytesMax(node) && node.count > (node.level === 0 ? LEAF_ENTRIES_MIN : BRANCH_CHILDREN_MIN);
}
