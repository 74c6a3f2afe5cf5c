/** The result of `log verify` for one changed byte of a store of `embedded_kv`. */
import { openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite, { type Database } from 'better-sqlite3';
import { readAttested } from '../../src/storage/embedded-kv/attestation.ts';
import { openDatabase } from '../../src/storage/embedded-kv/database.ts';
import { PageSums } from '../../src/storage/embedded-kv/page-sums.ts';
import { RowReader } from '../../src/storage/embedded-kv/reads.ts';
import { openRow } from '../../src/storage/embedded-kv/rows.ts';
import { verifyDatabase } from '../../src/storage/embedded-kv/verify.ts';
import { checkWal } from '../../src/storage/embedded-kv/wal-check.ts';
import { StorageError } from '../../src/storage/errors.ts';
import { memoryFolder } from '../support/folders.ts';
import { bit, isRefused, type Judged, refused, type StoredFile } from './byte-checks.ts';
import { columnRanges, columnsOf, rowsIn } from './sqlite-space.ts';
import { spaceOf } from './store-space.ts';
import { type StoreImage, writeFiles } from './store-trial.ts';

const STORE = 'store-1';
const DATABASE = `${STORE}/data.sqlite`;

/** Its files, but for the marker of the data directory. */
export function databaseFiles(image: StoreImage): readonly StoredFile[] {
  const space = spaceOf(image);
  const judges: readonly (readonly [string, StoredFile['judge']])[] = image.files.has(`${DATABASE}-pages`)
    ? [
        [DATABASE, bySums(image)],
        [`${DATABASE}-pages`, bySumsThemselves(image)],
      ]
    : [
        [DATABASE, byReading(image)],
        [`${DATABASE}-wal`, byRecovery(image)],
      ];
  return judges.map(([name, judge]) => ({
    ...{ name, bytes: image.files.get(name)!.length, space: space.get(name) ?? [], judge },
  }));
}

/** The files in a folder, and a function that changes a byte of one of them there, or changes it back. */
function written({ files }: StoreImage, name: string) {
  const directory = memoryFolder('each-byte');
  writeFiles(directory, files);
  const bytes = files.get(name)!;
  const path = join(directory, name);
  // Kept open: closing it would release the locks that SQLite holds on the file.
  const file = openSync(path, 'r+');
  const toggle = (at: number, isChanged: boolean): void => {
    writeSync(file, Uint8Array.of(isChanged ? bytes[at]! ^ bit(at) : bytes[at]!), 0, 1, at);
  };
  return { store: join(directory, STORE), path, toggle };
}

/** A closed database: the checksums of its pages. */
function bySums(image: StoreImage): StoredFile['judge'] {
  const { store, toggle } = written(image, DATABASE);
  return async (at) => {
    toggle(at, true);
    const sums = new PageSums(store);
    const faults = await sums.changedPages([]);
    await sums.close({ isOrderly: false });
    toggle(at, false);
    return faults.length === 1 ? 'named' : 'other';
  };
}

function bySumsThemselves(image: StoreImage): StoredFile['judge'] {
  const { store, toggle } = written(image, `${DATABASE}-pages`);
  return async (at) => {
    toggle(at, true);
    const sums = new PageSums(store);
    await sums.close({ isOrderly: false });
    toggle(at, false);
    return sums.faults.length === 1 ? 'named' : 'other';
  };
}

/** While another connection is open, those that are closed change nothing. One that nothing refers to would be closed, too. */
const holders: Database[] = [];

/**
 * A killed database. A byte of a row: the checksum of the row. Of its structure: the check of the whole database, and all that is
 * read of it. Of space: all that is read of it.
 */
function byReading(image: StoreImage): StoredFile['judge'] {
  const file = image.files.get(DATABASE)!;
  const superseded = spaceOf(image).get(DATABASE)!;
  const isRead = (at: number): boolean => !superseded.some(({ from, to }) => at >= from && at < to);
  const rows = rowChecks(file);
  const { store, path, toggle } = written(image, DATABASE);
  const holder = new Sqlite(path);
  holders.push(holder);
  const unchanged = contentOf(holder);
  return async (at) => {
    const row = isRead(at) ? rows.get(at) : undefined;
    if (row !== undefined) return refused(file, at, row);
    toggle(at, true);
    try {
      return await judgedBy({ store, isVerified: isRead(at), unchanged });
    } finally {
      toggle(at, false);
    }
  };
}

interface Reading {
  readonly store: string;
  readonly isVerified: boolean;
  readonly unchanged: string;
}

async function judgedBy({ store, isVerified, unchanged }: Reading): Promise<Judged> {
  let database: Database | undefined;
  try {
    database = openDatabase({ directory: store });
    const faults = isVerified ? await verifyDatabase(database, { reads: new RowReader(database) }) : [];
    if (faults.length > 0) return 'named';
    return contentOf(database) === unchanged ? 'same' : 'other';
  } catch (error) {
    if (error instanceof StorageError) return 'named';
    if (!(error instanceof Sqlite.SqliteError)) throw error;
    // SQLite refuses to read it, so it is no space: whether the verification says so too.
    return isVerified ? 'other' : await judgedBy({ store, isVerified: true, unchanged });
  } finally {
    database?.close();
  }
}

const CONTENT = `SELECT group_concat(typeof(key) || hex(key) || typeof(value) || hex(value))
  FROM (SELECT key, value FROM entries ORDER BY key)`;

/** Every key and value, in order. */
function contentOf(database: Database): string {
  return String(database.prepare(CONTENT).pluck().get());
}

/** By the offset of a byte of a key or value: the check of its row. */
function rowChecks(file: Buffer): ReadonlyMap<number, () => unknown> {
  const checks = new Map<number, () => unknown>();
  for (const parts of rowsIn(file)) {
    const check = (): unknown => {
      const [key, sealed] = columnsOf(Buffer.concat(parts));
      return openRow({ key, sealed, path: '/nowhere' });
    };
    for (const { from, to } of columnRanges(file, parts)) for (let at = from; at < to; at += 1) checks.set(at, check);
  }
  return checks;
}

/** The write-ahead log: the check before SQLite opens it; where that accepts it, all that SQLite reads with it. */
function byRecovery(image: StoreImage): StoredFile['judge'] {
  const name = `${DATABASE}-wal`;
  const { store, toggle } = written(image, name);
  const attested = readAttested(store);
  const unchanged = recovered(store);
  return (at) => {
    toggle(at, true);
    const isNamed = isRefused(() => checkWal(store, attested));
    const content = isNamed ? '' : recovered(store);
    toggle(at, false);
    if (isNamed) return 'named';
    return content === unchanged ? 'same' : 'other';
  };
}

/** All that SQLite reads after it has recovered the database anew, without a change of the files. */
function recovered(store: string): string {
  const path = join(store, 'data.sqlite');
  rmSync(`${path}-shm`, { force: true });
  const database = new Sqlite(path, { readonly: true });
  try {
    return contentOf(database);
  } finally {
    database.close();
  }
}
