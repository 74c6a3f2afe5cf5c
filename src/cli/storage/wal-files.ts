/** Reads the write-ahead log of a store that no process has open, without opening the store. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PAGE_FILE, PageFile } from '../../storage/cow/page-file.ts';
import { readManifest } from '../../storage/lsm/manifest.ts';
import { readMarker } from '../../storage/marker.ts';
import { nodeDisk } from '../../storage/node-disk.ts';
import { decodeHeader, recordBytes, scanSegment } from '../../storage/wal-format.ts';
import { segmentNumber } from '../../storage/wal-segments.ts';

interface WalFile {
  readonly file: string;
  readonly bytes: number;
  /** Valid records or frames from the beginning; null where the format does not tell. */
  readonly records: number | null;
  readonly first_sequence: number | null;
  readonly last_sequence: number | null;
  /** Offset after the last valid record. */
  readonly end: number | null;
  /** The fault of its header; null when it has none. */
  readonly fault: string | null;
}

const ANY = { least: 1, most: Number.MAX_SAFE_INTEGER };
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

/** Number and bytes of the commits that the next open replays: those after the last one in the pages or tables. */
export function toReplay(directory: string): { readonly records: number; readonly bytes: number } {
  const { backend, store: name } = readMarker(directory)!;
  const store = join(directory, name);
  const found = { records: 0, bytes: 0 };
  if (backend === 'embedded_kv') {
    for (const { records, bytes } of walFiles(directory)) {
      found.records += records ?? 0;
      found.bytes += bytes;
    }
    return found;
  }
  const storedSequence = backend === 'cow' ? newestMeta(store) : (readManifest(nodeDisk, store)?.lastSequence ?? 0);
  for (const file of readdirSync(store).filter((candidate) => segmentNumber(candidate) !== null)) {
    const bytes = readFileSync(join(store, file));
    const header = decodeHeader(bytes, file);
    if (typeof header === 'string') continue;
    scanSegment(bytes, header, ANY, (sequence, _, { start, end }) => {
      if (sequence <= storedSequence || start === end) return;
      found.records += 1;
      found.bytes += recordBytes(end - start);
    });
  }
  return found;
}

/** The sequence number of the last commit in the page file. */
function newestMeta(store: string): number {
  using file = new PageFile(nodeDisk, { directory: store, name: PAGE_FILE, mode: 'read' });
  return Math.max(0, ...file.readMetas().map((meta) => (typeof meta === 'string' ? 0 : meta.sequence)));
}

function segment(store: string, file: string): WalFile {
  const bytes = readFileSync(join(store, file));
  const header = decodeHeader(bytes, file);
  const nothing = { file, bytes: bytes.length, records: null, first_sequence: null, last_sequence: null, end: null };
  if (typeof header === 'string') return { ...nothing, fault: header };
  let records = 0;
  const { first, last, end } = scanSegment(bytes, header, ANY, () => {
    records += 1;
  });
  const range =
    first === 0 ? { first_sequence: null, last_sequence: null } : { first_sequence: first, last_sequence: last };
  return { ...nothing, ...range, records, end, fault: null };
}

/** Frames from the size of the file; the last ones may be older than the last checkpoint. */
function sqliteWal(store: string, file: string): WalFile {
  const { size } = statSync(join(store, file));
  const nothing = { file, bytes: size, records: 0, first_sequence: null, last_sequence: null, end: null, fault: null };
  if (size < SQLITE_HEADER_BYTES) return nothing;
  const pageBytes = readFileSync(join(store, file)).readUInt32BE(8);
  return { ...nothing, records: Math.floor((size - SQLITE_HEADER_BYTES) / (SQLITE_FRAME_HEADER_BYTES + pageBytes)) };
}
