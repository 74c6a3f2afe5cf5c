/**
 * Key numbers in the byte order of their keys: a list of leaves with binary search. It is small enough for the
 * processor's caches, and ascending keys are appended without a search.
 *
 * - A leaf holds 1 to `LEAF_KEYS` keys; leaves are ordered by their first key.
 */

const LEAF_KEYS = 128;

export interface Leaf {
  readonly keys: Uint32Array;
  count: number;
}

/** Compares `key` with the key of a number, as `compareBytes` does. */
export type CompareWithNumber = (key: Uint8Array, number: number) => number;

/** Numbers of keys, in the order of the keys. */
export class SortedKeys {
  readonly #compare: CompareWithNumber;
  readonly #leaves: Leaf[] = [];
  #count = 0;

  constructor(compare: CompareWithNumber) {
    this.#compare = compare;
  }

  clear(): void {
    this.#leaves.length = 0;
    this.#count = 0;
  }

  /** Adds a new key. */
  insert(key: Uint8Array, number: number): void {
    this.#count += 1;
    const last = this.#leaves.at(-1);
    if (last === undefined || this.#compare(key, last.keys[last.count - 1]!) > 0) {
      this.#append(last, number);
      return;
    }
    const index = this.#indexOf(key);
    const leaf = this.#leaves[index]!;
    const position = this.#countUpTo(leaf, key, false);
    if (leaf.count < LEAF_KEYS) insertAt(leaf, position, number);
    else this.#split(index, position, number);
  }

  /**
   * The keys of one leaf from the first one at or after `key` on, or after it when `isOpen`; without `key` the first
   * leaf.
   */
  leafFrom(key: Uint8Array | undefined, isOpen = false): Leaf | undefined {
    if (key === undefined) return this.#leaves[0];
    const index = this.#indexOf(key);
    const leaf = this.#leaves[index];
    if (leaf === undefined) return undefined;
    const from = this.#countUpTo(leaf, key, isOpen);
    if (from === leaf.count) return this.#leaves[index + 1];
    return { keys: leaf.keys.subarray(from), count: leaf.count - from };
  }

  /** The keys of one leaf up to the last one at or before `key`, or before it when `isOpen`; without it the last leaf. */
  leafUpTo(key: Uint8Array | undefined, isOpen = false): Leaf | undefined {
    if (key === undefined) return this.#leaves.at(-1);
    const index = this.#indexOf(key);
    const leaf = this.#leaves[index];
    if (leaf === undefined) return undefined;
    const count = this.#countUpTo(leaf, key, !isOpen);
    return count === 0 ? this.#leaves[index - 1] : { keys: leaf.keys, count };
  }

  /** All numbers in key order, in shared memory. */
  all(): Uint32Array {
    const all = new Uint32Array(new SharedArrayBuffer(this.#count * 4));
    let at = 0;
    for (const leaf of this.#leaves) {
      all.set(leaf.keys.subarray(0, leaf.count), at);
      at += leaf.count;
    }
    return all;
  }

  #append(last: Leaf | undefined, number: number): void {
    if (last !== undefined && last.count < LEAF_KEYS) {
      last.keys[last.count] = number;
      last.count += 1;
      return;
    }
    this.#leaves.push({ keys: new Uint32Array(LEAF_KEYS).fill(number, 0, 1), count: 1 });
  }

  #split(index: number, position: number, number: number): void {
    const leaf = this.#leaves[index]!;
    const half = LEAF_KEYS / 2;
    const right: Leaf = { keys: new Uint32Array(LEAF_KEYS), count: LEAF_KEYS - half };
    right.keys.set(leaf.keys.subarray(half));
    leaf.count = half;
    this.#leaves.splice(index + 1, 0, right);
    if (position <= half) insertAt(leaf, position, number);
    else insertAt(right, position - half, number);
  }

  /** The last leaf whose first key is not after `key`, or the first leaf. */
  #indexOf(key: Uint8Array): number {
    let low = 0;
    let high = this.#leaves.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#compare(key, this.#leaves[middle]!.keys[0]!) < 0) high = middle - 1;
      else low = middle;
    }
    return low;
  }

  /** The number of keys in the leaf that sort before `key`, with `key` itself when `isCounted`. */
  #countUpTo(leaf: Leaf, key: Uint8Array, isCounted: boolean): number {
    let low = 0;
    let high = leaf.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = this.#compare(key, leaf.keys[middle]!);
      if (order > 0 || (isCounted && order === 0)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function insertAt(leaf: Leaf, position: number, number: number): void {
  leaf.keys.copyWithin(position + 1, position, leaf.count);
  leaf.keys[position] = number;
  leaf.count += 1;
}
