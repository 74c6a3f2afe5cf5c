/**
 * The page file: reads and verifies pages, writes pages and meta pages.
 *
 * - A read returns the page that its reference names, or throws `STORAGE_CORRUPT` with file and offset.
 * - Adjacent pages are collected and written together, at the latest before the next sync. Until then they are read
 *   from memory. A failed write throws from the call that caused it, and the next write or sync tries it again.
 */
import { join } from 'node:path';
import type { Disk, DiskFile, OpenMode } from '../disk.ts';
import { diskError } from '../disk-error.ts';
import { StorageError } from '../errors.ts';
import type { NodeRef, TreeNode } from './branch.ts';
import {
  decodeMeta,
  encodeMeta,
  META_PAGES,
  type Meta,
  metaOffset,
  openPage,
  PAGE_HEADER_BYTES,
  type PageHeader,
  type PageKind,
  type Reference,
  sealPage,
  UNIT_BYTES,
  unitsOf,
} from './format.ts';
import { decodeNode, encodeNode } from './pages.ts';
import type { ValueRef } from './value-ref.ts';

export const PAGE_FILE = 'tree.db';
/** Adjacent pages up to this size are written together. */
const PENDING_BYTES_MAX = 32 * UNIT_BYTES;

/** An open page file. */
export class PageFile {
  /** Name for error messages: its final name, also while it is a draft. */
  readonly name = PAGE_FILE;
  readonly #file: DiskFile;
  /** Adjacent pages that are not written yet, and their offset in the file. */
  readonly #pending = new Uint8Array(PENDING_BYTES_MAX);
  #pendingOffset = 0;
  #pendingBytes = 0;

  constructor(disk: Disk, path: { readonly directory: string; readonly name: string; readonly mode: OpenMode }) {
    this.#file = disk.openFile(join(path.directory, path.name), path.mode);
  }

  readNode(ref: NodeRef): TreeNode {
    const { page, header } = this.#read(ref);
    const node =
      header.level === ref.level ? decodeNode(page, header, ref.length) : `the node has level ${header.level}`;
    if (typeof node === 'string') throw this.corrupt(ref.unit * UNIT_BYTES, node);
    return node;
  }

  readValue(ref: ValueRef): Uint8Array {
    return this.#readKind(ref, 'value').subarray(PAGE_HEADER_BYTES, ref.length);
  }

  readFreeMap(ref: Reference): Uint8Array {
    return this.#readKind(ref, 'free map').slice(PAGE_HEADER_BYTES, ref.length);
  }

  /** Writes a node to the units from `place.unit` on and fills in its reference. */
  writeNode(ref: NodeRef, node: TreeNode, place: { readonly unit: number; readonly checkpoint: number }): void {
    const length = node.pageBytes;
    const page = this.#page(place.unit, length);
    encodeNode(node, page);
    const kind = node.level === 0 ? 'leaf' : 'branch';
    ref.crc = this.#write(page, length, { kind, level: node.level, count: node.count, ...place });
    ref.length = length;
    ref.unit = place.unit;
  }

  /** Writes bytes as a page and fills in the reference. */
  writeBytes(
    ref: Reference,
    bytes: Uint8Array,
    place: { readonly kind: PageKind; readonly unit: number; readonly checkpoint: number },
  ): void {
    const length = PAGE_HEADER_BYTES + bytes.length;
    const page = this.#page(place.unit, length);
    page.set(bytes, PAGE_HEADER_BYTES);
    ref.crc = this.#write(page, length, { ...place, level: 0, count: place.kind === 'value' ? 0 : bytes.length });
    ref.length = length;
    ref.unit = place.unit;
  }

  /** Both meta pages; for a damaged one, a sentence that describes the damage. */
  readMetas(): (Meta | string)[] {
    return Array.from({ length: META_PAGES }, (_, slot) =>
      decodeMeta(this.#bytes(slot * UNIT_BYTES, UNIT_BYTES), this.name),
    );
  }

  /** Writes a meta page to the slot of its checkpoint; durable after `sync`. */
  writeMeta(meta: Meta): void {
    this.#file.write(metaOffset(meta.checkpoint), encodeMeta(meta));
  }

  async sync(): Promise<void> {
    this.#writePending();
    await this.#file.sync();
  }

  size(): number {
    return this.#file.size();
  }

  close(): void {
    this.#file.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Off the event loop. Does not reject. */
  closeSoon(): Promise<void> {
    return this.#file.closeSoon();
  }

  corrupt(offset: number, what: string): StorageError {
    return new StorageError('STORAGE_CORRUPT', `${this.name} at offset ${offset}: ${what}`, {
      file: this.name,
      offset,
    });
  }

  #readKind(ref: Reference, kind: PageKind): Uint8Array {
    const { page, header } = this.#read(ref);
    if (header.kind !== kind)
      throw this.corrupt(ref.unit * UNIT_BYTES, `expected a ${kind} page, found a ${header.kind}`);
    return page;
  }

  #read(ref: Reference): { readonly page: Uint8Array; readonly header: PageHeader } {
    const page = this.#bytes(ref.unit * UNIT_BYTES, ref.length);
    const header = openPage(page, ref);
    if (typeof header === 'string') throw this.corrupt(ref.unit * UNIT_BYTES, header);
    return { page, header };
  }

  #bytes(offset: number, length: number): Uint8Array {
    const at = offset - this.#pendingOffset;
    if (at >= 0 && at < this.#pendingBytes) return this.#pending.slice(at, at + length);
    try {
      return this.#file.read(offset, length);
    } catch (error) {
      throw diskError(error, `Cannot read ${this.name} at offset ${offset}`);
    }
  }

  /** A buffer for a page of `length` bytes, padded with zeros; `#write` must be called next. */
  #page(unit: number, length: number): Uint8Array {
    const size = unitsOf(length) * UNIT_BYTES;
    const isNext = unit * UNIT_BYTES === this.#pendingOffset + this.#pendingBytes;
    if (!isNext || this.#pendingBytes + size > PENDING_BYTES_MAX) this.#writePending();
    if (size > PENDING_BYTES_MAX) return new Uint8Array(size);
    if (this.#pendingBytes === 0) this.#pendingOffset = unit * UNIT_BYTES;
    return this.#pending.subarray(this.#pendingBytes, this.#pendingBytes + size).fill(0, length);
  }

  #write(page: Uint8Array, length: number, header: PageHeader): number {
    const crc = sealPage(page, length, header);
    if (page.buffer === this.#pending.buffer) this.#pendingBytes += page.length;
    else this.#file.write(header.unit * UNIT_BYTES, page);
    return crc;
  }

  #writePending(): void {
    if (this.#pendingBytes === 0) return;
    this.#file.write(this.#pendingOffset, this.#pending.subarray(0, this.#pendingBytes));
    this.#pendingBytes = 0;
  }
}
