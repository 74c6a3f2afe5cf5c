/**
 * Opens a log on PostgreSQL: the copy of it in a folder of this daemon, the connections, and the news.
 *
 * - The copy is a data directory of its own, beside which `source.json` names the log that it is a copy of.
 * - A copy that is damaged is thrown away and made again. An intact one that disagrees with the database is kept: the
 *   log then says so and takes no appends.
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { BackendConfig } from '../backends.ts';
import type { Disk } from '../disk.ts';
import { StorageError } from '../errors.ts';
import { makeDirectories, writeFileAtomic } from '../files.ts';
import { openReplicatedLog, type ReplicatedEventLog } from '../log/event-log.ts';
import type { DiskBackend } from '../marker.ts';
import { openStorage, type Storage } from '../open.ts';
import { Connections } from './connections.ts';
import { HeadNews } from './news.ts';
import { PostgresPrimary } from './primary.ts';
import { SCHEMA_VERSION } from './schema.ts';
import { type PostgresAddress, parseAddress } from './url.ts';

export interface PostgresStorageOptions {
  /** The address of the log; null settings come from `env`. */
  readonly url: string;
  readonly env?: NodeJS.ProcessEnv;
  /** The folder of the copy, created when absent. Ignored when ephemeral. */
  readonly directory: string;
  readonly backend?: DiskBackend;
  readonly config?: BackendConfig;
  readonly reserveBytes?: number;
  readonly ephemeral?: boolean;
  readonly disk?: Disk | undefined;
  readonly clock?: () => number;
  /** Receives the events copied and those of the database while the copy catches up. */
  readonly progress?: (done: number, total: number) => void;
  readonly report?: (line: string) => void;
}

/** The data directory of a copy, inside its folder. */
export function copyDirectory(folder: string): string {
  return join(folder, 'data');
}

const SOURCE_FILE = 'source.json';

/** Rejects as `openStorage`, and with `STORAGE_UNAVAILABLE` when there is no copy and the database is out of reach. */
export async function openPostgresStorage(options: PostgresStorageOptions): Promise<Storage> {
  const address = parseAddress(options.url, options.env);
  const connections = new Connections(address);
  try {
    const source = await identify(connections, address);
    const storage = await openCopy(options, source);
    return await onDatabase(storage, { options, address, connections });
  } catch (error) {
    await connections.close();
    throw error;
  }
}

interface Meta {
  readonly log_id: string;
  readonly version: number;
}

/** The id of the log in the database. Rejects with `STORAGE_CONFIG` for a schema that this program does not know. */
export async function identify(connections: Connections, { schema }: PostgresAddress): Promise<string> {
  const query = `SELECT log_id, version FROM ${schema}.meta`;
  const { rows } = await connections.use((client) => client.query<Meta>(query));
  const { log_id, version } = rows[0]!;
  if (version === SCHEMA_VERSION) return log_id;
  const other = version < SCHEMA_VERSION ? 'Migrate it with `daybook log init`.' : 'Use a newer Daybook.';
  throw new StorageError(
    'STORAGE_CONFIG',
    `The schema of the log has version ${version}; this program needs ${SCHEMA_VERSION}. ${other}`,
  );
}

async function openCopy(options: PostgresStorageOptions, logId: string): Promise<Storage> {
  const { directory: folder, ephemeral = false, report = () => {} } = options;
  const directory = copyDirectory(folder);
  const given = { ...options, directory };
  if (ephemeral) return openStorage(given);
  makeDirectories(folder);
  claim(folder, logId);
  try {
    return await openStorage(given);
  } catch (error) {
    if (!(error instanceof StorageError) || error.code !== 'STORAGE_CORRUPT') throw error;
    report(`The copy of the log in ${directory} is damaged and is made again: ${error.message}`);
    rmSync(directory, { recursive: true, force: true });
    return openStorage(given);
  }
}

/** Notes which log the folder holds a copy of. Throws `STORAGE_TARGET` when it is another one. */
function claim(folder: string, logId: string): void {
  const path = join(folder, SOURCE_FILE);
  let known: string | undefined;
  try {
    known = (JSON.parse(readFileSync(path, 'utf8')) as { log_id?: string }).log_id;
  } catch {
    // Written below.
  }
  if (known === logId) return;
  if (known !== undefined) {
    throw new StorageError(
      'STORAGE_TARGET',
      `${folder} holds a copy of another log than the one in the database. Remove it to make a new copy.`,
    );
  }
  writeFileAtomic(path, `${JSON.stringify({ log_id: logId })}\n`);
}

async function onDatabase(
  copy: Storage,
  {
    options,
    address,
    connections,
  }: { readonly options: PostgresStorageOptions; readonly address: PostgresAddress; readonly connections: Connections },
): Promise<Storage> {
  const primary = new PostgresPrimary(connections, address);
  const refusal = () => copy.reserve?.refusal ?? null;
  const { clock = Date.now, progress } = options;
  let log: ReplicatedEventLog | null = null;
  const news = new HeadNews({ address, connections, announce: (position) => primary.announce(position) });
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await news.stop();
    await log?.close();
    await connections.close();
    await copy.close();
  };
  try {
    log = openReplicatedLog(copy.engine, { clock, refusal, primary });
    await log.follow(progress).catch((error: StorageError) => {
      // A history that differs: the log refuses appends by itself, and reads go on.
      if (error !== log?.failure) throw error;
      options.report?.(error.message);
    });
    news.start();
    return { ...copy, log, close: () => (closing ??= close()) };
  } catch (error) {
    await close();
    throw error;
  }
}
