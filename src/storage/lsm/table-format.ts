/** The format of a table file around its data blocks: names, checksums, footer (docs/formats/lsm.md). */
import { crc32c } from '../crc32c.ts';
import { otherFormat, StorageError } from '../errors.ts';
import { readU32, readU64, writeU32, writeU64 } from '../integers.ts';

export const FOOTER_BYTES = 68;
export const CHECK_BYTES = 4;
export const BLOCK_BYTES = 4_096;

const MAGIC = new TextEncoder().encode('DBLSMTAB');
const FORMAT_VERSION = 1;
const FOOTER_CHECK_AT = FOOTER_BYTES - CHECK_BYTES;

/** The fields of a footer that are stored as 32-bit words, in this order. */
const WORDS = [
  'id',
  'indexOffset',
  'indexBytes',
  'bloomOffset',
  'bloomBytes',
  'entries',
  'tombstones',
  'blocks',
] as const;
const WORDS_AT = 12;

export interface Footer extends Readonly<Record<(typeof WORDS)[number], number>> {
  readonly maxSequence: number;
  /** Bytes of all keys and values. */
  readonly rawBytes: number;
  /** Checksum over the checksums of all blocks, so that the footer identifies the whole file. */
  readonly contents: number;
}

/** The file name of a table. */
export function tableName(id: number): string {
  return `${String(id).padStart(10, '0')}.table`;
}

/** The id in the name of a table file, undefined for any other name. */
export function tableIdOf(name: string): number | undefined {
  return /^\d{10}\.table$/.test(name) ? Number(name.slice(0, 10)) : undefined;
}

/** The checksum of a block. It includes table id and offset, so a misplaced block does not match. */
export function blockCheck(payload: Uint8Array, place: { readonly id: number; readonly offset: number }): number {
  const seed = new Uint8Array(8);
  writeU32(seed, 0, place.id);
  writeU32(seed, 4, place.offset);
  return crc32c(payload, crc32c(seed));
}

/** The verified payload of a block that was read with its checksum. Throws `STORAGE_CORRUPT` with file and offset. */
export function checkedPayload(
  stored: Uint8Array,
  place: { readonly id: number; readonly offset: number; readonly bytes: number },
): Uint8Array {
  const { id, offset, bytes } = place;
  if (stored.length < bytes + CHECK_BYTES) throw corruptTable(id, offset, 'a block reaches past the end of the file');
  const payload = stored.subarray(0, bytes);
  if (readU32(stored, bytes) !== blockCheck(payload, place)) {
    throw corruptTable(id, offset, 'the checksum of a block does not match');
  }
  return payload;
}

/** The bytes of a footer, with its checksum. */
export function encodeFooter(footer: Footer): Uint8Array {
  const bytes = new Uint8Array(FOOTER_BYTES);
  bytes.set(MAGIC);
  writeU32(bytes, 8, FORMAT_VERSION);
  for (const [index, name] of WORDS.entries()) writeU32(bytes, WORDS_AT + index * 4, footer[name]);
  writeU64(bytes, 44, footer.maxSequence);
  writeU64(bytes, 52, footer.rawBytes);
  writeU32(bytes, 60, footer.contents);
  writeU32(bytes, FOOTER_CHECK_AT, crc32c(bytes.subarray(0, FOOTER_CHECK_AT)));
  return bytes;
}

/** Decodes the footer at `offset` of the file of table `id`. Throws `STORAGE_CORRUPT`, `STORAGE_FOREIGN`. */
export function decodeFooter(bytes: Uint8Array, id: number, offset: number): Footer {
  if (bytes.length !== FOOTER_BYTES) throw corruptTable(id, offset, 'the footer is cut off');
  if (readU32(bytes, FOOTER_CHECK_AT) !== crc32c(bytes.subarray(0, FOOTER_CHECK_AT))) {
    throw corruptTable(id, offset, 'the checksum of the footer does not match');
  }
  if (MAGIC.some((byte, at) => bytes[at] !== byte)) throw corruptTable(id, offset, 'this is no table of Daybook');
  const version = readU32(bytes, 8);
  if (version !== FORMAT_VERSION)
    throw otherFormat(tableName(id), { offset: offset + 8, version, known: FORMAT_VERSION });
  const words = WORDS.map((name, index) => [name, readU32(bytes, WORDS_AT + index * 4)] as const);
  const fields = Object.fromEntries(words) as Record<(typeof WORDS)[number], number>;
  if (fields.id !== id) throw corruptTable(id, offset, `the file holds table ${fields.id}`);
  const [maxSequence, rawBytes] = [readU64(bytes, 44), readU64(bytes, 52)];
  return { ...fields, maxSequence, rawBytes, contents: readU32(bytes, 60) };
}

/** The checksum in the bytes of a footer. */
export function footerCheckOf(footer: Uint8Array): number {
  return readU32(footer, FOOTER_CHECK_AT);
}

/** The error for damage in a table file at a byte offset. */
export function corruptTable(id: number, offset: number, what: string): StorageError {
  const file = tableName(id);
  return new StorageError('STORAGE_CORRUPT', `${file} is damaged at byte ${offset}: ${what}.`, { file, offset });
}
