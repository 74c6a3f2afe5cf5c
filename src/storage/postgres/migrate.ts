/**
 * Moves a log into a database and back: the same records, so the same tree hash, proofs and signed checkpoints.
 *
 * - An interrupted migration compares the events that were copied, then continues after them.
 * - The source is not changed.
 */
import type { BackendConfig } from '../backends.ts';
import { StorageError } from '../errors.ts';
import type { LogHead } from '../event-log.ts';
import { erasedIn } from '../log/erase.ts';
import { openReplicatedLog, type StoredEventLog } from '../log/event-log.ts';
import { firstDifference, type PrimaryBatch } from '../log/primary.ts';
import type { RawEvent } from '../log/reads.ts';
import { decodeEvent, leafOf, toHex } from '../log/record.ts';
import type { DiskBackend } from '../marker.ts';
import { EMPTY_FRONTIER, frontierHash, GrowingFrontier } from '../merkle.ts';
import { checkClean, inBatches } from '../migrate.ts';
import { openStorage } from '../open.ts';
import { Connections } from './connections.ts';
import { othersListen } from './head-lookups.ts';
import { type OpenPrimary, openPrimary } from './open.ts';
import type { PostgresPrimary } from './primary.ts';
import { channelOf } from './schema.ts';
import { parseAddress } from './url.ts';

export interface DatabaseMigration {
  /** The address of the log in the database. */
  readonly url: string;
  /** The data directory at the other end. */
  readonly directory: string;
  readonly backend?: DiskBackend | undefined;
  readonly config?: BackendConfig;
  readonly progress?: (done: number, total: number) => void;
}

export interface DatabaseMigrationResult extends LogHead {
  readonly logId: string;
}

/**
 * Copies the log of a data directory into a database whose schema is there. Rejects with `STORAGE_TARGET` when the
 * database has events that the log does not begin with.
 */
export function migrateToPostgres(options: DatabaseMigration): Promise<DatabaseMigrationResult> {
  return withDatabase(options, async ({ primary, logId }) => {
    const { directory, config = {}, progress = () => {} } = options;
    await using source = await openStorage({ directory, config });
    const from = await commonBeginning(source.log, primary);
    await upload(source.log, { primary, from, progress });
    const head = source.log.head();
    if ((await commonBeginning(source.log, primary)) === head.position) return { ...head, logId };
    throw new StorageError('STORAGE_TARGET', 'Another writer appended to the database during the migration.');
  });
}

/**
 * Copies the log of a database into a data directory, which may be absent or hold a beginning of it. Rejects with
 * `STORAGE_READ_ONLY` when the directory holds other events.
 */
export function migrateFromPostgres(options: DatabaseMigration): Promise<DatabaseMigrationResult> {
  return withDatabase(options, async ({ primary, logId }) => {
    const { directory, backend, config = {}, progress } = options;
    await using target = await openStorage({ directory, config, ...(backend !== undefined && { backend }) });
    const log = openReplicatedLog(target.engine, { primary });
    await log.compare(log.head().position);
    await log.follow(progress);
    await checkClean(target.engine, log);
    return { ...log.head(), logId };
  });
}

/**
 * Rejects with `STORAGE_READ_ONLY` when the copy of the log in a data directory has events that the database lacks or
 * has others for. The copy takes over newer events.
 */
export function checkCopy(options: DatabaseMigration): Promise<void> {
  return withDatabase(options, async ({ primary }) => {
    const { directory, config = {} } = options;
    await using copy = await openStorage({ directory, config });
    const log = openReplicatedLog(copy.engine, { primary });
    const { position } = log.head();
    await log.follow();
    await log.compare(position);
  });
}

/** Rejects with `STORAGE_LOCKED` while daemons listen to the log. */
export async function requireNoDaemons(url: string): Promise<void> {
  const address = parseAddress(url);
  const connections = new Connections(address);
  try {
    const text = `SELECT ${othersListen(channelOf(address.schema), "'{}'::int[]")} AS listen`;
    const { rows } = await connections.use((client) => client.query<{ listen: boolean }>(text));
    if (rows[0]?.listen === true) {
      throw new StorageError('STORAGE_LOCKED', 'Daemons are connected to the log in the database; stop them first.');
    }
  } finally {
    await connections.close();
  }
}

async function withDatabase<Result>(
  { url }: DatabaseMigration,
  work: (database: OpenPrimary) => Promise<Result>,
): Promise<Result> {
  const database = await openPrimary(url);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** The length of the database's log. Throws `STORAGE_TARGET` unless the log of the directory begins with it. */
async function commonBeginning(log: StoredEventLog, primary: PostgresPrimary): Promise<number> {
  const { position: length } = log.head();
  const { head } = await primary.tail(length);
  const refused = (what: string) => new StorageError('STORAGE_TARGET', `The database cannot take the log: ${what}`);
  if (head.position > length) throw refused(`it has ${head.position} events, the log only ${length}.`);
  const leaves = (after: number, limit: number) =>
    Buffer.concat([...log.readRaw({ after, limit })].map(({ record }) => leafOf(record)));
  const position = await firstDifference(head.position, primary, leaves);
  if (position !== null) throw refused(`position ${position} holds another event there.`);
  if (toHex(head.tree) === log.treeHash(head.position)) return head.position;
  throw refused(`its tree hash at ${head.position} is another one.`);
}

interface Upload {
  readonly primary: PostgresPrimary;
  readonly from: number;
  readonly progress: (done: number, total: number) => void;
}

async function upload(log: StoredEventLog, { primary, from, progress }: Upload): Promise<void> {
  const total = log.head().position;
  const frontier = new GrowingFrontier(EMPTY_FRONTIER);
  for (const { record } of log.readRaw({ limit: from })) frontier.append(Uint8Array.from(leafOf(record)));
  for await (const events of inBatches(log.readRaw({ after: from }))) {
    const batch = batchOf(events, frontier);
    // Payloads that were copied by an earlier attempt and erased since.
    const erased = batch.events.flatMap(erasedIn).filter(({ position: at }) => at <= from);
    const tombstones = erased.flatMap(({ position: at }) => [...log.readRaw({ after: at - 1, limit: 1 })]);
    const { kind } = await primary.append({ ...batch, tombstones });
    if (kind !== 'taken') {
      throw new StorageError('STORAGE_TARGET', 'Another writer appended to the database during the migration.');
    }
    progress(events.at(-1)!.position, total);
  }
}

/** The batch of events that follow the frontier; appends their leaves to it. */
function batchOf(raw: readonly RawEvent[], frontier: GrowingFrontier): PrimaryBatch {
  const base = { position: frontier.size, tree: frontierHash(frontier) };
  for (const { record } of raw) frontier.append(Uint8Array.from(leafOf(record)));
  const events = raw.map(({ position, record }) => decodeEvent(record, position));
  const records = raw.map(({ record }) => record);
  return { base, tree: frontierHash(frontier), events, records, tombstones: [], fences: [] };
}
