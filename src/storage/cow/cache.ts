/**
 * Nodes in memory: loads them when they are first asked for, and drops clean ones when the budget is exceeded.
 *
 * - Only nodes that are on disk are dropped; whoever holds one in a variable keeps it.
 * - Second chance: a node read since the hand last passed stays.
 */

import type { NodeRef, TreeNode } from './branch.ts';
import type { PageFile } from './page-file.ts';

export class NodeCache {
  readonly #file: PageFile;
  readonly #budget: number;
  #resident: NodeRef[] = [];
  #hand = 0;
  /** Bytes of nodes that could be dropped, and of those that wait for a checkpoint. */
  cleanBytes = 0;
  dirtyBytes = 0;
  misses = 0;

  constructor(file: PageFile, budget: number) {
    this.#file = file;
    this.#budget = budget;
  }

  /** Reads the node of a reference that has none in memory. */
  load(ref: NodeRef): TreeNode {
    this.misses += 1;
    const node = this.#file.readNode(ref);
    ref.node = node;
    this.admit(ref, node.memoryBytes);
    return node;
  }

  /** A node that is on disk and in memory: from now on it may be dropped. */
  admit(ref: NodeRef, bytes: number): void {
    ref.bytes = bytes;
    ref.hot = true;
    this.cleanBytes += bytes;
    this.#resident.push(ref);
    if (this.cleanBytes + this.dirtyBytes > this.#budget) this.#evict();
  }

  /** A clean reference gives up its node: to a newer version, or because nobody will read it. */
  release(ref: NodeRef): void {
    if (ref.node === null) return;
    ref.node = null;
    this.cleanBytes -= ref.bytes;
  }

  /** Passes over everything twice at most: the second time nothing is hot. */
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
