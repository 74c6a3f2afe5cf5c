/** The SQLite file of an `embedded_kv` store: open, create, copy. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite, { type Database } from 'better-sqlite3';
import { otherFormat, StorageError } from '../errors.ts';
import { openFile, syncDirectory, syncFile } from '../files.ts';
import { readAttested } from './attestation.ts';
import { checkedConfig, type EmbeddedKvConfig } from './config.ts';
import { DATABASE_FILE, fromSqlite } from './errors.ts';
import { PAGE_BYTES } from './locate.ts';
import { checkWal } from './wal-check.ts';

/** "DayK": marks the file as a Daybook store; any other database is refused and left unchanged. */
const APPLICATION_ID = 0x4461794b;
const FORMAT_VERSION = 1;
const SCHEMA = 'CREATE TABLE entries (key BLOB NOT NULL PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID, STRICT';
const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';
const BUSY_TIMEOUT_MS = 2_000;
const BACKUP_PAGES_PER_TURN = 256;

/** Opens or creates the database. Throws a `StorageError` for damage, a foreign file or an invalid setting. */
export function openDatabase(options: { readonly directory: string; readonly config?: EmbeddedKvConfig }): Database {
  const path = join(options.directory, DATABASE_FILE);
  const isNew = !existsSync(path);
  const { cache_bytes: cacheBytes } = checkedConfig(options.config ?? {});
  let database: Database | undefined;
  try {
    checkWal(options.directory, readAttested(options.directory));
    if (!isNew) {
      checkSize(path);
      checkHeader(headerOf(path));
    }
    database = new Sqlite(path, { timeout: BUSY_TIMEOUT_MS });
    if (isNew) create(database, path);
    else checkFormat(database);
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    // Deleted bytes are overwritten, so that no free page carries them into a backup.
    database.pragma('secure_delete = ON');
    database.pragma(`cache_size = -${Math.floor(cacheBytes / 1024)}`);
    if (isNew) syncDirectory(options.directory);
    return database;
  } catch (error) {
    database?.close();
    throw fromSqlite(error);
  }
}

/** A consistent copy into an absent or empty directory, 256 pages per turn of the event loop, while writes continue. */
export async function copyDatabase(database: Database, directory: string): Promise<{ files: number; bytes: number }> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (readdirSync(directory).length > 0) {
    throw new StorageError('STORAGE_TARGET', `The backup directory ${directory} is not empty; name a new one.`);
  }
  const path = join(directory, DATABASE_FILE);
  try {
    await database.backup(path, { progress: () => BACKUP_PAGES_PER_TURN });
    chmodSync(path, 0o600);
    syncFile(path);
    syncDirectory(directory);
  } catch (error) {
    throw fromSqlite(error);
  }
  return { files: 1, bytes: statSync(path).size };
}

function create(database: Database, path: string): void {
  chmodSync(path, 0o600);
  database.pragma(`application_id = ${APPLICATION_ID}`);
  database.pragma(`user_version = ${FORMAT_VERSION}`);
  database.exec(SCHEMA);
}

/**
 * Throws `STORAGE_CORRUPT` for a truncated file. SQLite notices a missing page only when it reads that page, and treats
 * an empty file as a new database. While the write-ahead log holds pages, the file may be shorter than its header says.
 */
function checkSize(path: string): void {
  const { size } = statSync(path);
  const wal = `${path}-wal`;
  if (size > 0 && existsSync(wal) && statSync(wal).size > 0) return;
  const header = headerOf(path);
  const isSqlite = header.toString('latin1', 0, MAGIC.length) === MAGIC;
  if (size >= HEADER_BYTES && (!isSqlite || size >= header.readUInt32BE(28) * PAGE_BYTES)) return;
  const what = `${DATABASE_FILE} was cut short: it ends at offset ${size}.`;
  throw new StorageError('STORAGE_CORRUPT', what, { file: DATABASE_FILE, offset: size });
}

/** Fields of the header that are the same in every store. The journal mode may be that of a copy. */
const CONSTANTS: readonly { readonly at: number; readonly bytes: Buffer }[] = [
  { at: 16, bytes: Buffer.from('1000', 'hex') },
  { at: 20, bytes: Buffer.from('00402020', 'hex') },
  { at: 44, bytes: Buffer.from('00000004' + '00000000' + '00000000' + '00000001', 'hex') },
  { at: 64, bytes: Buffer.alloc(4) },
  { at: 72, bytes: Buffer.alloc(20) },
];
/** Format of rollback journals, and of write-ahead logs. */
const JOURNAL_MODES = [0x0101, 0x0202];

/**
 * Throws `STORAGE_CORRUPT` for a changed header of a store of this format: most of these fields decide how SQLite reads
 * the file, and SQLite does not check them. `checkFormat` refuses other files.
 */
function checkHeader(header: Buffer): void {
  const isStore =
    header.toString('latin1', 0, MAGIC.length) === MAGIC &&
    header.readUInt32BE(68) === APPLICATION_ID &&
    header.readUInt32BE(60) === FORMAT_VERSION;
  if (!isStore) return;
  const field = CONSTANTS.find(({ at, bytes }) => header.compare(bytes, 0, bytes.length, at, at + bytes.length) !== 0);
  const offset = field?.at ?? (JOURNAL_MODES.includes(header.readUInt16BE(18)) ? null : 18);
  if (offset === null) return;
  const what = `${DATABASE_FILE} is damaged: a constant field of its header has another value (offset ${offset}).`;
  throw new StorageError('STORAGE_CORRUPT', what, { file: DATABASE_FILE, offset });
}

function headerOf(path: string): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  using file = openFile(path, 'r');
  readSync(file.fd, header, 0, HEADER_BYTES, 0);
  return header;
}

function checkFormat(database: Database): void {
  const id = database.pragma('application_id', { simple: true });
  if (id !== APPLICATION_ID) {
    const what = `${DATABASE_FILE} is not a Daybook store (application id ${id}).`;
    throw new StorageError('STORAGE_FOREIGN', what, { file: DATABASE_FILE, offset: 68 });
  }
  const version = Number(database.pragma('user_version', { simple: true }));
  if (version !== FORMAT_VERSION) throw otherFormat(DATABASE_FILE, { offset: 60, version, known: FORMAT_VERSION });
  const row = database.prepare('SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema WHERE rowid = 1').raw();
  if (JSON.stringify(row.get()) === JSON.stringify(['table', 'entries', 'entries', 2, SCHEMA])) return;
  const what = `${DATABASE_FILE} is damaged: its first page does not describe the one table of a store.`;
  throw new StorageError('STORAGE_CORRUPT', what, { file: DATABASE_FILE, offset: 0 });
}
