/**
 * One file of vectors: SQLite, readable by its owner only, with erased content overwritten.
 *
 * - `signs` is loaded into memory piece by piece; `codes` is read one row at a time.
 * - With a cipher both hold ciphertext bound to their entry. Keys and marks of entries stay plain, as in the views.
 * - A file whose description (format, model, dimension, check of the key) does not match is emptied when it is opened.
 */
import { closeSync, openSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { signWords } from '../../lib/sign-codes.ts';
import {
  type MarkedRef,
  type NearVector,
  VECTOR_KINDS,
  type VectorCipher,
  type VectorEntry,
  type VectorIdentity,
  type VectorKind,
  type VectorRef,
  type VectorStore,
} from '../../ports/vector-files.ts';
import { codeBytes, codeCosine, encode, rotated, SIGN_WORDS, SIGNS_VERSION } from './codes.ts';
import { createSignIndex, type IndexedEntry, type SignIndex } from './sign-index.ts';

/** Entries with a vector, of both kinds. */
export const VECTORS_MAX = 500_000;
/** Rows of signs read by one call of `load`. */
const LOADED_AT_ONCE = 500;
/** Codes read by one search, at least. */
const READ_MIN = 256;
/** Entries of each kind that the background of a question is measured with. */
const SAMPLES_OF_A_KIND = 32;
/** Imaginary entries with cosine 0, which damp the background measured with few entries. */
const SAMPLES_DOUBTED = 8;
const CHECKED = 'daybook vectors';
const FORMAT = 1;

export interface OpenStore extends VectorStore {
  load(): boolean;
  erase(refs: readonly VectorRef[]): void;
  page(after: number, limit: number): readonly PagedRef[];
  wipe(): void;
  close(): void;
}

export interface StoreParts {
  /** null keeps the vectors in memory. */
  readonly path: string | null;
  readonly identity: VectorIdentity;
  readonly dimension: number;
  readonly cipher: VectorCipher | null;
}

interface Row {
  readonly id: number;
  readonly kind: VectorKind;
  readonly key: string;
  readonly mark: number;
  readonly signs: Buffer;
}

const DDL = `
CREATE TABLE about (json TEXT NOT NULL, sealed BLOB);
CREATE TABLE signs (
  id INTEGER PRIMARY KEY, kind TEXT NOT NULL, key TEXT NOT NULL, mark INTEGER NOT NULL, signs BLOB NOT NULL,
  UNIQUE (kind, key)
);
CREATE TABLE codes (id INTEGER PRIMARY KEY, code BLOB NOT NULL);`;

/** Opens or creates the file. A file with another identity, dimension or key is emptied. */
export function openStore(parts: StoreParts): OpenStore {
  return new SqliteVectorStore(parts);
}

class SqliteVectorStore implements OpenStore {
  readonly dimension: number;
  readonly #path: string | null;
  readonly #cipher: VectorCipher | null;
  readonly #database: Database.Database;
  readonly #insertSigns: Database.Statement;
  readonly #insertCode: Database.Statement;
  readonly #codeOf: Database.Statement;
  readonly #rowsAfter: Database.Statement;
  readonly #indexes: Readonly<Record<VectorKind, SignIndex>> = { memory: createSignIndex(), drawer: createSignIndex() };
  #loadedTo = 0;
  #isLoaded = false;

  constructor(parts: StoreParts) {
    this.dimension = parts.dimension;
    this.#path = parts.path;
    this.#cipher = parts.cipher;
    this.#database = openDatabase(parts);
    this.#insertSigns = this.#database.prepare('INSERT INTO signs (kind, key, mark, signs) VALUES (?, ?, ?, ?)');
    this.#insertCode = this.#database.prepare('INSERT OR REPLACE INTO codes VALUES (?, ?)');
    this.#codeOf = this.#database.prepare('SELECT code FROM codes WHERE id = ?').pluck();
    this.#rowsAfter = this.#database.prepare('SELECT * FROM signs WHERE id > ? ORDER BY id LIMIT ?');
  }

  size(): number {
    return this.#indexes.memory.size() + this.#indexes.drawer.size();
  }

  isFull(): boolean {
    return this.size() >= VECTORS_MAX;
  }

  has({ kind, key, mark }: MarkedRef): boolean {
    return this.#indexes[kind].get(key)?.mark === mark;
  }

  put(entries: readonly VectorEntry[]): void {
    const fitting = entries.slice(0, Math.max(0, VECTORS_MAX - this.size()));
    const inserted = this.#database.transaction(() => {
      removeRows(this.#database, fitting);
      return fitting.map((entry) => this.#insert(entry));
    })();
    for (const { entry, signs, id } of inserted) {
      this.#indexes[entry.kind].set({ key: entry.key, id, mark: entry.mark }, signs);
    }
  }

  cosine(question: Float32Array, { kind, key }: VectorRef): number | undefined {
    const entry = this.#indexes[kind].get(key);
    return entry === undefined ? undefined : this.#cosineAt(question, kind, entry);
  }

  nearest(question: Float32Array, { kind, k }: { readonly kind: VectorKind; readonly k: number }): NearVector[] {
    return this.#indexes[kind]
      .likeliest(rotated(question), Math.max(READ_MIN, k))
      .flatMap((entry) => {
        const cosine = this.#cosineAt(question, kind, entry);
        return cosine === undefined ? [] : [{ key: entry.key, cosine }];
      })
      .sort((one, other) => other.cosine - one.cosine || (one.key < other.key ? -1 : 1))
      .slice(0, k);
  }

  background(question: Float32Array): number {
    const cosines = VECTOR_KINDS.flatMap((kind) =>
      samples(this.#indexes[kind]).map((entry) => this.#cosineAt(question, kind, entry) ?? 0),
    ).sort((one, other) => one - other);
    const median = cosines[(cosines.length - 1) >>> 1] ?? 0;
    return Math.max(0, (median * cosines.length) / (cosines.length + SAMPLES_DOUBTED));
  }

  load(): boolean {
    if (this.#isLoaded) return false;
    const rows = this.#rowsAfter.all(this.#loadedTo, LOADED_AT_ONCE) as Row[];
    for (const row of rows) {
      const { id, kind, key, mark } = row;
      this.#indexes[kind].set({ key, id, mark }, signsIn(row, this.#cipher));
    }
    this.#isLoaded = rows.length < LOADED_AT_ONCE;
    this.#loadedTo = rows.at(-1)?.id ?? this.#loadedTo;
    return !this.#isLoaded;
  }

  erase(refs: readonly VectorRef[]): void {
    eraseIn(this.#database, refs);
    for (const { kind, key } of refs) this.#indexes[kind].delete(key);
  }

  page(after: number, limit: number): readonly PagedRef[] {
    return pageOf(this.#database, after, limit);
  }

  wipe(): void {
    this.#database.close();
    if (this.#path !== null) emptyFile(this.#path);
  }

  close(): void {
    this.#database.close();
  }

  #insert(entry: VectorEntry): Inserted {
    const { kind, key, mark, vector } = entry;
    const signs = signWords(rotated(vector));
    const sealedSigns = this.#sealed(Buffer.from(signs.buffer), recordOf(entry, 'signs'));
    const { lastInsertRowid } = this.#insertSigns.run(kind, key, mark, sealedSigns);
    this.#insertCode.run(lastInsertRowid, this.#sealed(encode(vector), recordOf(entry, 'code')));
    return { entry, signs, id: Number(lastInsertRowid) };
  }

  #sealed(bytes: Buffer, record: string): Buffer {
    return this.#cipher?.sealBytes(bytes, record) ?? bytes;
  }

  #cosineAt(question: Float32Array, kind: VectorKind, { id, key }: IndexedEntry): number | undefined {
    const kept = this.#codeOf.get(id) as Buffer | undefined;
    if (kept === undefined) return undefined;
    const code = this.#cipher?.openBytes(kept, recordOf({ kind, key }, 'code')) ?? kept;
    return code.length === codeBytes(question.length) ? codeCosine(question, code) : undefined;
  }
}

interface Inserted {
  readonly entry: VectorEntry;
  readonly signs: Uint32Array;
  readonly id: number;
}

/** Up to `SAMPLES_OF_A_KIND` entries, spread evenly. */
function samples(index: SignIndex): readonly IndexedEntry[] {
  const taken = Math.min(SAMPLES_OF_A_KIND, index.size());
  return Array.from({ length: taken }, (_, at) => index.at(Math.floor((at * index.size()) / taken)));
}

function recordOf({ kind, key }: VectorRef, part: 'signs' | 'code'): string {
  return `${kind} ${key} ${part}`;
}

/** A row is damaged: another key sealed it, or it is altered. */
export class DamagedVectors extends Error {}

function signsIn({ kind, key, signs }: Row, cipher: VectorCipher | null): Uint32Array {
  try {
    const bytes = cipher?.openBytes(signs, recordOf({ kind, key }, 'signs')) ?? signs;
    if (bytes.length === SIGN_WORDS * 4) return new Uint32Array(Uint8Array.from(bytes).buffer);
  } catch {
    // Reported below.
  }
  throw new DamagedVectors('A row of signs is not what was written.');
}

function openDatabase(parts: StoreParts): Database.Database {
  const { path } = parts;
  if (path === null) return createDatabase(parts);
  let database: Database.Database | undefined;
  try {
    database = createDatabase(parts);
    if (isSameIdentity(database, parts)) return database;
  } catch {
    // Unreadable. Vectors can be made again, so the file is emptied.
  }
  database?.close();
  emptyFile(path);
  return createDatabase(parts);
}

function createDatabase(parts: StoreParts): Database.Database {
  const { path, cipher } = parts;
  // SQLite gives its journal the mode of the file, so the file is created first.
  if (path !== null) closeSync(openSync(path, 'a', 0o600));
  const database = new Database(path ?? ':memory:');
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = NORMAL');
  database.pragma('secure_delete = ON');
  database.pragma('cache_size = -4000');
  const isNew = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'about'").get() === undefined;
  if (isNew) {
    database.exec(DDL);
    const sealed = cipher?.sealBytes(Buffer.from(CHECKED), CHECKED) ?? null;
    database.prepare('INSERT INTO about VALUES (?, ?)').run(aboutOf(parts), sealed);
  }
  return database;
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

export function pageOf(database: Database.Database, after: number, limit: number): readonly PagedRef[] {
  const sql = 'SELECT id, kind, key FROM signs WHERE id > ? ORDER BY id LIMIT ?';
  return database.prepare(sql).all(after, limit) as PagedRef[];
}

/** Removes entries. Their bytes are overwritten in the file and in its journal. */
export function eraseIn(database: Database.Database, refs: readonly VectorRef[]): void {
  database.pragma('secure_delete = ON');
  if (database.transaction(() => removeRows(database, refs))() > 0) forgetJournal(database);
}

function removeRows(database: Database.Database, refs: readonly VectorRef[]): number {
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
