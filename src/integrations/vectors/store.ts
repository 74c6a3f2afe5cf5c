/**
 * One file of vectors: SQLite, for its owner alone, written in transactions, overwritten where something is erased.
 *
 * - `signs` is read into memory piece by piece; `codes` is only ever read one row at a time.
 * - With a cipher both hold ciphertext, bound to the entry; ids of entries and marks stay legible, as in the views.
 * - What the file says of itself (format, model, dimension, check of the key) must fit, or it is emptied first.
 */
import { closeSync, openSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import {
  type MarkedRef,
  VECTOR_KINDS,
  type VectorCipher,
  type VectorEntry,
  type VectorIdentity,
  type VectorKind,
  type VectorRef,
  type VectorStore,
} from '../../ports/vector-files.ts';
import { codeBytes, codeCosine, encoded, SIGN_WORDS, SIGNS_VERSION, signsOf, turned } from './codes.ts';
import { createPool, type Pool, type Pooled } from './pool.ts';

/** Entries with a vector, of both kinds. */
export const VECTORS_MAX = 500_000;
/** Rows of signs that are read before others get their turn. */
const LOADED_AT_ONCE = 500;
/** Vectors that are read of the entries whose signs are likeliest, at least. */
const READ_MIN = 256;
/** Entries the background of a question is measured at. */
const SAMPLES_OF_A_KIND = 32;
/** A few entries say little of the others: so many are counted as having nothing at all in common with the question. */
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
  /** null keeps it in memory. */
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

export function openStore(parts: StoreParts): OpenStore {
  const { dimension, cipher } = parts;
  const database = opened(parts);
  const insertSigns = database.prepare('INSERT INTO signs (kind, key, mark, signs) VALUES (?, ?, ?, ?)');
  const insertCode = database.prepare('INSERT OR REPLACE INTO codes VALUES (?, ?)');
  const codeOf = database.prepare('SELECT code FROM codes WHERE id = ?').pluck();
  const rowsAfter = database.prepare('SELECT * FROM signs WHERE id > ? ORDER BY id LIMIT ?');
  const pools: Readonly<Record<VectorKind, Pool>> = { memory: createPool(), drawer: createPool() };
  let loadedTo = 0;
  let isLoaded = false;
  const size = (): number => pools.memory.size() + pools.drawer.size();

  const insert = (entries: readonly VectorEntry[]): readonly Inserted[] => {
    removeRows(database, entries);
    return entries.map((entry) => {
      const signs = signsOf(turned(entry.vector));
      const bytes = Buffer.from(signs.buffer);
      const { lastInsertRowid } = insertSigns.run(
        entry.kind,
        entry.key,
        entry.mark,
        cipher?.sealBytes(bytes, recordOf(entry, 'signs')) ?? bytes,
      );
      const code = encoded(entry.vector);
      insertCode.run(lastInsertRowid, cipher?.sealBytes(code, recordOf(entry, 'code')) ?? code);
      return { entry, signs, id: Number(lastInsertRowid) };
    });
  };
  const cosineAt = (question: Float32Array, kind: VectorKind, { id, key }: Pooled): number | undefined => {
    const kept = codeOf.get(id) as Buffer | undefined;
    if (kept === undefined) return undefined;
    const code = cipher?.openBytes(kept, recordOf({ kind, key }, 'code')) ?? kept;
    return code.length === codeBytes(question.length) ? codeCosine(question, code) : undefined;
  };

  return {
    dimension,
    size,
    isFull: () => size() >= VECTORS_MAX,
    has: ({ kind, key, mark }: MarkedRef) => pools[kind].get(key)?.mark === mark,
    put(entries) {
      const room = Math.max(0, VECTORS_MAX - size());
      for (const { entry, signs, id } of database.transaction(insert)(entries.slice(0, room))) {
        pools[entry.kind].set({ key: entry.key, id, mark: entry.mark }, signs);
      }
    },
    cosine(question, { kind, key }) {
      const entry = pools[kind].get(key);
      return entry === undefined ? undefined : cosineAt(question, kind, entry);
    },
    nearest(question, { kind, k }) {
      return pools[kind]
        .likeliest(turned(question), Math.max(READ_MIN, k))
        .flatMap((entry) => {
          const cosine = cosineAt(question, kind, entry);
          return cosine === undefined ? [] : [{ key: entry.key, cosine }];
        })
        .sort((one, other) => other.cosine - one.cosine || (one.key < other.key ? -1 : 1))
        .slice(0, k);
    },
    background(question) {
      const cosines = VECTOR_KINDS.flatMap((kind) =>
        spread(pools[kind]).map((entry) => cosineAt(question, kind, entry) ?? 0),
      ).sort((one, other) => one - other);
      const median = cosines[(cosines.length - 1) >>> 1] ?? 0;
      return Math.max(0, (median * cosines.length) / (cosines.length + SAMPLES_DOUBTED));
    },
    load() {
      if (isLoaded) return false;
      const rows = rowsAfter.all(loadedTo, LOADED_AT_ONCE) as Row[];
      for (const row of rows) {
        const { id, kind, key, mark } = row;
        pools[kind].set({ key, id, mark }, signsIn(row, cipher));
      }
      isLoaded = rows.length < LOADED_AT_ONCE;
      loadedTo = rows.at(-1)?.id ?? loadedTo;
      return !isLoaded;
    },
    erase(refs) {
      eraseIn(database, refs);
      for (const { kind, key } of refs) pools[kind].delete(key);
    },
    page: (after, limit) => pageOf(database, after, limit),
    wipe() {
      database.close();
      if (parts.path !== null) emptyFile(parts.path);
    },
    close: () => void database.close(),
  };
}

interface Inserted {
  readonly entry: VectorEntry;
  readonly signs: Uint32Array;
  readonly id: number;
}

/** Entries spread evenly over a pool. */
function spread(pool: Pool): readonly Pooled[] {
  const taken = Math.min(SAMPLES_OF_A_KIND, pool.size());
  return Array.from({ length: taken }, (_, at) => pool.at(Math.floor((at * pool.size()) / taken)));
}

function recordOf({ kind, key }: VectorRef, part: 'signs' | 'code'): string {
  return `${kind} ${key} ${part}`;
}

/** A row that is not what was written: sealed by another key, or touched. */
export class DamagedVectors extends Error {}

function signsIn({ kind, key, signs }: Row, cipher: VectorCipher | null): Uint32Array {
  try {
    const bytes = cipher?.openBytes(signs, recordOf({ kind, key }, 'signs')) ?? signs;
    if (bytes.length === SIGN_WORDS * 4) return new Uint32Array(Uint8Array.from(bytes).buffer);
  } catch {
    // Said below.
  }
  throw new DamagedVectors('A row of signs is not what was written.');
}

function opened(parts: StoreParts): Database.Database {
  const { path } = parts;
  if (path === null) return begun(parts);
  let database: Database.Database | undefined;
  try {
    database = begun(parts);
    if (fits(database, parts)) return database;
  } catch {
    // Damaged beyond reading: there is nothing to save, and nothing that must be.
  }
  database?.close();
  emptyFile(path);
  return begun(parts);
}

function begun(parts: StoreParts): Database.Database {
  const { path, cipher } = parts;
  // SQLite gives its journal the rights of the file, so the file is made first, for its owner alone.
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

function fits(database: Database.Database, parts: StoreParts): boolean {
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

/** Takes entries out; what they were is overwritten in the file and gone from its journal. */
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

/** Removes a file after its pages were overwritten; a damaged one as it is. */
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
    // Whatever it is, it is no file of vectors that could be overwritten.
  }
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
}

function forgetJournal(database: Database.Database): void {
  database.pragma('wal_checkpoint(TRUNCATE)');
}
