/**
 * The way to one leaf, remembered: keys that ascend go to the same leaf many times in a row, and need not search for it
 * again.
 *
 * - It holds while no node was divided, joined or handed to a reader since: all it names may then be changed in place.
 */
import type { Branch, NodeRef } from './branch.ts';
import { compareProbes, type Probe } from './keys.ts';

const NOTHING = new Uint8Array();

export class Finger {
  /** Branches from the root on, and the child taken in each. */
  readonly path: NodeRef[] = [];
  readonly at: number[] = [];
  /** How many of them there are: what lies behind is of an earlier way. */
  depth = 0;
  leaf: NodeRef | null = null;
  #epoch = -1;
  #shape = -1;
  /** The leaf's keys are not before `low`, and before `high` if there is one. */
  readonly #low: Probe = { bytes: NOTHING, start: 0, end: 0 };
  readonly #high: Probe = { bytes: NOTHING, start: 0, end: 0 };

  /** Forgets the way; `descend` and `arrive` tell it a new one. */
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

  /** Whether this is still the way to the leaf of `key`. */
  leadsTo(key: Probe, epoch: number, shape: number): boolean {
    if (this.#epoch !== epoch || this.#shape !== shape || this.leaf === null) return false;
    if (compareProbes(key, this.#low, 0) < 0) return false;
    return this.#high.end === 0 || compareProbes(key, this.#high, 0) < 0;
  }
}

/** Separators are never empty and never change. */
function setKey(probe: Probe, key: Uint8Array): void {
  probe.bytes = key;
  probe.end = key.length;
}
