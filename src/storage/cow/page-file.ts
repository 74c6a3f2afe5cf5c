/**
 * The page file: reads pages with every check their parents allow, writes them, and flips the meta pages.
 *
 * - A page read is what its reference means, or a `STORAGE_CORRUPT` that names file and offset.
 * - Pages that lie behind each other are written at once, before the next sync at the latest; until then they are read
 *   from memory. A write that fails is thrown to whoever writes or syncs next, and tried again by the one after.
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
/** Of pages that are written at once. */
const RUN_BYTES = 32 * UNIT_BYTES;

export class PageFile {
  /** Name for messages: the one it has, or will have after a rename. */
  readonly name = PAGE_FILE;
  readonly #file: DiskFile;
  /** Pages not written yet, and where in the file they begin. */
  readonly #run = new Uint8Array(RUN_BYTES);
  #runStart = 0;
  #runBytes = 0;

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

  /** Writes a node and fills in its reference. */
  writeNode(ref: NodeRef, node: TreeNode, place: { readonly unit: number; readonly checkpoint: number }): void {
    const length = node.pageBytes;
    const page = this.#page(place.unit, length);
    encodeNode(node, page);
    const kind = node.level === 0 ? 'leaf' : 'branch';
    ref.crc = this.#write(page, length, { kind, level: node.level, count: node.count, ...place });
    ref.length = length;
    ref.unit = place.unit;
  }

  /** Writes bytes as a page of their own and fills in the reference. */
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

  /** Both meta pages, each either good or a sentence about what is wrong with it. */
  readMetas(): (Meta | string)[] {
    return Array.from({ length: META_PAGES }, (_, slot) => decodeMeta(this.#bytes(slot * UNIT_BYTES, UNIT_BYTES)));
  }

  writeMeta(meta: Meta): void {
    this.#file.write(metaOffset(meta.checkpoint), encodeMeta(meta));
  }

  async sync(): Promise<void> {
    this.#writeRun();
    await this.#file.sync();
  }

  size(): number {
    return this.#file.size();
  }

  close(): void {
    this.#file.close();
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
    const at = offset - this.#runStart;
    if (at >= 0 && at < this.#runBytes) return this.#run.slice(at, at + length);
    try {
      return this.#file.read(offset, length);
    } catch (error) {
      throw diskError(error, `Cannot read ${this.name} at offset ${offset}`);
    }
  }

  /** A buffer for a page of `length` bytes, zero behind it; valid until `#write`, which must follow. */
  #page(unit: number, length: number): Uint8Array {
    const size = unitsOf(length) * UNIT_BYTES;
    const isNext = unit * UNIT_BYTES === this.#runStart + this.#runBytes;
    if (!isNext || this.#runBytes + size > RUN_BYTES) this.#writeRun();
    if (size > RUN_BYTES) return new Uint8Array(size);
    if (this.#runBytes === 0) this.#runStart = unit * UNIT_BYTES;
    return this.#run.subarray(this.#runBytes, this.#runBytes + size).fill(0, length);
  }

  #write(page: Uint8Array, length: number, header: PageHeader): number {
    const crc = sealPage(page, length, header);
    if (page.buffer === this.#run.buffer) this.#runBytes += page.length;
    else this.#file.write(header.unit * UNIT_BYTES, page);
    return crc;
  }

  #writeRun(): void {
    if (this.#runBytes === 0) return;
    this.#file.write(this.#runStart, this.#run.subarray(0, this.#runBytes));
    this.#runBytes = 0;
  }
}
