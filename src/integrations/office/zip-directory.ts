/**
 * Reads the central directory of a ZIP file, without unpacking.
 *
 * - At most `ENTRIES_MAX` names in `DIRECTORY_BYTES_MAX`; null for larger directories and for other files.
 * - Sizes are those that the directory states. They suffice to refuse a bomb with true sizes; job limits stop others.
 */
import type { FileHandle } from 'node:fs/promises';
import { readAt } from '../documents/guard.ts';

export interface ZipDirectory {
  readonly names: readonly string[];
  /** Claimed size of all entries when unpacked. */
  readonly unpackedBytes: number;
  /** The content of a stored first entry `mimetype`, as ODF requires. */
  readonly mimetype: string | null;
}

const ENTRIES_MAX = 20_000;
const DIRECTORY_BYTES_MAX = 4 * 1024 * 1024;
const END_BYTES = 22;
const COMMENT_BYTES_MAX = 65_535;
const MIMETYPE_BYTES_MAX = 200;

export async function zipDirectory(file: FileHandle, fileBytes: number): Promise<ZipDirectory | null> {
  const tail = await readAt(
    file,
    Math.max(0, fileBytes - END_BYTES - COMMENT_BYTES_MAX),
    END_BYTES + COMMENT_BYTES_MAX,
  );
  const end = tail.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  if (end < 0 || end + END_BYTES > tail.length) return null;
  const count = tail.readUInt16LE(end + 10);
  const directoryBytes = tail.readUInt32LE(end + 12);
  if (count > ENTRIES_MAX || directoryBytes > DIRECTORY_BYTES_MAX) return null;
  const directory = await readAt(file, tail.readUInt32LE(end + 16), directoryBytes);
  const entries = readEntries(directory, count);
  return entries === null ? null : { ...entries, mimetype: await storedMimetype(file) };
}

function readEntries(directory: Buffer, count: number): Pick<ZipDirectory, 'names' | 'unpackedBytes'> | null {
  const names: string[] = [];
  let unpackedBytes = 0;
  let at = 0;
  for (let left = count; left > 0; left -= 1) {
    if (at + 46 > directory.length || directory.toString('latin1', at, at + 4) !== 'PK\x01\x02') return null;
    unpackedBytes += directory.readUInt32LE(at + 24);
    const nameBytes = directory.readUInt16LE(at + 28);
    names.push(directory.toString('utf8', at + 46, at + 46 + nameBytes));
    at += 46 + nameBytes + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return { names, unpackedBytes };
}

async function storedMimetype(file: FileHandle): Promise<string | null> {
  const head = await readAt(file, 0, 38 + MIMETYPE_BYTES_MAX);
  if (head.length < 38 || head.toString('latin1', 30, 38) !== 'mimetype' || head.readUInt16LE(8) !== 0) return null;
  const start = 30 + head.readUInt16LE(26) + head.readUInt16LE(28);
  return head.toString('latin1', start, start + Math.min(head.readUInt32LE(18), MIMETYPE_BYTES_MAX));
}
