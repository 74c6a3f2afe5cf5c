/**
 * Stores signed checkpoints in one SQLite file beside the views. Writes are not synced one by one: a checkpoint that a
 * power failure loses is signed again from the log, with the same bytes.
 */
import { renameSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { openPrivateDatabase } from '../../lib/private-database.ts';
import {
  CHECKPOINTS_MAX,
  type CheckpointStore,
  type Cosignature,
  type Cosigners,
  type StoredCheckpoint,
} from '../../ports/checkpoint-store.ts';

const CREATE = `
CREATE TABLE IF NOT EXISTS checkpoints (
  origin TEXT, size INTEGER, at INTEGER, note TEXT, PRIMARY KEY (origin, size)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS cosignatures (
  origin TEXT, size INTEGER, witness TEXT, line TEXT, PRIMARY KEY (origin, size, witness)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS cosigned ON cosignatures (origin, witness, size);`;

const TABLES = {
  checkpoints: ['origin', 'size', 'at', 'note'],
  cosignatures: ['origin', 'size', 'witness', 'line'],
} as const;

/** Number of new checkpoints after which old ones are removed. */
const PRUNE_EVERY = 1_000;
const DAY_MS = 86_400_000;
const CACHE_KILOBYTES = 512;
const SELECT = `SELECT c.origin, c.size, c.at, c.note,
  (SELECT group_concat(line, '') FROM (SELECT line FROM cosignatures s
    WHERE s.origin = c.origin AND s.size = c.size ORDER BY witness)) AS lines,
  (SELECT group_concat(witness, ' ') FROM (SELECT witness FROM cosignatures s
    WHERE s.origin = c.origin AND s.size = c.size ORDER BY witness)) AS witnesses
  FROM checkpoints c WHERE c.origin = ?`;

interface Row extends Omit<StoredCheckpoint, 'witnesses'> {
  readonly lines: string | null;
  readonly witnesses: string | null;
}

/** `path` null keeps checkpoints in memory. A damaged file is renamed; a file that cannot be opened is not touched. */
export function openCheckpointStore(path: string | null, report: (line: string) => void): CheckpointStore {
  return new SqliteCheckpoints(path, report);
}

class SqliteCheckpoints implements CheckpointStore {
  readonly #path: string | null;
  readonly #report: (line: string) => void;
  #database: Database.Database;
  #statements = new Map<string, Database.Statement>();
  #added = 0;
  #isDisplaced: boolean;

  constructor(path: string | null, report: (line: string) => void) {
    this.#path = path;
    this.#report = report;
    const { database, isDisplaced } = openUnlessDamaged(path, report);
    this.#database = database;
    this.#isDisplaced = isDisplaced;
  }

  get isDisplaced(): boolean {
    return this.#isDisplaced;
  }

  restore(): void {
    if (!this.#isDisplaced || this.#path === null) return;
    const file = openDatabase(this.#path);
    try {
      file.transaction(() => copyRows(this.#database, file))();
    } catch (error) {
      file.close();
      throw error;
    }
    this.#database.close();
    this.#database = file;
    this.#statements = new Map();
    this.#isDisplaced = false;
    this.#report('Signed checkpoints are written down again.');
  }

  add({ origin, size, at, note }: Omit<StoredCheckpoint, 'witnesses'>): void {
    this.#unlessDamaged(() => {
      this.#prepared('INSERT OR REPLACE INTO checkpoints VALUES (?, ?, ?, ?)').run(origin, size, at, note);
      this.#added += 1;
      if (this.#added % PRUNE_EVERY === 0) prune(this.#database, origin);
    });
  }

  addCosignature({ origin, size, witness, line }: Cosignature): void {
    const sql = `INSERT OR REPLACE INTO cosignatures SELECT ?, ?, ?, ?
      WHERE EXISTS (SELECT 1 FROM checkpoints WHERE origin = ? AND size = ?)`;
    this.#unlessDamaged(() => this.#prepared(sql).run(origin, size, witness, line, origin, size));
  }

  newest(origin: string): StoredCheckpoint | undefined {
    return this.#one('ORDER BY c.size DESC LIMIT 1', origin);
  }

  newestCosigned(origin: string, { witnesses, needed }: Cosigners): StoredCheckpoint | undefined {
    return this.#one(
      `AND (SELECT count(*) FROM cosignatures s WHERE s.origin = c.origin AND s.size = c.size
         AND s.witness IN (SELECT value FROM json_each(?))) >= ?
       ORDER BY c.size DESC LIMIT 1`,
      origin,
      JSON.stringify(witnesses),
      needed,
    );
  }

  ofSize(origin: string, size: number): StoredCheckpoint | undefined {
    return this.#one('AND c.size = ?', origin, size);
  }

  sizeCosignedBy(origin: string, witness: string): number {
    const sql = 'SELECT max(size) AS size FROM cosignatures WHERE origin = ? AND witness = ?';
    const row = this.#unlessDamaged(() => this.#prepared(sql).get(origin, witness)) as { readonly size: number | null };
    return row.size ?? 0;
  }

  list(origin: string, { after, limit }: { readonly after: number; readonly limit: number }) {
    const sql = `${SELECT} AND c.size > ? ORDER BY c.size LIMIT ?`;
    return this.#unlessDamaged(() => this.#prepared(sql).all(origin, after, limit) as Row[]).map(stored);
  }

  close(): void {
    this.#database.close();
  }

  #one(rest: string, ...values: (string | number)[]): StoredCheckpoint | undefined {
    const row = this.#unlessDamaged(() => this.#prepared(`${SELECT} ${rest}`).get(...values) as Row | undefined);
    return row && stored(row);
  }

  /** Damage that the opening did not meet is handled as there, and the work is done on the list that begins anew. */
  #unlessDamaged<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      if (this.#path === null || this.#isDisplaced || !isDamage(error)) throw error;
      this.#database.close();
      this.#statements = new Map();
      moveDamaged(this.#path, { error, report: this.#report });
      this.#database = openDatabase(this.#path);
      return work();
    }
  }

  #prepared(sql: string): Database.Statement {
    const known = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  }
}

/** Rows that the target already has stay as they are. */
function copyRows(from: Database.Database, to: Database.Database): void {
  for (const [table, columns] of Object.entries(TABLES)) {
    const insert = to.prepare(`INSERT OR IGNORE INTO ${table} VALUES (${columns.map(() => '?').join(', ')})`);
    for (const row of from.prepare(`SELECT * FROM ${table}`).raw().iterate() as IterableIterator<unknown[]>) {
      insert.run(...row);
    }
  }
}

function stored({ origin, size, at, note, lines, witnesses }: Row): StoredCheckpoint {
  return { origin, size, at, note: note + (lines ?? ''), witnesses: witnesses?.split(' ') ?? [] };
}

/** Keeps the newest checkpoints, and of each earlier day the last one with the most cosignatures. */
function prune(database: Database.Database, origin: string): void {
  const oldest = database
    .prepare('SELECT size FROM checkpoints WHERE origin = ? ORDER BY size DESC LIMIT 1 OFFSET ?')
    .get(origin, CHECKPOINTS_MAX) as { size: number } | undefined;
  if (oldest === undefined) return;
  const range = { origin, through: oldest.size };
  database.prepare(PRUNE_CHECKPOINTS).run(range);
  database.prepare(PRUNE_COSIGNATURES).run(range);
}

const PRUNE_CHECKPOINTS = `DELETE FROM checkpoints WHERE origin = :origin AND size IN (SELECT size FROM (
  SELECT size, row_number() OVER (PARTITION BY at / ${DAY_MS} ORDER BY (
    SELECT count(*) FROM cosignatures s WHERE s.origin = c.origin AND s.size = c.size) DESC, size DESC) AS place
  FROM checkpoints c WHERE origin = :origin AND size <= :through) WHERE place > 1)`;
const PRUNE_COSIGNATURES = `DELETE FROM cosignatures WHERE origin = :origin AND size <= :through
  AND size NOT IN (SELECT size FROM checkpoints WHERE origin = :origin AND size <= :through)`;

interface Opened {
  readonly database: Database.Database;
  readonly isDisplaced: boolean;
}

/** Opens the file, or a database in memory when the file cannot be opened. */
function openUnlessDamaged(path: string | null, report: (line: string) => void): Opened {
  try {
    return { database: openDatabase(path), isDisplaced: false };
  } catch (error) {
    if (path === null) throw error;
    if (!isDamage(error)) {
      const { message } = error as Error;
      report(`Signed checkpoints are remembered in memory for now: ${path} cannot be opened (${message}).`);
      return { database: openDatabase(null), isDisplaced: true };
    }
    moveDamaged(path, { error, report });
    return openUnlessDamaged(path, report);
  }
}

function isDamage(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && /^SQLITE_(?:CORRUPT|NOTADB)/.test(String(error.code));
}

function moveDamaged(path: string, { error, report }: { readonly error: Error; report(line: string): void }): void {
  for (const suffix of ['', '-wal', '-shm']) moveAside(path + suffix);
  const why = error.message;
  report(`The list of signed checkpoints is damaged (${why}); it was moved to ${path}.damaged and begins anew.`);
}

function moveAside(path: string): void {
  try {
    renameSync(path, `${path}.damaged`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function openDatabase(path: string | null): Database.Database {
  return openPrivateDatabase(path, (database) => {
    database.pragma(`cache_size = -${CACHE_KILOBYTES}`);
    database.exec(CREATE);
  });
}
