/**
 * The budget of the block cache, shared by all tables. A table finds its blocks by number in its own array; this only
 * decides which block leaves when the budget is exceeded: second chance, in a circle.
 *
 * - `bytes` never exceeds `budget` by more than the block just added.
 * - Every block of the circle is in its owner's array, and the other way round.
 * - A block that left stays valid for whoever still reads it.
 */
import type { Block } from './block.ts';

/** What a block costs besides its bytes. */
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

export class BlockCache {
  bytes = 0;
  hits = 0;
  misses = 0;
  #budget: number;
  readonly #circle: CachedBlock[] = [];
  #hand = 0;

  constructor(budget: number) {
    this.#budget = budget;
  }

  add(block: CachedBlock): void {
    const cost = costOf(block);
    if (cost > this.#budget) return;
    block.owner.blocks[block.index] = block;
    this.#circle.push(block);
    this.bytes += cost;
    this.#evict();
  }

  /** The new budget holds at once. */
  resize(budget: number): void {
    this.#budget = budget;
    this.#evict();
  }

  /** Forgets all blocks of tables that are gone, in one pass. */
  drop(owners: ReadonlySet<BlockOwner>): void {
    let kept = 0;
    for (const block of this.#circle) {
      if (owners.has(block.owner)) {
        this.bytes -= costOf(block);
        continue;
      }
      this.#circle[kept] = block;
      kept += 1;
    }
    this.#circle.length = kept;
    for (const owner of owners) owner.blocks.length = 0;
  }

  #evict(): void {
    while (this.bytes > this.#budget && this.#circle.length > 0) {
      if (this.#hand >= this.#circle.length) this.#hand = 0;
      const block = this.#circle[this.#hand]!;
      if (block.isUsed) {
        block.isUsed = false;
        this.#hand += 1;
        continue;
      }
      block.owner.blocks[block.index] = undefined;
      this.#circle[this.#hand] = this.#circle.at(-1)!;
      this.#circle.pop();
      this.bytes -= costOf(block);
    }
  }
}

function costOf(block: CachedBlock): number {
  return block.bytes.length + OVERHEAD_BYTES;
}
