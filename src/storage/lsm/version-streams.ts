/**
 * The sources of a merge: iterate over every version of a memtable or of a run of tables, in table order.
 *
 * - The fields describe the current version until `next` is called. Keys and values are ranges of larger arrays.
 */
import { type Block, BlockReader } from './block.ts';
import type { Version } from './block-writer.ts';
import { KEY_ROW, type MemtableImage, NO_VERSION, sequenceOf, VERSION_ROW } from './memtable.ts';
import { TableFrame, type TablePlace } from './table-frame.ts';
import type { TableMeta } from './table-writer.ts';

/** Bytes of blocks read from a table at a time. */
const READ_BYTES = 262_144;

export interface VersionStream extends Version {
  readonly isDone: boolean;
  next(): void;
  close(): void;
}

/** The versions of a memtable, in table order. */
export class MemtableStream implements VersionStream {
  isDone = false;
  readonly keyBytes: Uint8Array;
  readonly valueBytes: Uint8Array;
  keyStart = 0;
  keyEnd = 0;
  sequence = 0;
  valueStart = 0;
  code = 0;
  readonly #image: MemtableImage;
  #at = -1;
  #version = NO_VERSION;

  constructor(image: MemtableImage) {
    this.#image = image;
    this.keyBytes = image.arena;
    this.valueBytes = image.arena;
    this.next();
  }

  next(): void {
    const { order, keys, versions } = this.#image;
    if (this.#version !== NO_VERSION) {
      this.#version = versions[this.#version * VERSION_ROW.width + VERSION_ROW.older]!;
    }
    if (this.#version === NO_VERSION) {
      this.#at += 1;
      if (this.#at >= order.length) {
        this.isDone = true;
        return;
      }
      const row = order[this.#at]! * KEY_ROW.width;
      this.keyStart = keys[row + KEY_ROW.start]!;
      this.keyEnd = keys[row + KEY_ROW.end]!;
      this.#version = keys[row + KEY_ROW.newest]!;
    }
    const row = this.#version * VERSION_ROW.width;
    this.sequence = sequenceOf(versions, this.#version);
    this.valueStart = versions[row + VERSION_ROW.valueStart]!;
    this.code = versions[row + VERSION_ROW.code]!;
  }

  close(): void {
    this.isDone = true;
  }
}

/** A run of tables, which are disjoint and in key order. */
export class TablesStream implements VersionStream {
  isDone = false;
  keyBytes: Uint8Array = new Uint8Array(0);
  valueBytes: Uint8Array = new Uint8Array(0);
  readonly keyStart = 0;
  keyEnd = 0;
  sequence = 0;
  valueStart = 0;
  code = 0;
  readonly #blocks: Generator<Block, void>;
  #reader: BlockReader | undefined;

  constructor(place: TablePlace, metas: readonly TableMeta[]) {
    this.#blocks = blocksOf(place, metas);
    this.next();
  }

  next(): void {
    while (this.#reader === undefined || !this.#reader.next()) {
      const { done, value } = this.#blocks.next();
      if (done) {
        this.isDone = true;
        return;
      }
      this.#reader = new BlockReader(value);
    }
    const reader = this.#reader;
    this.keyBytes = reader.key;
    this.keyEnd = reader.keyLength;
    this.sequence = reader.sequence;
    this.valueBytes = reader.bytes;
    this.valueStart = reader.valueStart;
    this.code = reader.code;
  }

  close(): void {
    this.#blocks.return();
    this.isDone = true;
  }
}

/** The blocks of a run of tables. One table is open at a time. */
function* blocksOf(place: TablePlace, metas: readonly TableMeta[]): Generator<Block, void> {
  for (const meta of metas) {
    using frame = new TableFrame(place, meta);
    for (let next = 0; next < frame.index.count; ) {
      const blocks = frame.readBlocks(next, READ_BYTES);
      next += blocks.length;
      yield* blocks;
    }
  }
}
