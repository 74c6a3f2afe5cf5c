/**
 * A file of vectors: SQLite, readable by its owner only, with erased content overwritten.
 *
 * - In a sealed file, keys and marks of entries are plain, as in the views.
 * - A file whose description (format, model, dimension, check of the key) does not match is emptied when it is opened.
 */
import { rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { openPrivateDatabase } from '../../lib/private-database.ts';
import type { ByteCipher } from '../../ports/text-cipher.ts';
import type { VectorIdentity, VectorRef } from '../../ports/vector-files.ts';
import { SIGNS_VERSION } from './codes.ts';

const CHECKED = 'daybook vectors';
const FORMAT = 1;

export interface StoreParts {
  /** Null keeps the vectors in memory. */
  readonly path: string | null;
  readonly identity: VectorIdentity;
  readonly dimension: number;
  readonly cipher: ByteCipher | null;
}

const DDL = `
CREATE TABLE about (json TEXT NOT NULL, sealed BLOB);
CREATE TABLE signs (
  id INTEGER PRIMARY KEY, kind TEXT NOT NULL, key TEXT NOT NULL, mark INTEGER NOT NULL, signs BLOB NOT NULL,
  UNIQUE (kind, key)
);
CREATE TABLE codes (id INTEGER PRIMARY KEY, code BLOB NOT NULL);`;

/**
 * Opens or creates the file. A file with another identity, dimension or key is emptied. Throws errors of the system,
 * such as a full disk, which say nothing about the file.
 */
export function openDatabase(parts: StoreParts): Database.Database {
  const { path } = parts;
  if (path === null) return createDatabase(parts);
  let database: Database.Database | undefined;
  try {
    database = createDatabase(parts);
    if (isSameIdentity(database, parts)) return database;
  } catch (error) {
    if (isOfSystem(error)) throw error;
    // An unreadable file is emptied, because vectors can be computed again.
  }
  database?.close();
  emptyFile(path);
  return createDatabase(parts);
}

function createDatabase(parts: StoreParts): Database.Database {
  return openPrivateDatabase(parts.path, (database) => prepare(database, parts));
}

function prepare(database: Database.Database, parts: StoreParts): void {
  database.pragma('secure_delete = ON');
  database.pragma('cache_size = -4000');
  const isNew = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'about'").get() === undefined;
  if (!isNew) return;
  database.exec(DDL);
  const sealed = parts.cipher?.sealBytes(Buffer.from(CHECKED), CHECKED) ?? null;
  database.prepare('INSERT INTO about VALUES (?, ?)').run(aboutOf(parts), sealed);
}

/** Codes of the file system, and those of SQLite that are not about the content of a file. */
const OF_SYSTEM = /^(?:E[A-Z0-9]+|SQLITE_(?:BUSY|CANTOPEN|FULL|IOERR|LOCKED|NOMEM|PERM|READONLY)\w*)$/;

function isOfSystem(error: unknown): boolean {
  return OF_SYSTEM.test(String((error as { readonly code?: unknown }).code));
}

function aboutOf({ identity, dimension }: StoreParts): string {
  const { provider, model, recipe } = identity;
  return JSON.stringify({ format: FORMAT, signs: SIGNS_VERSION, provider, model, recipe, dimension });
}

function isSameIdentity(database: Database.Database, parts: StoreParts): boolean {
  const row = database.prepare('SELECT json, sealed FROM about').get() as { json: string; sealed: Buffer | null };
  if (row.json !== aboutOf(parts)) return false;
  if (parts.cipher === null || row.sealed === null) return parts.cipher === null && row.sealed === null;
  try {
    return parts.cipher.openBytes(row.sealed, CHECKED).toString() === CHECKED;
  } catch {
    return false;
  }
}

export interface PagedRef extends VectorRef {
  readonly id: number;
}

/** The entries with the lowest ids after `after`. */
export function pageOf(database: Database.Database, after: number, limit: number): readonly PagedRef[] {
  const sql = 'SELECT id, kind, key FROM signs WHERE id > ? ORDER BY id LIMIT ?';
  return database.prepare(sql).all(after, limit) as PagedRef[];
}

/** Removes entries. Their bytes are overwritten in the file and in its journal. */
export function eraseIn(database: Database.Database, refs: readonly VectorRef[]): void {
  database.pragma('secure_delete = ON');
  if (database.transaction(() => removeRows(database, refs))() > 0) forgetJournal(database);
}

/** Removes entries within the caller's transaction. Returns the number of removed entries. */
export function removeRows(database: Database.Database, refs: readonly VectorRef[]): number {
  const idOf = database.prepare('SELECT id FROM signs WHERE kind = ? AND key = ?').pluck();
  const fromSigns = database.prepare('DELETE FROM signs WHERE id = ?');
  const fromCodes = database.prepare('DELETE FROM codes WHERE id = ?');
  let removed = 0;
  for (const { kind, key } of refs) {
    const id = idOf.get(kind, key) as number | undefined;
    if (id === undefined) continue;
    fromSigns.run(id);
    fromCodes.run(id);
    removed += 1;
  }
  return removed;
}

/** Overwrites the content of a file, where it can be read, and removes it. */
export function emptyFile(path: string): void {
  try {
    const database = new Database(path, { fileMustExist: true });
    try {
      database.pragma('secure_delete = ON');
      database.exec('DELETE FROM signs; DELETE FROM codes;');
      forgetJournal(database);
    } finally {
      database.close();
    }
  } catch {
    // Not a readable file of vectors: there is no content to overwrite.
  }
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
}

function forgetJournal(database: Database.Database): void {
  database.pragma('wal_checkpoint(TRUNCATE)');
}
