/** The bytes of a store that hold nothing, computed by the format of each file. */
import { decodeManifest, MANIFEST } from '../../src/storage/lsm/manifest.ts';
import { decodeHeader, RECORD_HEADER_BYTES, SEGMENT_HEADER_BYTES, scanSegment } from '../../src/storage/wal-format.ts';
import { PAGE_BYTES, pagesIn, type Range, rangesOf, sqliteSpace, withPages } from './sqlite-space.ts';
import type { Files, StoreImage } from './store-trial.ts';

/** Of the header of a segment: behind its checksum it is padding. */
const SEGMENT_HEADER_CHECKED = 36;
const DATABASE = 'data.sqlite';

/** The ranges of each file that has any. */
export function spaceOf({
  backend,
  files,
}: Pick<StoreImage, 'backend' | 'files'>): ReadonlyMap<string, readonly Range[]> {
  return backend === 'embedded_kv' ? databaseSpace(files) : logSpace(files);
}

/** Tables and the manifest have no free byte. */
function logSpace(files: Files): ReadonlyMap<string, readonly Range[]> {
  const manifest = [...files].find(([name]) => name.endsWith(`/${MANIFEST}`))![1];
  const { lastSequence } = decodeManifest(manifest);
  const spaces = new Map<string, readonly Range[]>();
  for (const [name, bytes] of files) {
    if (/\/wal-\d+\.log$/.test(name)) spaces.set(name, segmentSpace(bytes, lastSequence));
    // A file that open removes: it is kept for later use.
    if (/\/wal-spare-\d+$/.test(name)) spaces.set(name, [{ from: 0, to: bytes.length }]);
  }
  return spaces;
}

/**
 * Padding, records of commits that the tables contain, empty records, and everything behind the last record: it is not
 * part of the log, nor is an attestation in it. The first record of a segment must be there, whatever it holds.
 */
function segmentSpace(bytes: Buffer, lastSequence: number): readonly Range[] {
  const header = decodeHeader(bytes);
  if (typeof header === 'string') throw new Error(header);
  const used = new Uint8Array(bytes.length).fill(1, 0, SEGMENT_HEADER_CHECKED);
  const fits = { least: 1, most: Number.MAX_SAFE_INTEGER };
  scanSegment(bytes, header, fits, (sequence, _, { start, end }) => {
    const isFirst = start === SEGMENT_HEADER_BYTES + RECORD_HEADER_BYTES;
    if (isFirst || (sequence > lastSequence && end > start)) used.fill(1, start - RECORD_HEADER_BYTES, end);
  });
  return rangesOf(used);
}

/** A page that the write-ahead log holds anew is not read from the database. */
function databaseSpace(files: Files): ReadonlyMap<string, readonly Range[]> {
  const name = [...files.keys()].find((path) => path.endsWith(`/${DATABASE}`))!;
  const file = files.get(name)!;
  const newer = pagesIn(files.get(`${name}-wal`));
  const used = new Uint8Array(file.length).fill(1);
  for (const { from, to } of sqliteSpace(withPages(file, newer))) used.fill(0, from, to);
  for (const page of newer.keys()) used.fill(0, (page - 1) * PAGE_BYTES, page * PAGE_BYTES);
  const durable = files.get(`${name}-durable`);
  const spaces = new Map<string, readonly Range[]>([[name, rangesOf(used)]]);
  // It is read to tell damage from a torn end, and holds nothing of the log.
  if (durable !== undefined) spaces.set(`${name}-durable`, [{ from: 0, to: durable.length }]);
  return spaces;
}
