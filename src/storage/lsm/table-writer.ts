/**
 * Writes a table file: data blocks while versions are added, then bloom filter, index and footer, then a sync.
 *
 * - Versions must come in table order: key ascending, sequence descending.
 * - A block never ends between two versions of one key.
 * - The file is complete and durable when `finish` returns. It belongs to the store once a manifest names it.
 */
import { join } from 'node:path';
import { withRoom } from '../copies.ts';
import { crc32c } from '../crc32c.ts';
import type { Disk, DiskFile } from '../disk.ts';
import { writeU32 } from '../integers.ts';
import { BlockWriter, type Version } from './block-writer.ts';
import { buildBloom } from './bloom.ts';
import { hashKey, writeVarint } from './bytes.ts';
import { BLOCK_BYTES, blockCheck, CHECK_BYTES, encodeFooter, footerCheckOf, tableName } from './table-format.ts';

const OUTPUT_BYTES = 1_048_576;

/** The description of a table in the manifest. */
export interface TableMeta {
  readonly id: number;
  readonly fileBytes: number;
  readonly entries: number;
  readonly tombstones: number;
  readonly rawBytes: number;
  readonly maxSequence: number;
  readonly footerCheck: number;
  readonly smallest: Uint8Array;
  readonly largest: Uint8Array;
}

/** Writes one table file. */
export class TableWriter {
  readonly #id: number;
  readonly #file: DiskFile;
  readonly #block = new BlockWriter();
  #output = new Uint8Array(OUTPUT_BYTES);
  #used = 0;
  #written = 0;
  #index = new Uint8Array(4_096);
  #indexUsed = 0;
  #blocks = 0;
  /** Checksum over the checksums of the blocks so far. */
  #contents = 0;
  readonly #hashes: number[] = [];
  #entries = 0;
  #tombstones = 0;
  #rawBytes = 0;
  #maxSequence = 0;
  #smallest: Uint8Array | undefined;

  constructor(disk: Disk, directory: string, id: number) {
    this.#id = id;
    this.#file = disk.openFile(join(directory, tableName(id)), 'create');
  }

  get bytes(): number {
    return this.#written + this.#used + this.#block.bytes;
  }

  /** `isNewKey`: the version has another key than the one before. */
  add(version: Version, isNewKey: boolean): void {
    if (isNewKey && this.#block.bytes >= BLOCK_BYTES) this.#endBlock();
    const { keyBytes, keyStart, keyEnd, code } = version;
    if (isNewKey) this.#hashes.push(hashKey(keyBytes, keyStart, keyEnd));
    this.#smallest ??= keyBytes.slice(keyStart, keyEnd);
    this.#block.add(version);
    this.#entries += 1;
    if (code === 0) this.#tombstones += 1;
    this.#rawBytes += keyEnd - keyStart + (code === 0 ? 0 : code - 1);
    if (version.sequence > this.#maxSequence) this.#maxSequence = version.sequence;
  }

  finish(): TableMeta {
    this.#endBlock();
    const largest = this.#block.key.slice(0, this.#block.keyLength);
    const bloom = buildBloom(this.#hashes);
    const bloomOffset = this.#writeBlock(bloom);
    const index = this.#index.subarray(0, this.#indexUsed);
    const indexOffset = this.#writeBlock(index);
    const counts = { entries: this.#entries, tombstones: this.#tombstones, rawBytes: this.#rawBytes };
    const maxSequence = this.#maxSequence;
    const places = { indexOffset, indexBytes: index.length, bloomOffset, bloomBytes: bloom.length };
    const whole = { blocks: this.#blocks, maxSequence, contents: this.#contents };
    const footer = encodeFooter({ id: this.#id, ...places, ...counts, ...whole });
    this.#put(footer);
    this.#flush();
    this.#file.syncNow();
    this.#file.close();
    const check = { footerCheck: footerCheckOf(footer), smallest: this.#smallest!, largest };
    return { id: this.#id, fileBytes: this.#written, ...counts, maxSequence, ...check };
  }

  /** Closes an unfinished file, which the caller or the next open removes. */
  abandon(): void {
    this.#file.close();
  }

  #endBlock(): void {
    const { key, keyLength } = this.#block;
    const payload = this.#block.finish();
    this.#index = withRoom(this.#index, this.#indexUsed + keyLength + 16);
    let at = writeVarint(this.#index, this.#indexUsed, keyLength);
    this.#index.set(key.subarray(0, keyLength), at);
    at = writeVarint(this.#index, at + keyLength, payload.length);
    this.#indexUsed = at;
    this.#blocks += 1;
    this.#writeBlock(payload);
  }

  /** Writes a payload and its checksum; returns the offset of the payload. */
  #writeBlock(payload: Uint8Array): number {
    const offset = this.#written + this.#used;
    const check = new Uint8Array(CHECK_BYTES);
    writeU32(check, 0, blockCheck(payload, { id: this.#id, offset }));
    this.#contents = crc32c(check, this.#contents);
    this.#put(payload);
    this.#put(check);
    return offset;
  }

  #put(bytes: Uint8Array): void {
    if (this.#used + bytes.length > this.#output.length) this.#flush();
    if (bytes.length > this.#output.length) {
      this.#file.write(this.#written, bytes);
      this.#written += bytes.length;
      return;
    }
    this.#output.set(bytes, this.#used);
    this.#used += bytes.length;
  }

  #flush(): void {
    if (this.#used === 0) return;
    this.#file.write(this.#written, this.#output.subarray(0, this.#used));
    this.#written += this.#used;
    this.#used = 0;
  }
}
