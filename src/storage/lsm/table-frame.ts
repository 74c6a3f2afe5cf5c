/**
 * An open table file: footer, index and bloom filter in memory; data blocks are read on demand.
 *
 * - Nothing is used before its checksum was verified; damage is `STORAGE_CORRUPT` with file and offset.
 */
import { join } from 'node:path';
import type { Disk, DiskFile } from '../disk.ts';
import { type Block, parseBlock } from './block.ts';
import {
  CHECK_BYTES,
  checkedPayload,
  corruptTable,
  decodeFooter,
  FOOTER_BYTES,
  type Footer,
  footerCheckOf,
  tableName,
} from './table-format.ts';
import { TableIndex } from './table-index.ts';
import type { TableMeta } from './table-writer.ts';

export interface TablePlace {
  readonly disk: Disk;
  readonly directory: string;
}

/** An open table file. */
export class TableFrame {
  readonly file: DiskFile;
  readonly footer: Footer;
  readonly index: TableIndex;
  readonly bloom: Uint8Array;

  constructor(place: TablePlace, meta: TableMeta) {
    this.file = openTable(place, meta);
    try {
      this.footer = readFooter(this.file, meta);
      const { bloomOffset, bloomBytes, indexOffset, indexBytes } = this.footer;
      this.bloom = this.#payload(bloomOffset, bloomBytes);
      this.index = new TableIndex(this.#payload(indexOffset, indexBytes), this.footer);
    } catch (error) {
      this.file.close();
      throw error;
    }
  }

  readBlock(index: number): Block {
    return this.readBlocks(index, 0)[0]!;
  }

  /** Reads whole blocks from `first` on in one read: as many as fit `bytes`, at least one. */
  readBlocks(first: number, bytes: number): Block[] {
    const { index } = this;
    const from = index.offset(first);
    let end = first + 1;
    while (end < index.count && index.offset(end + 1) - from <= bytes) end += 1;
    const stored = this.file.read(from, index.offset(end) - from);
    const blocks: Block[] = [];
    for (let block = first; block < end; block += 1) {
      const offset = index.offset(block);
      const place = { id: this.footer.id, offset, bytes: index.payloadBytes(block) };
      blocks.push(parseBlock(checkedPayload(stored.subarray(offset - from, index.offset(block + 1) - from), place)));
    }
    return blocks;
  }

  close(): void {
    this.file.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #payload(offset: number, bytes: number): Uint8Array {
    return checkedPayload(this.file.read(offset, bytes + CHECK_BYTES), { id: this.footer.id, offset, bytes });
  }
}

/** Compares the footer of a table with the manifest. Throws `STORAGE_CORRUPT` for a missing or different table. */
export function checkTable(place: TablePlace, meta: TableMeta): void {
  using file = openTable(place, meta);
  readFooter(file, meta);
}

function openTable(place: TablePlace, meta: TableMeta): DiskFile {
  try {
    return place.disk.openFile(join(place.directory, tableName(meta.id)), 'read');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw corruptTable(meta.id, 0, 'the manifest names this table, but the file is missing');
  }
}

function readFooter(file: DiskFile, meta: TableMeta): Footer {
  const { id, fileBytes, footerCheck } = meta;
  const size = file.size();
  if (size !== fileBytes) {
    throw corruptTable(id, Math.min(size, fileBytes), `the file has ${size} bytes, the manifest says ${fileBytes}`);
  }
  const offset = fileBytes - FOOTER_BYTES;
  const bytes = file.read(offset, FOOTER_BYTES);
  const footer = decodeFooter(bytes, id, offset);
  if (footerCheckOf(bytes) !== footerCheck) throw corruptTable(id, offset, 'the manifest means another table');
  return footer;
}
