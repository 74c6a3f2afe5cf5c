/**
 * `--views` of `log verify` and `storage verify`: folds the log anew and compares every row of the read models with it.
 *
 * - Nothing is changed. The read models are read in one transaction, so a daemon may write them meanwhile; each is
 *   compared at the position up to which it is folded.
 * - A read model that the next start folds anew (of another version, or of another log) is named and not compared.
 */
import { copyFileSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
// In a turn of the event loop, Ctrl-C is noticed.
import { setImmediate as nextTurn } from 'node:timers/promises';
import Database from 'better-sqlite3';
import type { EventTable } from '../../events/define.ts';
import type { Projection } from '../../projections/projection.ts';
import { RECALL_TABLES } from '../../projections/recall/tables.ts';
import { openViews, type ViewsStore } from '../../projections/views.ts';
import type { RecordedEvent } from '../../storage/event-log.ts';
import { isOnReadOnlyDisk } from '../../storage/files.ts';
import { foldBatch, storedBatch } from '../../streams/fold.ts';
import { createProgress } from '../progress.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import type { LogSource } from './source.ts';
import { createVerifier } from './verifier.ts';

export interface ViewsResult {
  /** Position of the most advanced read model; 0 when there is none. */
  readonly position: number;
  readonly tables: number;
  readonly rows: number;
  /** The first difference of each table. */
  readonly differences: readonly string[];
  /** Read models that were not compared, with the reason. */
  readonly passed_over: readonly string[];
}

interface Checkpoint {
  readonly name: string;
  readonly version: number;
  readonly position: number;
  readonly tree_hash: string;
}

interface Program {
  readonly projections: readonly Projection[];
  readonly events: EventTable;
}

/** A projection, and the position up to which it is folded and compared. */
interface Compared {
  readonly projection: Projection;
  readonly position: number;
}

const BATCH_EVENTS = 2_000;
const NOTHING_COMPARED: ViewsResult = {
  position: 0,
  tables: 0,
  rows: 0,
  differences: [],
  passed_over: ['there are no read models yet: the next start folds them'],
};

/** Compares the read models of `home` with the log of `source`, with the projections of this program. */
export async function verifyViews(home: string, source: LogSource): Promise<ViewsResult> {
  const { eventTable, resources } = await import('../../resources.ts');
  const program = { projections: resources.flatMap(({ projections }) => projections), events: eventTable };
  return compareViews(join(home, 'views.db'), source, program);
}

export async function compareViews(path: string, source: LogSource, program: Program): Promise<ViewsResult> {
  if (!existsSync(path)) return NOTHING_COMPARED;
  using folder = temporaryFolder('views');
  return await compareWith(openStored(path, folder.path), { source, program, path: join(folder.path, 'views.db') });
}

/** SQLite needs a disk that can be written for a file with a write-ahead log; elsewhere a copy is compared. */
function openStored(path: string, folder: string): Database.Database {
  if (!isOnReadOnlyDisk(dirname(path))) return new Database(path, { readonly: true });
  const copy = join(folder, 'stored.db');
  for (const suffix of ['', '-wal'].filter((each) => existsSync(path + each))) {
    copyFileSync(path + suffix, copy + suffix);
  }
  return new Database(copy);
}

interface Work {
  readonly source: LogSource;
  readonly program: Program;
  /** The file of the fresh fold. */
  readonly path: string;
}

async function compareWith(stored: Database.Database, work: Work): Promise<ViewsResult> {
  const fresh = openViews(work.path);
  try {
    stored.exec('BEGIN');
    return await compare(stored, fresh, work);
  } finally {
    fresh.close();
    stored.close();
  }
}

async function compare(stored: Database.Database, fresh: ViewsStore, work: Work): Promise<ViewsResult> {
  const checkpoints = checkpointsIn(stored);
  if (checkpoints.length === 0) return NOTHING_COMPARED;
  const passedOver: string[] = [];
  const known: (Compared & Checkpoint)[] = [];
  for (const projection of work.program.projections) {
    const found = checkpoints.find(({ name }) => name === projection.name);
    if (found?.version === projection.version) known.push({ ...found, projection });
    else passedOver.push(`${projection.name} is not of this version: the next start folds it anew`);
  }
  const { hashes, hasErased } = await fold(fresh, known, work);
  const compared = known.filter(({ position, tree_hash }) => hashes.get(position) === tree_hash);
  for (const { name } of known.filter((each) => !compared.includes(each))) {
    passedOver.push(`${name} is not of this log: the next start folds it anew`);
  }
  const tables = compared.flatMap(({ projection }) => projection.tables);
  // The search index numbers texts in order. Erased texts have used numbers that a fresh fold does not assign.
  const comparable = hasErased ? tables.filter((table) => !RECALL_TABLES.includes(table)) : tables;
  if (comparable.length < tables.length) passedOver.push('the search index: it was made before texts were erased');
  const other = new Database(work.path, { readonly: true });
  try {
    const results = [];
    for (const table of comparable) {
      results.push(compareTable(table, stored, other));
      await nextTurn();
    }
    return {
      position: Math.max(0, ...compared.map(({ position }) => position)),
      tables: comparable.length,
      rows: results.reduce((sum, { rows }) => sum + rows, 0),
      differences: results.flatMap(({ difference }) => difference ?? []),
      passed_over: passedOver,
    };
  } finally {
    other.close();
  }
}

function checkpointsIn(stored: Database.Database): readonly Checkpoint[] {
  const table = stored.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'checkpoints'").get();
  if (table === undefined) return [];
  return stored.prepare<[], Checkpoint>('SELECT name, version, position, tree_hash FROM checkpoints').all();
}

/** Folds the log into each projection up to its position; resolves with the tree hashes at these positions. */
async function fold(fresh: ViewsStore, known: readonly Compared[], { source, program }: Work) {
  for (const { projection } of known) fresh.exec(projection.create);
  const verifier = createVerifier();
  const ends = new Set(known.map(({ position }) => position));
  const through = Math.max(0, ...ends);
  const hashes = new Map([[0, verifier.treeHash()]]);
  let hasErased = false;
  let batch: RecordedEvent[] = [];
  using progress = createProgress('folding');
  const write = (): void => {
    fresh.begin();
    for (const { projection, position } of known) {
      const events = batch.filter((event) => event.position <= position);
      if (events.length > 0) foldBatch(projection, storedBatch(events, program.events), fresh, 0);
    }
    fresh.commit();
    batch = [];
  };
  for await (const envelope of source.events({ after: 0, through })) {
    verifier.add(envelope);
    hasErased ||= envelope.erased === true;
    if (ends.has(envelope.position)) hashes.set(envelope.position, verifier.treeHash());
    const { leaf_hash: leafHash, erased, ...event } = envelope;
    batch.push({ ...event, leafHash, ...(erased === true && { erased }) });
    progress.at(envelope.position, through);
    if (batch.length < BATCH_EVENTS) continue;
    write();
    await nextTurn();
  }
  write();
  return { hashes, hasErased };
}

type Row = Readonly<Record<string, unknown>>;

/** Compares the rows in the order of their primary keys, up to the first difference. */
function compareTable(table: string, stored: Database.Database, fresh: Database.Database) {
  const columns = fresh.prepare<[], { name: string; pk: number }>(`PRAGMA table_info(${table})`).all();
  const keys = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  const names = (keys.length > 0 ? keys : columns).map(({ name }) => name);
  const order = names.map((name) => `"${name}"`).join(', ');
  const sql = `SELECT * FROM ${table} ORDER BY ${order}`;
  const right = fresh.prepare<[], Row>(sql).iterate();
  let rows = 0;
  try {
    for (const row of stored.prepare<[], Row>(sql).iterate()) {
      const { value, done } = right.next();
      const difference =
        done === true ? `${nameOf(row, names)} is in no fold of the log` : differenceOf(row, value, names);
      if (difference !== null) return { rows, difference: `table ${table}: ${difference}` };
      rows += 1;
    }
    const { value, done } = right.next();
    if (done === true) return { rows };
    return { rows, difference: `table ${table}: ${nameOf(value, names)} is missing` };
  } catch (error) {
    return { rows, difference: `table ${table}: ${(error as Error).message}` };
  } finally {
    right.return?.();
  }
}

/** Names the columns in which two rows differ, without their content; null when the rows are equal. */
function differenceOf(row: Row, expected: Row, keys: readonly string[]): string | null {
  const differs = Object.keys(expected).filter((name) => !isEqual(row[name], expected[name]));
  if (differs.length === 0) return null;
  if (keys.some((key) => differs.includes(key))) {
    return `${nameOf(row, keys)} is where a fresh fold has ${nameOf(expected, keys)}`;
  }
  return `${nameOf(row, keys)} differs in ${differs.join(', ')}`;
}

function isEqual(one: unknown, other: unknown): boolean {
  return one instanceof Buffer && other instanceof Buffer ? one.equals(other) : Object.is(one, other);
}

const KEY_CHARACTERS_MAX = 80;

function nameOf(row: Row, keys: readonly string[]): string {
  const values = keys.map((key) => `${key}=${JSON.stringify(row[key])?.slice(0, KEY_CHARACTERS_MAX)}`);
  return `the row ${values.join(', ')}`;
}
