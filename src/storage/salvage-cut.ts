/** Cuts the write-ahead log of a copied store at the damage that its engine reported. */
import { closeSync, fsyncSync, ftruncateSync, openSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { StorageError } from './errors.ts';
import { SEGMENT_HEADER_BYTES } from './wal-format.ts';
import { segmentNumber } from './wal-segments.ts';

export interface LogCut {
  readonly file: string;
  readonly offset: number;
  /** Bytes from the offset to the end of the file. */
  readonly bytes: number;
}

const SQLITE_WAL = 'data.sqlite-wal';
/** Records how much of the log was durable; must be removed, or a shorter log counts as damaged. */
const SQLITE_DURABLE = 'data.sqlite-durable';

/** Cuts the log and returns what was cut; nothing when the fault is not in a log or a cut cannot repair it. */
export function cutLog(store: string, { code, file, offset }: StorageError): readonly LogCut[] {
  if (code !== 'STORAGE_CORRUPT' || file === undefined || offset === undefined) return [];
  if (file === SQLITE_WAL) return [cutSqlite(store, offset)];
  const number = segmentNumber(file);
  return number === null || offset < SEGMENT_HEADER_BYTES ? [] : cutSegments(store, { file, number, offset });
}

function cutSqlite(store: string, offset: number): LogCut {
  const path = join(store, SQLITE_WAL);
  const { size } = statSync(path);
  truncateSync(path, offset);
  rmSync(join(store, SQLITE_DURABLE), { force: true });
  return { file: SQLITE_WAL, offset, bytes: size - offset };
}

interface Fault {
  readonly file: string;
  readonly number: number;
  readonly offset: number;
}

/** Replaces the rest of the segment by zeros, as if nothing was written there, and removes the segments after it. */
function cutSegments(store: string, { file, number, offset }: Fault): readonly LogCut[] {
  const { size } = statSync(join(store, file));
  if (offset >= size) return [];
  const handle = openSync(join(store, file), 'r+');
  try {
    ftruncateSync(handle, offset);
    ftruncateSync(handle, size);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  const later = readdirSync(store).filter((name) => (segmentNumber(name) ?? 0) > number);
  const removed = later.map((name) => ({ file: name, offset: 0, bytes: statSync(join(store, name)).size }));
  for (const name of later) rmSync(join(store, name));
  return [{ file, offset, bytes: size - offset }, ...removed];
}
