/**
 * How a value lies in a row: its bytes, then the CRC-32 of key and value. SQLite's pages carry no checksums, so this is
 * what turns a flipped bit into an error instead of another answer.
 */
import { crc32 } from 'node:zlib';
import type { Bytes } from '../engine.ts';
import { StorageError } from '../errors.ts';
import { placeOfRow } from './locate.ts';

const CRC_BYTES = 4;

export function sealRow(key: Bytes, value: Bytes): Buffer {
  const sealed = Buffer.allocUnsafe(value.length + CRC_BYTES);
  sealed.set(value);
  sealed.writeUInt32BE(crc32(value, crc32(key)), value.length);
  return sealed;
}

/**
 * The value of a row, or `STORAGE_CORRUPT` naming the file and offset; `path` is that of the database. A damaged row
 * may come back as a text or a number: SQLite keeps the type of each cell beside it.
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

/** What lies in the file of a cell: nothing that could be looked for when it came back as a number. */
function bytesOf(cell: unknown): Uint8Array {
  if (cell instanceof Uint8Array) return cell;
  return Buffer.from(typeof cell === 'string' ? cell : '');
}
