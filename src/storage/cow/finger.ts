/**
 * A finger: the cached path from the root to one leaf. Ascending keys hit the same leaf many times in a row, and a
 * finger saves the search.
 *
 * - A finger is valid until a node is split or merged, or a reader acquires the state. While it is valid, every node on
 *   its path may be changed in place.
 */
import type { Branch, NodeRef } from './branch.ts';
import { compareProbes, type Probe } from './keys.ts';

const NOTHING = new Uint8Array();

/** The cached path from the root to one leaf. */
export class Finger {
  /** The branches from the root down, and the child index taken in each. */
  readonly path: NodeRef[] = [];
  readonly at: number[] = [];
  /** Number of branches on the path; later elements of `path` and `at` are stale. */
  depth = 0;
  leaf: NodeRef | null = null;
  #epoch = -1;
  #shape = -1;
  /** The leaf's range: keys from `low` on, and below `high` unless that is empty. */
  readonly #low: Probe = { bytes: NOTHING, start: 0, end: 0 };
  readonly #high: Probe = { bytes: NOTHING, start: 0, end: 0 };

  /** Starts a new path, to be recorded with `descend` and `arrive`. */
  begin(): void {
    this.depth = 0;
    this.leaf = null;
    this.#low.end = 0;
    this.#high.end = 0;
  }

  descend(ref: NodeRef, index: number): void {
    this.path[this.depth] = ref;
    this.at[this.depth] = index;
    this.depth += 1;
    const { separators } = ref.node as Branch;
    if (index > 0) setKey(this.#low, separators[index - 1]!);
    if (index < separators.length) setKey(this.#high, separators[index]!);
  }

  arrive(leaf: NodeRef, epoch: number, shape: number): void {
    this.leaf = leaf;
    this.#epoch = epoch;
    this.#shape = shape;
  }

  /** Whether the path is valid and leads to the leaf of `key`. */
  leadsTo(key: Probe, epoch: number, shape: number): boolean {
    if (this.#epoch !== epoch || this.#shape !== shape || this.leaf === null) return false;
    if (compareProbes(key, this.#low, 0) < 0) return false;
    return this.#high.end === 0 || compareProbes(key, this.#high, 0) < 0;
  }
}

/** References the separator without a copy: separators are never empty and never change. */
function setKey(probe: Probe, key: Uint8Array): void {
  probe.bytes = key;
  probe.end = key.length;
}
