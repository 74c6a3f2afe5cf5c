/**
 * Verification of a tree: reads every page that a state reaches, bypassing the cache, and checks checksums, places, key
 * order, separators, counts, and that every unit in use belongs to exactly one page.
 *
 * - An unreadable page is one fault; only its subtree is not checked.
 */
import { faultOf } from '../disk-error.ts';
import type { Fault } from '../engine.ts';
import { StorageError } from '../errors.ts';
import type { Branch, NodeRef, TreeNode } from './branch.ts';
import type { TreeState } from './epochs.ts';
import { META_PAGES, type Reference, UNIT_BYTES, unitsOf } from './format.ts';
import { compareProbes, type Probe, wholeKey } from './keys.ts';
import type { Leaf } from './leaf.ts';
import type { PageFile } from './page-file.ts';
import { TimeSlice } from './time-slice.ts';
import type { UnitAllocator } from './unit-allocator.ts';
import type { ValueRef } from './value-ref.ts';

export interface Verification {
  readonly file: PageFile;
  readonly units: UnitAllocator;
  readonly state: TreeState;
  /** Pages in use outside the state: the free map, and pages that wait for readers. */
  readonly others: readonly Reference[];
  readonly progress: (done: number, total: number) => void;
}

/** Resolves with the faults found; does not reject for damage. */
export async function verifyTree(verification: Verification): Promise<Fault[]> {
  const walk = new TreeWalk(verification);
  await walk.visit(verification.state.root, { lower: null, upper: null });
  walk.checkCounts();
  walk.checkUnits();
  return walk.faults;
}

/** The range `[lower, upper)` that the keys of a node must lie in. */
interface Limits {
  readonly lower: Uint8Array | null;
  readonly upper: Uint8Array | null;
}

const keyA: Probe = { bytes: new Uint8Array(), start: 0, end: 0 };
const keyB: Probe = { bytes: new Uint8Array(), start: 0, end: 0 };

class TreeWalk {
  readonly faults: Fault[] = [];
  readonly #input: Verification;
  readonly #slice = new TimeSlice();
  /** By unit: the number of pages that own it. */
  readonly #owners: Uint8Array;
  #keys = 0;
  #bytes = 0;
  #isComplete = true;
  #done = 0;

  constructor(verification: Verification) {
    this.#input = verification;
    this.#owners = new Uint8Array(verification.units.length);
    this.#owners.fill(1, 0, META_PAGES);
  }

  async visit(ref: NodeRef, limits: Limits): Promise<void> {
    this.#claim(ref);
    const node = this.#read(ref);
    const pause = this.#slice.pause();
    if (pause !== null) await pause;
    if (node === null) return;
    if (node.level === 0) this.#checkLeaf(ref, node as Leaf, limits);
    else await this.#checkBranch(ref, node as Branch, limits);
  }

  checkCounts(): void {
    const { state } = this.#input;
    if (!this.#isComplete) return;
    if (this.#keys !== state.keys)
      this.#fault(null, `the tree has ${this.#keys} keys, its meta page counts ${state.keys}`);
    if (this.#bytes !== state.bytes)
      this.#fault(null, `the tree has ${this.#bytes} bytes, its meta page counts ${state.bytes}`);
  }

  checkUnits(): void {
    for (const page of this.#input.others) this.#claim(page);
    const { units } = this.#input;
    let lost = 0;
    for (let unit = 0; unit < this.#owners.length; unit += 1) {
      const owners = this.#owners[unit]!;
      if (owners > 1) this.#fault(unit * UNIT_BYTES, `unit ${unit} belongs to ${owners} pages`);
      const isUsed = units.isUsed(unit);
      if (owners > 0 && !isUsed) this.#fault(unit * UNIT_BYTES, `unit ${unit} is in use but marked free`);
      if (owners === 0 && isUsed) lost += 1;
    }
    if (lost === 0 || !this.#isComplete || !units.isExact) return;
    this.#fault(null, `${lost} units are marked as used but belong to no page`);
  }

  /** The node from disk, or from memory when it was never written; null when it cannot be read. */
  #read(ref: NodeRef): TreeNode | null {
    if (ref.unit === 0) return ref.node;
    return this.#attempt(ref, () => this.#input.file.readNode(ref));
  }

  #checkLeaf(ref: NodeRef, leaf: Leaf, limits: Limits): void {
    for (let index = 0; index < leaf.count; index += 1) {
      const key = leaf.keyAt(index, keyA);
      if (index > 0 && compareProbes(leaf.keyAt(index - 1, keyB), key, 0) >= 0) {
        this.#fault(ref.unit * UNIT_BYTES, `entry ${index} of the leaf is out of order`);
      }
      this.#bytes += leaf.dataBytes(index);
      const value = leaf.valueRefAt(index);
      if (value !== null) this.#checkValue(value);
    }
    this.#keys += leaf.count;
    if (leaf.count === 0) return;
    this.#checkLimits(ref, { first: leaf.keyAt(0, keyA), last: leaf.keyAt(leaf.count - 1, keyB) }, limits);
  }

  async #checkBranch(ref: NodeRef, branch: Branch, limits: Limits): Promise<void> {
    const { separators, children } = branch;
    for (let index = 1; index < separators.length; index += 1) {
      if (Buffer.compare(separators[index - 1]!, separators[index]!) >= 0) {
        this.#fault(ref.unit * UNIT_BYTES, `separator ${index} of the branch is out of order`);
      }
    }
    if (separators.length > 0) {
      this.#checkLimits(ref, { first: wholeKey(separators[0]!), last: wholeKey(separators.at(-1)!) }, limits);
    }
    for (let index = 0; index < children.length; index += 1) {
      const lower = separators[index - 1] ?? limits.lower;
      const upper = separators[index] ?? limits.upper;
      await this.visit(children[index]!, { lower, upper });
    }
  }

  #checkLimits(ref: NodeRef, keys: { readonly first: Probe; readonly last: Probe }, limits: Limits): void {
    const isBelow = limits.lower !== null && compareProbes(keys.first, wholeKey(limits.lower), 0) < 0;
    const isAbove = limits.upper !== null && compareProbes(keys.last, wholeKey(limits.upper), 0) >= 0;
    if (isBelow || isAbove) this.#fault(ref.unit * UNIT_BYTES, 'the node has keys outside its parent’s separators');
  }

  #checkValue(value: ValueRef): void {
    this.#claim(value);
    if (value.unit !== 0) this.#attempt(value, () => this.#input.file.readValue(value));
  }

  #attempt<Result>(page: Reference, read: () => Result): Result | null {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      this.faults.push(faultOf(error, this.#input.file.name, page.unit * UNIT_BYTES));
      this.#isComplete = false;
      return null;
    }
  }

  #claim(page: Reference): void {
    if (page.unit === 0) return;
    const end = page.unit + unitsOf(page.length);
    if (end > this.#owners.length) {
      this.#fault(page.unit * UNIT_BYTES, 'the page lies beyond the end of the file');
      return;
    }
    for (let unit = page.unit; unit < end; unit += 1) this.#owners[unit] = Math.min(255, this.#owners[unit]! + 1);
    this.#done += end - page.unit;
    this.#input.progress(Math.min(this.#done, this.#owners.length), this.#owners.length);
  }

  #fault(offset: number | null, what: string): void {
    this.faults.push({ file: this.#input.file.name, offset, what });
  }
}
