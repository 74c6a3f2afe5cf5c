/** Looks at the write-ahead log of a store that nobody has open, without opening it: whole, torn or damaged. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readMarker } from '../../storage/marker.ts';
import { decodeHeader, scanSegment } from '../../storage/wal-format.ts';
import { segmentNumber } from '../../storage/wal-segments.ts';

export interface WalFile {
  readonly file: string;
  readonly bytes: number;
  /** Whole records or frames in a row from the beginning; null where the format does not tell. */
  readonly records: number | null;
  readonly first_sequence: number | null;
  readonly last_sequence: number | null;
  /** Offset behind the last good record. */
  readonly end: number | null;
  /** What is wrong with its header, null when nothing is. */
  readonly fault: string | null;
}

const SQLITE_WAL = /-wal$/;
const SQLITE_HEADER_BYTES = 32;
const SQLITE_FRAME_HEADER_BYTES = 24;

export function walFiles(directory: string): WalFile[] {
  const store = join(directory, readMarker(directory)!.store);
  return readdirSync(store)
    .sort()
    .flatMap((name) => {
      if (segmentNumber(name) !== null) return [segment(store, name)];
      return SQLITE_WAL.test(name) ? [sqliteWal(store, name)] : [];
    });
}

/** What all files hold together. */
export function walRecords(directory: string): { readonly records: number; readonly bytes: number } {
  const files = walFiles(directory);
  return {
    records: files.reduce((sum, { records }) => sum + (records ?? 0), 0),
    bytes: files.reduce((sum, { end, bytes }) => sum + (end ?? bytes), 0),
  };
}

function segment(store: string, file: string): WalFile {
  const bytes = readFileSync(join(store, file));
  const header = decodeHeader(bytes);
  const nothing = { file, bytes: bytes.length, records: null, first_sequence: null, last_sequence: null, end: null };
  if (typeof header === 'string') return { ...nothing, fault: header };
  let records = 0;
  const { first, last, end } = scanSegment(bytes, header, { least: 1, most: Number.MAX_SAFE_INTEGER }, () => {
    records += 1;
  });
  const range =
    first === 0 ? { first_sequence: null, last_sequence: null } : { first_sequence: first, last_sequence: last };
  return { ...nothing, ...range, records, end, fault: null };
}

/** Frames by the size of the file; the newest ones may be left over from before the last checkpoint. */
function sqliteWal(store: string, file: string): WalFile {
  const { size } = statSync(join(store, file));
  const nothing = { file, bytes: size, first_sequence: null, last_sequence: null, end: null, fault: null };
  if (size < SQLITE_HEADER_BYTES) return { ...nothing, records: 0 };
  const pageBytes = readFileSync(join(store, file)).readUInt32BE(8);
  return { ...nothing, records: Math.floor((size - SQLITE_HEADER_BYTES) / (SQLITE_FRAME_HEADER_BYTES + pageBytes)) };
}
