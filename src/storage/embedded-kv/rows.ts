/**
 * The stored form of a value: its bytes, then the CRC-32 of key and value. SQLite's pages have no checksums; this one
 * turns a flipped bit into an error instead of a wrong value.
 */
import { crc32 } from 'node:zlib';
import type { Bytes } from '../engine.ts';
import { StorageError } from '../errors.ts';
import { placeOfRow } from './locate.ts';

const CRC_BYTES = 4;

/** The stored form of `value`. */
export function sealRow(key: Bytes, value: Bytes): Buffer {
  const sealed = Buffer.allocUnsafe(value.length + CRC_BYTES);
  sealed.set(value);
  sealed.writeUInt32BE(crc32(value, crc32(key)), value.length);
  return sealed;
}

/**
 * The value of a row. Throws `STORAGE_CORRUPT` with file and offset when the checksum does not match; `path` is the
 * database file. SQLite stores a type with each cell, so the cells of a damaged row may also be texts or numbers.
 */
export function openRow(row: { readonly key: unknown; readonly sealed: unknown; readonly path: string }): Buffer {
  const { key, sealed, path } = row;
  if (key instanceof Uint8Array && Buffer.isBuffer(sealed) && sealed.length >= CRC_BYTES) {
    const value = sealed.subarray(0, sealed.length - CRC_BYTES);
    if (crc32(value, crc32(key)) === sealed.readUInt32BE(value.length)) return value;
  }
  const { file, offset } = placeOfRow(path, bytesOf(key), bytesOf(sealed));
  const where = offset === undefined ? '' : ` at offset ${offset}`;
  const name = key instanceof Uint8Array ? Buffer.from(key).toString('hex', 0, 64) : String(key);
  throw new StorageError('STORAGE_CORRUPT', `${file}${where}: the row of key ${name} fails its checksum.`, {
    file,
    ...(offset !== undefined && { offset }),
  });
}

/** The bytes to search for in the file; none for a number, whose encoding is unknown. */
function bytesOf(cell: unknown): Uint8Array {
  if (cell instanceof Uint8Array) return cell;
  return Buffer.from(typeof cell === 'string' ? cell : '');
}
