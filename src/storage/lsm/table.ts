/**
 * A table for reads. File, bloom filter and index are loaded at the first read and can be unloaded; data blocks are
 * read through the block cache.
 */
import { type Block, chunkOfBlock, findInBlock } from './block.ts';
import type { BlockCache, BlockOwner, CachedBlock } from './block-cache.ts';
import { mayHold } from './bloom.ts';
import { compareBytes } from './bytes.ts';
import type { Chunk } from './chunk.ts';
import { TableFrame, type TablePlace } from './table-frame.ts';
import type { TableMeta } from './table-writer.ts';

/** The resources that all tables of a store share. */
export interface TableHost extends TablePlace {
  readonly cache: BlockCache;
}

/** One table, opened at its first read. */
export class Table implements BlockOwner {
  readonly meta: TableMeta;
  readonly blocks: (CachedBlock | undefined)[] = [];
  /** Number of states (`Levels`) that contain this table. */
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

  /** Whether the key is between the smallest and the largest key of the table. */
  covers(key: Uint8Array): boolean {
    return compareBytes(key, this.meta.smallest) >= 0 && compareBytes(key, this.meta.largest) <= 0;
  }

  /** The value of `key` visible at `sequence`: null for a tombstone, undefined when the table does not have the key. */
  get(key: Uint8Array, hash: number, sequence: number): Uint8Array | null | undefined {
    const { bloom, index } = this.#load();
    if (!mayHold(bloom, hash)) return undefined;
    const at = index.blockFor(key);
    return at === index.count ? undefined : findInBlock(this.block(at), key, sequence);
  }

  /** The block in which an ascending walk from `key` begins; `blockCount` when all keys sort before it. */
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

  /** Closes the file and frees index and filter. `BlockCache.drop` removes the blocks. */
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
