/**
 * A branch node: children in key order, with a separator between neighbours. A separator is greater than every key on
 * its left and not greater than any key on its right.
 *
 * - Only the tree changes a branch, and only while no reader can see it.
 */
import { PAGE_HEADER_BYTES, REFERENCE_BYTES, type Reference, SEPARATOR_SIZE_BYTES } from './format.ts';
import { compareProbes, firstHead, headOf, type Probe, sharedBytes, sideOfPrefix, wholeKey } from './keys.ts';
import type { Leaf } from './leaf.ts';

export type TreeNode = Leaf | Branch;

/**
 * One version of a node: its place in the page file, and the node itself while it is in memory. The checkpoint that
 * writes the version fills in the place; from then on the cache may drop the node.
 */
export class NodeRef implements Reference {
  unit = 0;
  length = 0;
  crc = 0;
  /** 0 for a leaf, else the number of levels below. */
  readonly level: number;
  /** The node while it is in memory; never null while `unit` is 0. */
  node: TreeNode | null;
  /** The tree's epoch when this version was made: it may be changed in place until that epoch ends. */
  epoch: number;
  /** Bytes of memory that the cache counts for `node`. */
  bytes = 0;
  /** The newest state has another version; only readers of earlier states may still need this one. */
  isReplaced = false;
  /** Read since the cache last considered it for eviction. */
  hot = true;

  constructor(level: number, node: TreeNode | null, epoch: number) {
    this.level = level;
    this.node = node;
    this.epoch = epoch;
  }

  static onDisk(reference: Reference, level: number): NodeRef {
    const ref = new NodeRef(level, null, -1);
    ref.unit = reference.unit;
    ref.length = reference.length;
    ref.crc = reference.crc;
    return ref;
  }
}

/** A branch node of the tree: children and the separators between them. */
export class Branch {
  readonly level: number;
  readonly children: NodeRef[];
  /** One fewer than there are children. */
  readonly separators: Uint8Array[];
  #heads: Int32Array = new Int32Array();
  /** The bytes that all separators begin with. */
  #prefix: Probe = { bytes: new Uint8Array(), start: 0, end: 0 };
  #separatorBytes = 0;
  readonly #probe: Probe = { bytes: new Uint8Array(), start: 0, end: 0 };

  constructor(level: number, children: NodeRef[], separators: Uint8Array[]) {
    this.level = level;
    this.children = children;
    this.separators = separators;
    this.#rebuild();
  }

  get count(): number {
    return this.children.length;
  }

  /** Length of this branch's page. */
  get pageBytes(): number {
    return (
      PAGE_HEADER_BYTES +
      this.count * REFERENCE_BYTES +
      this.separators.length * SEPARATOR_SIZE_BYTES +
      this.#separatorBytes
    );
  }

  /** Approximate bytes of memory, without the nodes of the children. */
  get memoryBytes(): number {
    return 300 + this.count * 300 + this.#separatorBytes;
  }

  /** Index of the child whose range contains the key: the number of separators that are not greater. */
  childIndex(probe: Probe): number {
    const count = this.separators.length;
    if (count === 0) return 0;
    const prefix = this.#prefix;
    const side = sideOfPrefix(probe, prefix);
    if (side !== 0) return side < 0 ? 0 : count;
    const heads = this.#heads;
    const head = headOf(probe.bytes, probe.start + prefix.end, probe.end);
    const low = firstHead(heads, count, head);
    return low === count || heads[low] !== head ? low : this.#indexAmongEqualHeads(probe, low, head);
  }

  copy(): Branch {
    return new Branch(this.level, this.children.slice(), this.separators.slice());
  }

  /** Inserts a child after the one at `index`. */
  insertAfter(index: number, separator: Uint8Array, child: NodeRef): void {
    const count = this.separators.length;
    this.children.splice(index + 1, 0, child);
    this.separators.splice(index, 0, separator);
    const { end } = this.#prefix;
    const keepsPrefix = count > 0 && sharedBytes(wholeKey(separator), this.#prefix) === end;
    if (!keepsPrefix || count === this.#heads.length) {
      this.#rebuild();
      return;
    }
    this.#heads.copyWithin(index + 1, index, count);
    this.#heads[index] = headOf(separator, end, separator.length);
    this.#separatorBytes += separator.length;
  }

  removeChild(index: number): void {
    this.children.splice(index, 1);
    if (this.separators.length > 0) this.separators.splice(index === 0 ? 0 : index - 1, 1);
    this.#rebuild();
  }

  /** Appends all children of the right sibling. */
  append(separator: Uint8Array, other: Branch): void {
    this.children.push(...other.children);
    this.separators.push(separator, ...other.separators);
    this.#rebuild();
  }

  /** Splits the branch: returns a new branch with the upper children, and the separator between the two. */
  split(isAppending: boolean): { readonly separator: Uint8Array; readonly right: Branch } {
    const at = isAppending ? this.count - 2 : this.count >> 1;
    const right = new Branch(this.level, this.children.splice(at), this.separators.splice(at));
    const separator = this.separators.pop()!;
    this.#rebuild();
    return { separator, right };
  }

  #indexAmongEqualHeads(probe: Probe, from: number, head: number): number {
    let low = from;
    let high = from + 1;
    while (high < this.separators.length && this.#heads[high] === head) high += 1;
    const separator = this.#probe;
    while (low < high) {
      const middle = (low + high) >> 1;
      separator.bytes = this.separators[middle]!;
      separator.end = separator.bytes.length;
      if (compareProbes(probe, separator, this.#prefix.end) >= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #rebuild(): void {
    const { separators } = this;
    this.#separatorBytes = 0;
    for (const separator of separators) this.#separatorBytes += separator.length;
    if (separators.length === 0) return;
    const first = wholeKey(separators[0]!);
    const shared = sharedBytes(first, wholeKey(separators.at(-1)!));
    this.#prefix = { ...first, end: shared };
    if (this.#heads.length < separators.length) this.#heads = new Int32Array(separators.length + 16);
    for (let at = 0; at < separators.length; at += 1) {
      const separator = separators[at]!;
      this.#heads[at] = headOf(separator, shared, separator.length);
    }
  }
}
