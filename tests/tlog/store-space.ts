/** The unused bytes of a store, computed from the format of each file. */
import { decodeHeader, scanSegment } from '../../src/storage/wal-format.ts';
import { framesIn, PAGE_BYTES, pagesIn, type Range, rangesOf, sqliteSpace, withPages } from './sqlite-space.ts';
import type { Files, StoreImage } from './store-trial.ts';

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
  const spaces = new Map<string, readonly Range[]>();
  for (const [name, bytes] of files) {
    if (/\/wal-\d+\.log$/.test(name)) spaces.set(name, segmentSpace(bytes));
    // A file that open removes: it is kept for later use.
    if (/\/wal-spare-\d+$/.test(name)) spaces.set(name, [{ from: 0, to: bytes.length }]);
  }
  return spaces;
}

/** Everything behind the last record: it is not part of the log, nor is an attestation in it. */
export function segmentSpace(bytes: Buffer): readonly Range[] {
  const header = decodeHeader(bytes, 'wal');
  if (typeof header === 'string') throw new Error(header);
  const { end } = scanSegment(bytes, header, { least: 1, most: Number.MAX_SAFE_INTEGER }, () => undefined);
  return [{ from: end, to: bytes.length }];
}

/**
 * A closed database has none: each of its pages has a checksum. Else: a page that the write-ahead log holds anew is not read from
 * the database, nor is what is behind the last frame of the log.
 */
function databaseSpace(files: Files): ReadonlyMap<string, readonly Range[]> {
  const name = [...files.keys()].find((path) => path.endsWith(`/${DATABASE}`))!;
  if (files.has(`${name}-pages`)) return new Map();
  const file = files.get(name)!;
  const newer = pagesIn(files.get(`${name}-wal`));
  const used = new Uint8Array(file.length).fill(1);
  for (const { from, to } of sqliteSpace(withPages(file, newer))) used.fill(0, from, to);
  for (const page of newer.keys()) used.fill(0, (page - 1) * PAGE_BYTES, page * PAGE_BYTES);
  const log = files.get(`${name}-wal`)!;
  return new Map([
    [name, rangesOf(used)],
    [`${name}-wal`, [{ from: framesIn(log).end, to: log.length }]],
  ]);
}
