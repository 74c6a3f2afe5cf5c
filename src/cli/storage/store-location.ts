/** The store that a storage command works on: data directory, home, configuration, engine; and how it is opened. */
import { dirname, resolve } from 'node:path';
import { homeOf, storageSettings } from '../../config/load.ts';
import { isCopy, logDirectory } from '../../storage/copy-folder.ts';
import { StorageError } from '../../storage/errors.ts';
import { lockHolder } from '../../storage/lock.ts';
import { DISK_BACKENDS, type DiskBackend, detectBackend } from '../../storage/marker.ts';
import { openStorage, type Storage } from '../../storage/open.ts';
import { type StorageConfig, storageConfigOf } from '../../storage/ops/config.ts';
import { UsageError } from '../errors.ts';

export interface StoreOptions {
  readonly dataDir?: string;
  readonly home?: string;
  readonly config?: string;
  readonly backend?: string;
  readonly json?: boolean;
}

export interface StoreLocation {
  readonly directory: string;
  /** The folder with the configuration and the backups. */
  readonly home: string;
  readonly config: StorageConfig;
  /** The engine for a new store, if chosen by flag, environment or file. */
  readonly backend: DiskBackend | undefined;
}

export function locateStore(options: StoreOptions): StoreLocation {
  const { dataDir } = options;
  const ofHome = dataDir === undefined || options.home !== undefined;
  const home = ofHome ? homeOf(process.env, { home: options.home }) : dirname(resolve(dataDir));
  const directory = dataDir === undefined ? logDirectory(home) : resolve(dataDir);
  // The parent of a --data-dir need not be a home, so its settings are not read.
  const settings = ofHome ? storageSettings(home) : {};
  const named = options.config ?? (process.env.DAYBOOK_STORAGE_CONFIG || undefined) ?? settings.storage_config;
  const config = storageConfigOf(home, named === undefined ? undefined : resolve(named));
  return { directory, home, config, backend: chosenBackend(options.backend) ?? settings.backend ?? config.backend };
}

function chosenBackend(flag: string | undefined): DiskBackend | undefined {
  if (flag !== undefined) return parseBackend(flag, '--backend');
  const variable = process.env.DAYBOOK_PERSISTENCE_BACKEND;
  return variable ? parseBackend(variable, 'DAYBOOK_PERSISTENCE_BACKEND') : undefined;
}

export function parseBackend(name: string, source: string): DiskBackend {
  const backend = DISK_BACKENDS.find((known) => known === name);
  if (backend !== undefined) return backend;
  throw new UsageError(`${source} must be ${DISK_BACKENDS.join(', ')}; it is '${name}'.`);
}

/** The engine that wrote the directory. Throws `UsageError` when there is no store, so that none is created. */
export function requireStore(directory: string): DiskBackend {
  const backend = detectBackend(directory);
  if (backend !== null) return backend;
  throw new UsageError(`There is no Daybook store in ${directory}; name another --data-dir.`);
}

/** For commands that change the log: throws when it is in a database, of which the directory holds a copy. */
export function requireOwnLog({ directory }: StoreLocation): void {
  if (!isCopy(directory)) return;
  throw new UsageError(`${directory} holds a copy of a log in a database; what is written there would be lost.`);
}

/** For commands that read files without the engine: throws when another process may change them. */
export function requireUnlocked({ directory }: StoreLocation): void {
  const holder = lockHolder(directory);
  if (holder === undefined) return;
  throw new StorageError('STORAGE_LOCKED', `${directory} is held by process ${holder.pid}; stop it first.`);
}

/** Opens an existing store, calls `work` and closes the store. */
export async function withStore<Result>(
  place: StoreLocation,
  work: (storage: Storage) => Promise<Result>,
): Promise<Result> {
  requireStore(place.directory);
  return withStorage({ directory: place.directory, config: place.config.engines }, work);
}

/** As `withStore`, but creates a store in an absent or empty directory. */
export async function withStoreOrNew<Result>(
  { directory, config, backend }: StoreLocation,
  work: (storage: Storage) => Promise<Result>,
): Promise<Result> {
  return withStorage({ directory, config: config.engines, ...(backend !== undefined && { backend }) }, work);
}

async function withStorage<Result>(
  options: Parameters<typeof openStorage>[0],
  work: (storage: Storage) => Promise<Result>,
): Promise<Result> {
  await using storage = await openStorage(options);
  return await work(storage);
}
