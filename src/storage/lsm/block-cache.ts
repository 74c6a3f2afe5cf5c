/**
 * The block cache, shared by all tables. Each table finds its cached blocks in an array of its own; the cache decides
 * which block to evict when the budget is exceeded: second chance (clock).
 *
 * - `bytes` never exceeds the budget by more than the block just added.
 * - The clock and the arrays of the tables hold the same blocks.
 * - An evicted block stays valid for readers that still use it.
 */
import type { Block } from './block.ts';

/** Memory of a cached block besides its bytes. */
const OVERHEAD_BYTES = 200;

export interface CachedBlock extends Block {
  readonly owner: BlockOwner;
  readonly index: number;
  isUsed: boolean;
}

/** A table as the cache sees it. */
export interface BlockOwner {
  readonly blocks: (CachedBlock | undefined)[];
}

/** The data blocks in memory, within a budget of bytes. */
export class BlockCache {
  bytes = 0;
  hits = 0;
  misses = 0;
  #budget: number;
  readonly #clock: CachedBlock[] = [];
  #hand = 0;

  constructor(budget: number) {
    this.#budget = budget;
  }

  /** Adds a block that was just read; one larger than the whole budget is not cached. */
  add(block: CachedBlock): void {
    const cost = costOf(block);
    if (cost > this.#budget) return;
    block.owner.blocks[block.index] = block;
    this.#clock.push(block);
    this.bytes += cost;
    this.#evict();
  }

  /** Changes the budget and evicts blocks beyond it immediately. */
  resize(budget: number): void {
    this.#budget = budget;
    this.#evict();
  }

  /** Removes all blocks of the given tables in one pass. */
  drop(owners: ReadonlySet<BlockOwner>): void {
    let kept = 0;
    for (const block of this.#clock) {
      if (owners.has(block.owner)) {
        this.bytes -= costOf(block);
        continue;
      }
      this.#clock[kept] = block;
      kept += 1;
    }
    this.#clock.length = kept;
    for (const owner of owners) owner.blocks.length = 0;
  }

  #evict(): void {
    while (this.bytes > this.#budget && this.#clock.length > 0) {
      if (this.#hand >= this.#clock.length) this.#hand = 0;
      const block = this.#clock[this.#hand]!;
      if (block.isUsed) {
        block.isUsed = false;
        this.#hand += 1;
        continue;
      }
      block.owner.blocks[block.index] = undefined;
      this.#clock[this.#hand] = this.#clock.at(-1)!;
      this.#clock.pop();
      this.bytes -= costOf(block);
    }
  }
}

function costOf(block: CachedBlock): number {
  return block.bytes.length + OVERHEAD_BYTES;
}
