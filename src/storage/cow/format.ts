/** The format of the page file (`docs/formats/cow.md`): sizes, page header, references, meta page. No I/O. */
import { crc32c } from '../crc32c.ts';
import { otherFormat } from '../errors.ts';
import { readU64, writeU64 } from '../integers.ts';

export const UNIT_BYTES = 4096;
export const META_PAGES = 2;
export const PAGE_HEADER_BYTES = 32;
export const REFERENCE_BYTES = 12;
/** The size field of a separator in a branch. */
export const SEPARATOR_SIZE_BYTES = 2;
export const ENTRY_HEADER_BYTES = 6;
export const OFFSET_BYTES = 4;
/**
 * A longer value gets its own page. The limit is three units less a header, so a value page wastes at most a quarter.
 */
export const VALUE_INLINE_BYTES_MAX = 3 * UNIT_BYTES - PAGE_HEADER_BYTES;
/** A leaf with a longer page is split if it has more than `LEAF_ENTRIES_MIN` entries. */
export const LEAF_BYTES_MAX = 2 * UNIT_BYTES;
/** Long values share a leaf by at least this many, so that the unused rest of its last unit is a small part. */
export const LEAF_ENTRIES_MIN = 4;
/** A branch with a longer page is split if it has more than `BRANCH_CHILDREN_MIN` children. */
export const BRANCH_BYTES_MAX = 8 * UNIT_BYTES;
/** A branch with no more children is not split for its size. */
export const BRANCH_CHILDREN_MIN = 4;
/** Flag in the value size of an entry: the value has its own page. */
export const OWN_PAGE = 0x80000000;

const MAGIC = new TextEncoder().encode('DAYBKCOW');
const VERSION = 1;
const META_BYTES = 84;
const META_CHECKED_BYTES = 80;

export type PageKind = 'leaf' | 'branch' | 'value' | 'free map';
const KINDS: readonly PageKind[] = ['leaf', 'branch', 'value', 'free map'];

/** The address of a page: its first unit (0: not written yet), its length in bytes and its checksum. */
export interface Reference {
  unit: number;
  length: number;
  crc: number;
}

export interface PageHeader {
  readonly kind: PageKind;
  readonly level: number;
  readonly unit: number;
  readonly checkpoint: number;
  readonly count: number;
}

/** The content of a meta page: one durable state of the tree. */
export interface Meta {
  /** Number of the checkpoint; the valid meta page with the higher one counts. */
  readonly checkpoint: number;
  /** Sequence of the newest commit that the tree contains. */
  readonly sequence: number;
  readonly keys: number;
  /** Bytes of all keys and values. */
  readonly bytes: number;
  readonly root: Reference;
  readonly freeMap: Reference;
  readonly levels: number;
  /** Units of the file. */
  readonly units: number;
}

/** Units that a page of `length` bytes takes. */
export function unitsOf(length: number): number {
  return Math.ceil(length / UNIT_BYTES);
}

/** Fills in the header of a page whose content is in place, and returns the page's checksum. */
export function sealPage(page: Uint8Array, length: number, header: PageHeader): number {
  const view = viewOf(page);
  page[4] = KINDS.indexOf(header.kind) + 1;
  page[5] = header.level;
  page[6] = 0;
  page[7] = 0;
  writeU64(page, 8, header.unit);
  writeU64(page, 16, header.checkpoint);
  view.setUint32(24, length, true);
  view.setUint32(28, header.count, true);
  const crc = crc32c(page, 0, 4, length);
  view.setUint32(0, crc, true);
  return crc;
}

/** The header of a page read through `reference`, or a sentence that describes the damage. */
export function openPage(page: Uint8Array, reference: Reference): PageHeader | string {
  if (page.length < reference.length || reference.length < PAGE_HEADER_BYTES) return 'the page ends beyond the file';
  const view = viewOf(page);
  const crc = crc32c(page, 0, 4, reference.length);
  if (view.getUint32(0, true) !== crc) return 'checksum of the page does not match';
  if (crc !== reference.crc) return 'this is not the page that its parent means: a write was lost';
  const unit = readU64(page, 8);
  if (unit !== reference.unit) return `the page belongs at unit ${unit}`;
  if (view.getUint32(24, true) !== reference.length) return 'the length of the page differs from what its parent says';
  const kind = KINDS[page[4]! - 1];
  if (kind === undefined) return `unknown kind of page ${page[4]}`;
  return { kind, level: page[5]!, unit, checkpoint: readU64(page, 16), count: view.getUint32(28, true) };
}

/** Writes a reference to a page: 12 bytes. */
export function putReference(view: DataView, at: number, reference: Reference): void {
  view.setUint32(at, reference.unit, true);
  view.setUint32(at + 4, reference.length, true);
  view.setUint32(at + 8, reference.crc, true);
}

/** Reads a reference to a page: 12 bytes. */
export function getReference(view: DataView, at: number): Reference {
  return { unit: view.getUint32(at, true), length: view.getUint32(at + 4, true), crc: view.getUint32(at + 8, true) };
}

/** Offset of the meta page of a checkpoint: the two slots alternate. */
export function metaOffset(checkpoint: number): number {
  return (checkpoint % META_PAGES) * UNIT_BYTES;
}

/** The bytes of a meta page, with its checksum. */
export function encodeMeta(meta: Meta): Uint8Array {
  const bytes = new Uint8Array(META_BYTES);
  const view = viewOf(bytes);
  bytes.set(MAGIC);
  view.setUint32(8, VERSION, true);
  view.setUint32(12, UNIT_BYTES, true);
  writeU64(bytes, 16, meta.checkpoint);
  writeU64(bytes, 24, meta.sequence);
  writeU64(bytes, 32, meta.keys);
  writeU64(bytes, 40, meta.bytes);
  putReference(view, 48, meta.root);
  putReference(view, 60, meta.freeMap);
  view.setUint32(72, meta.levels, true);
  view.setUint32(76, meta.units, true);
  view.setUint32(META_CHECKED_BYTES, crc32c(bytes, 0, 0, META_CHECKED_BYTES), true);
  return bytes;
}

/** The meta page at the start of `bytes` of the file `name`, or a sentence that describes the damage. Throws `STORAGE_FOREIGN`. */
export function decodeMeta(bytes: Uint8Array, name: string): Meta | string {
  if (bytes.length < META_BYTES) return 'the file is shorter than its meta pages';
  if (MAGIC.some((byte, at) => bytes[at] !== byte)) return 'this is no page file of the cow engine (bad magic number)';
  const view = viewOf(bytes);
  if (view.getUint32(META_CHECKED_BYTES, true) !== crc32c(bytes, 0, 0, META_CHECKED_BYTES)) {
    return 'checksum of the meta page does not match';
  }
  const version = view.getUint32(8, true);
  if (version !== VERSION) throw otherFormat(name, { offset: 8, version, known: VERSION });
  if (view.getUint32(12, true) !== UNIT_BYTES)
    return `the unit is ${view.getUint32(12, true)} bytes, not ${UNIT_BYTES}`;
  return {
    checkpoint: readU64(bytes, 16),
    sequence: readU64(bytes, 24),
    keys: readU64(bytes, 32),
    bytes: readU64(bytes, 40),
    root: getReference(view, 48),
    freeMap: getReference(view, 60),
    levels: view.getUint32(72, true),
    units: view.getUint32(76, true),
  };
}

/** A `DataView` over the same bytes. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
