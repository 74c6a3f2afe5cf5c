/**
 * Writes a zip file of stored entries in one way only: sorted by name, without times, extra fields and gaps. So equal
 * files give equal bytes.
 */
import { crc32 } from 'node:zlib';

export interface ZipEntry {
  /** With `/` between folders. */
  readonly name: string;
  readonly content: Uint8Array;
}

/** More need the larger records of ZIP64, which this writer does not make. */
const ZIP_ENTRIES_MAX = 65_535;

/** Version 20, UTF-8 names, stored, time 0, 1980-01-01. */
const FIXED = [20, 0x0800, 0, 0, 0x0021];
const LOCAL = Buffer.from('PK\x03\x04', 'latin1');
const CENTRAL = Buffer.from('PK\x01\x02\x14\x00', 'latin1');
const END = Buffer.from('PK\x05\x06\x00\x00\x00\x00', 'latin1');

/** Throws `RangeError` for too many entries, or entries of 4 GiB together. */
export function storedZip(entries: readonly ZipEntry[]): Buffer {
  if (entries.length > ZIP_ENTRIES_MAX) throw new RangeError(`A zip file has at most ${ZIP_ENTRIES_MAX} entries.`);
  const sorted = [...entries].sort((left, right) => (left.name < right.name ? -1 : 1));
  const files: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let at = 0;
  for (const { name, content } of sorted) {
    const nameBytes = Buffer.from(name);
    const head = headOf(nameBytes, content);
    // Comment, disk, attributes: none.
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(at, 10);
    directory.push(CENTRAL, head, rest, nameBytes);
    files.push(LOCAL, head, nameBytes, content);
    at += LOCAL.length + head.length + nameBytes.length + content.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(14);
  end.writeUInt16LE(sorted.length, 0);
  end.writeUInt16LE(sorted.length, 2);
  end.writeUInt32LE(listed.length, 4);
  end.writeUInt32LE(at, 8);
  return Buffer.concat([...files, listed, END, end]);
}

/** The fields that a file and its line in the directory have in common. */
function headOf(name: Buffer, content: Uint8Array): Buffer {
  const head = Buffer.alloc(26);
  for (const [index, value] of FIXED.entries()) head.writeUInt16LE(value, 2 * index);
  head.writeUInt32LE(crc32(content), 10);
  head.writeUInt32LE(content.length, 14);
  head.writeUInt32LE(content.length, 18);
  head.writeUInt16LE(name.length, 22);
  return head;
}
