/**
 * A table that readers use: file, bloom filter and index come in at the first read and can leave again; data blocks go
 * through the cache.
 */
import { type Block, chunkOfBlock, findInBlock } from './block.ts';
import type { BlockCache, BlockOwner, CachedBlock } from './block-cache.ts';
import { mayHold } from './bloom.ts';
import { compareBytes } from './bytes.ts';
import type { Chunk } from './chunk.ts';
import { TableFrame, type TablePlace } from './table-frame.ts';
import type { TableMeta } from './table-writer.ts';

/** What all tables of a store share. */
export interface TableHost extends TablePlace {
  readonly cache: BlockCache;
}

export class Table implements BlockOwner {
  readonly meta: TableMeta;
  readonly blocks: (CachedBlock | undefined)[] = [];
  /** How many states (`Levels`) name this table. */
  references = 0;
  readonly #host: TableHost;
  #frame: TableFrame | undefined;

  constructor(meta: TableMeta, host: TableHost) {
    this.meta = meta;
    this.#host = host;
  }

  get blockCount(): number {
    return this.#load().index.count;
  }

  covers(key: Uint8Array): boolean {
    return compareBytes(key, this.meta.smallest) >= 0 && compareBytes(key, this.meta.largest) <= 0;
  }

  /** The value of `key` visible at `sequence`: null for a tombstone, undefined when the table says nothing about it. */
  get(key: Uint8Array, hash: number, sequence: number): Uint8Array | null | undefined {
    const { bloom, index } = this.#load();
    if (!mayHold(bloom, hash)) return undefined;
    const at = index.blockFor(key);
    return at === index.count ? undefined : findInBlock(this.block(at), key, sequence);
  }

  /** The block that a walk upward from `key` begins in; `blockCount` when all keys are before it. */
  blockFor(key: Uint8Array): number {
    return this.#load().index.blockFor(key);
  }

  chunk(index: number, sequence: number): Chunk {
    return chunkOfBlock(this.block(index), sequence);
  }

  block(index: number): Block {
    const { cache } = this.#host;
    const cached = this.blocks[index];
    if (cached !== undefined) {
      cache.hits += 1;
      cached.isUsed = true;
      return cached;
    }
    cache.misses += 1;
    const { bytes, restarts, entriesEnd } = this.#load().readBlock(index);
    const block: CachedBlock = { bytes, restarts, entriesEnd, owner: this, index, isUsed: false };
    cache.add(block);
    return block;
  }

  /** Gives back file, index and filter; its blocks leave the cache with `BlockCache.drop`. */
  unload(): void {
    this.#frame?.close();
    this.#frame = undefined;
  }

  #load(): TableFrame {
    if (this.#frame !== undefined) return this.#frame;
    const frame = new TableFrame(this.#host, this.meta);
    for (let block = 0; block < frame.index.count; block += 1) this.blocks.push(undefined);
    this.#frame = frame;
    return frame;
  }
}
