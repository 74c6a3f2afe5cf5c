/**
 * Opens a log on PostgreSQL: the copy of it in a folder of this daemon, the connections, and the notifications.
 *
 * - The copy is a data directory. The file `source.json` beside it names the log.
 * - A damaged copy is deleted and made again. An intact copy that differs from the database is kept: the log then takes
 *   no appends and says why.
 */
import { rmSync } from 'node:fs';
import { copyDirectory, readSource, writeSource } from '../copy-folder.ts';
import { StorageError } from '../errors.ts';
import { makeDirectories } from '../files.ts';
import { openReplicatedLog, type ReplicatedEventLog, type StoredEventLog } from '../log/event-log.ts';
import { type OpenStorageOptions, openStorage, type Storage } from '../open.ts';
import { Connections } from './connections.ts';
import { type DatabaseHead, HeadLookups, listening } from './head-lookups.ts';
import { createDatabaseMetrics, databaseFamilies } from './metrics.ts';
import { PostgresPrimary } from './primary.ts';
import { channelOf, checkVersion, type Meta } from './schema.ts';
import { type PostgresAddress, parseAddress } from './url.ts';

/** `directory` is the folder of the copy; the other options of a data directory are those of the copy, too. */
export interface PostgresStorageOptions extends OpenStorageOptions {
  /** The address of the log; null settings come from `env`. */
  readonly url: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Called while the copy catches up, with the log so far and the events of the database. */
  readonly copying?: (log: StoredEventLog, total: number) => void;
  readonly report?: (line: string) => void;
}

/**
 * Rejects as `openStorage`, with `STORAGE_UNAVAILABLE` when the database is out of reach and there is no copy, and with
 * `STORAGE_TARGET` when the copy is one of another log.
 */
export async function openPostgresStorage(options: PostgresStorageOptions): Promise<Storage> {
  const { ephemeral = false, directory: folder, report = () => {} } = options;
  const address = parseAddress(options.url, options.env);
  const connections = new Connections(address);
  try {
    const known = ephemeral ? null : readSource(folder);
    const logId = await identify(connections, address).catch((error: StorageError) => {
      if (known === null || error.code !== 'STORAGE_UNAVAILABLE') throw error;
      report(`${error.message} Reads go on from the copy of the log.`);
      return known;
    });
    if (known !== null && known !== logId) throw otherLog(folder);
    const copy = await openCopy(options, logId);
    return await onDatabase(copy, { options, address, connections, logId });
  } catch (error) {
    await connections.close();
    throw error;
  }
}

/** A log in a database, without a copy of it. */
export interface OpenPrimary {
  readonly primary: PostgresPrimary;
  readonly logId: string;
  close(): Promise<void>;
}

/** Rejects with a `StorageError` when the database is out of reach, or has no schema that this program knows. */
export async function openPrimary(url: string): Promise<OpenPrimary> {
  const address = parseAddress(url);
  const connections = new Connections(address);
  const close = (): Promise<void> => connections.close();
  try {
    const logId = await identify(connections, address);
    const primary = new PostgresPrimary({ connections, address, metrics: createDatabaseMetrics() });
    return { primary, logId, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The id of the log in the database. Rejects with `STORAGE_CONFIG` for a schema that this program does not know. */
async function identify(connections: Connections, { schema }: PostgresAddress): Promise<string> {
  const query = `SELECT log_id, version, oldest FROM ${schema}.meta`;
  const { rows } = await connections.use((client) => client.query<Meta>(query));
  checkVersion(rows[0]!);
  return rows[0]!.log_id;
}

async function openCopy(options: PostgresStorageOptions, logId: string): Promise<Storage> {
  const { directory: folder, ephemeral = false, report = () => {} } = options;
  const directory = copyDirectory(folder);
  const copyOptions = { ...options, directory };
  if (ephemeral) return openStorage(copyOptions);
  makeDirectories(folder);
  if (readSource(folder) === null) writeSource(folder, logId);
  try {
    return await openStorage(copyOptions);
  } catch (error) {
    if (!(error instanceof StorageError) || error.code !== 'STORAGE_CORRUPT') throw error;
    report(`The copy of the log in ${directory} is damaged and is made again: ${error.message}`);
    rmSync(directory, { recursive: true, force: true });
    return openStorage(copyOptions);
  }
}

function otherLog(folder: string): StorageError {
  const what = `${folder} holds a copy of another log than the one in the database. Remove it to make a new copy.`;
  return new StorageError('STORAGE_TARGET', what);
}

interface DatabaseParts {
  readonly options: PostgresStorageOptions;
  readonly address: PostgresAddress;
  readonly connections: Connections;
  readonly logId: string;
}

async function onDatabase(copy: Storage, { options, address, connections, logId }: DatabaseParts): Promise<Storage> {
  const { clock = Date.now, copying = () => {}, report = () => {} } = options;
  const metrics = createDatabaseMetrics();
  const primary = new PostgresPrimary({ connections, address, metrics });
  const broke = ({ message }: StorageError): void => report(message);
  const log = openReplicatedLog(copy.engine, { clock, refusal: () => copy.reserve?.refusal ?? null, primary, broke });
  const comparison = new Comparison(log);
  const lookups = announceHeads({ address, connections, logId }, { primary, broke, comparison });
  let closing: Promise<void> | undefined;
  const closeAll = async (): Promise<void> => {
    const stopped = lookups.stop();
    await log.close();
    await connections.close();
    await Promise.all([stopped, comparison.whole]);
    await copy.close();
  };
  const close = (): Promise<void> => (closing ??= closeAll());
  try {
    await log
      .follow((_, total) => copying(log, total))
      .catch((error: StorageError) => {
        // The database is out of reach or has another history: the log refuses appends by itself, and reads go on.
        if (error.code !== 'STORAGE_UNAVAILABLE' && error !== log.failure) throw error;
      });
    lookups.start();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    ...copy,
    log,
    database: {
      get problem() {
        return log.failure?.message ?? null;
      },
      refresh: () => refresh(log, primary),
      families: () => databaseFamilies({ metrics, connections, position: log.head().position }),
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Compares the copy with the database at each look at the head. A difference becomes the failure of the log. */
class Comparison {
  readonly #log: ReplicatedEventLog;
  /** Events after this position are compared when they are copied. */
  readonly #known: number;
  /** The comparison of all leaf hashes, once since the start; null until the database answers. */
  whole: Promise<void> | null = null;

  constructor(log: ReplicatedEventLog) {
    this.#log = log;
    this.#known = log.head().position;
  }

  look({ position, tree }: DatabaseHead): void {
    this.whole ??= this.#log.compare(this.#known).catch(({ code }: StorageError) => {
      if (code === 'STORAGE_UNAVAILABLE') this.whole = null;
    });
    const own = this.#log.head();
    if (own.position === Number(position) && own.treeHash !== tree) void this.#log.follow().catch(() => {});
  }
}

interface Announced {
  readonly primary: PostgresPrimary;
  readonly broke: (reason: StorageError) => void;
  readonly comparison: Comparison;
}

/** Announces every head of the database to the primary: by notifications, and by lookups that the caller starts. */
function announceHeads(
  { address, connections, logId }: Omit<DatabaseParts, 'options'>,
  { primary, broke, comparison }: Announced,
): HeadLookups {
  const another = new StorageError('STORAGE_READ_ONLY', 'The database has another log by now.');
  const lookups = new HeadLookups({
    address,
    connections,
    announce: (position) => primary.announce(position),
    check: (head) => {
      checkVersion(head);
      if (head.log_id === logId) return comparison.look(head);
      if (primary.failure === another) return;
      primary.refuse(another);
      broke(another);
    },
  });
  connections.listen({
    statement: listening(address.schema, channelOf(address.schema)),
    received: (position) => primary.announce(Number(position)),
    lost: () => lookups.wake(),
  });
  return lookups;
}

/** Copies new events; false when there were none. When the database is out of reach, `failure` says so at once. */
async function refresh(log: ReplicatedEventLog, primary: PostgresPrimary): Promise<boolean> {
  const before = log.head().position;
  await log.follow().catch((error: unknown) => {
    primary.gaveUp();
    throw error;
  });
  return log.head().position > before;
}
