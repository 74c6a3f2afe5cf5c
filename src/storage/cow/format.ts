/** The format of the page file (`docs/formats/cow.md`): sizes, page header, references, meta page. No I/O. */
import { crc32c } from '../crc32c.ts';
import { otherFormat } from '../errors.ts';
import { readU32, readU64, writeU32, writeU64 } from '../integers.ts';

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
  page[4] = KINDS.indexOf(header.kind) + 1;
  page[5] = header.level;
  page[6] = 0;
  page[7] = 0;
  writeU64(page, 8, header.unit);
  writeU64(page, 16, header.checkpoint);
  writeU32(page, 24, length);
  writeU32(page, 28, header.count);
  const crc = crc32c(page, 0, 4, length);
  writeU32(page, 0, crc);
  return crc;
}

/** The header of a page read through `reference`, or a sentence that describes the damage. */
export function openPage(page: Uint8Array, reference: Reference): PageHeader | string {
  if (page.length < reference.length || reference.length < PAGE_HEADER_BYTES) return 'the page ends beyond the file';
  const crc = crc32c(page, 0, 4, reference.length);
  if (readU32(page, 0) !== crc) return 'checksum of the page does not match';
  if (crc !== reference.crc) return 'this is not the page that its parent means: a write was lost';
  const unit = readU64(page, 8);
  if (unit !== reference.unit) return `the page belongs at unit ${unit}`;
  if (readU32(page, 24) !== reference.length) return 'the length of the page differs from what its parent says';
  const kind = KINDS[page[4]! - 1];
  if (kind === undefined) return `unknown kind of page ${page[4]}`;
  return { kind, level: page[5]!, unit, checkpoint: readU64(page, 16), count: readU32(page, 28) };
}

/** Writes a reference to a page: 12 bytes. */
export function putReference(bytes: Uint8Array, at: number, reference: Reference): void {
  writeU32(bytes, at, reference.unit);
  writeU32(bytes, at + 4, reference.length);
  writeU32(bytes, at + 8, reference.crc);
}

/** Reads a reference to a page: 12 bytes. */
export function getReference(bytes: Uint8Array, at: number): Reference {
  return { unit: readU32(bytes, at), length: readU32(bytes, at + 4), crc: readU32(bytes, at + 8) };
}

/** Offset of the meta page of a checkpoint: the two slots alternate. */
export function metaOffset(checkpoint: number): number {
  return (checkpoint % META_PAGES) * UNIT_BYTES;
}

/** The bytes of a meta page, with its checksum. */
export function encodeMeta(meta: Meta): Uint8Array {
  const bytes = new Uint8Array(META_BYTES);
  bytes.set(MAGIC);
  writeU32(bytes, 8, VERSION);
  writeU32(bytes, 12, UNIT_BYTES);
  writeU64(bytes, 16, meta.checkpoint);
  writeU64(bytes, 24, meta.sequence);
  writeU64(bytes, 32, meta.keys);
  writeU64(bytes, 40, meta.bytes);
  putReference(bytes, 48, meta.root);
  putReference(bytes, 60, meta.freeMap);
  writeU32(bytes, 72, meta.levels);
  writeU32(bytes, 76, meta.units);
  writeU32(bytes, META_CHECKED_BYTES, crc32c(bytes, 0, 0, META_CHECKED_BYTES));
  return bytes;
}

/** The meta page at the start of `bytes` of the file `name`, or a sentence that describes the damage. Throws `STORAGE_FOREIGN`. */
export function decodeMeta(bytes: Uint8Array, name: string): Meta | string {
  if (bytes.length < META_BYTES) return 'the file is shorter than its meta pages';
  if (MAGIC.some((byte, at) => bytes[at] !== byte)) return 'this is no page file of the cow engine (bad magic number)';
  if (readU32(bytes, META_CHECKED_BYTES) !== crc32c(bytes, 0, 0, META_CHECKED_BYTES)) {
    return 'checksum of the meta page does not match';
  }
  const version = readU32(bytes, 8);
  if (version !== VERSION) throw otherFormat(name, { offset: 8, version, known: VERSION });
  const unitBytes = readU32(bytes, 12);
  if (unitBytes !== UNIT_BYTES) return `the unit is ${unitBytes} bytes, not ${UNIT_BYTES}`;
  return {
    checkpoint: readU64(bytes, 16),
    sequence: readU64(bytes, 24),
    keys: readU64(bytes, 32),
    bytes: readU64(bytes, 40),
    root: getReference(bytes, 48),
    freeMap: getReference(bytes, 60),
    levels: readU32(bytes, 72),
    units: readU32(bytes, 76),
  };
}
