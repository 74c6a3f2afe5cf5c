/**
 * The cache of tree nodes: loads nodes on first use, and evicts clean ones when the budget is exceeded.
 *
 * - Only nodes that are on disk are evicted; a caller that holds one may continue to use it.
 * - Second chance (clock): a node that was read since the hand last passed stays.
 */
import type { NodeRef, TreeNode } from './branch.ts';
import type { PageFile } from './page-file.ts';

/** Reads of a key, and leaves that a range enters: without and with loading a page. */
export interface ReadCounts {
  hits: number;
  misses: number;
}

/** Counts a read that loaded a page, or none. */
export function countRead(counts: ReadCounts, hasLoaded: boolean): void {
  if (hasLoaded) counts.misses += 1;
  else counts.hits += 1;
}

/** The tree nodes in memory, within a budget of bytes. */
export class NodeCache {
  readonly #file: PageFile;
  readonly #budget: number;
  #resident: NodeRef[] = [];
  #hand = 0;
  /** Bytes of nodes that may be evicted. */
  cleanBytes = 0;
  /** Bytes of nodes that are not on disk yet. */
  dirtyBytes = 0;
  /** Nodes that were loaded. */
  misses = 0;

  /** `budget`: bytes of clean and dirty nodes together. */
  constructor(file: PageFile, budget: number) {
    this.#file = file;
    this.#budget = budget;
  }

  /** Reads a node that is not in memory. Throws `STORAGE_CORRUPT` or `STORAGE_IO`. */
  load(ref: NodeRef): TreeNode {
    this.misses += 1;
    const node = this.#file.readNode(ref);
    ref.node = node;
    this.admit(ref, node.memoryBytes);
    return node;
  }

  /** Makes a node that is on disk and in memory evictable. */
  admit(ref: NodeRef, bytes: number): void {
    ref.bytes = bytes;
    ref.hot = true;
    this.cleanBytes += bytes;
    this.#resident.push(ref);
    if (this.cleanBytes + this.dirtyBytes > this.#budget) this.#evict();
  }

  /** Detaches the node of a clean reference: it moves to a newer version, or will not be read again. */
  release(ref: NodeRef): void {
    if (ref.node === null) return;
    ref.node = null;
    this.cleanBytes -= ref.bytes;
  }

  /** Passes over every node at most twice: in the second pass none is hot. */
  #evict(): void {
    const resident = this.#resident;
    let left = resident.length * 2;
    while (this.cleanBytes + this.dirtyBytes > this.#budget && left > 0 && resident.length > 0) {
      left -= 1;
      if (this.#hand >= resident.length) this.#hand = 0;
      const ref = resident[this.#hand]!;
      if (ref.node !== null && ref.hot) {
        ref.hot = false;
        this.#hand += 1;
        continue;
      }
      this.release(ref);
      resident[this.#hand] = resident.at(-1)!;
      resident.pop();
    }
  }
}
