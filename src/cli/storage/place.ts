/** Where a storage command works: data directory, home, configuration, engine; and how it opens what lies there. */
import { dirname, join, resolve } from 'node:path';
import { homeOf, storageSettings } from '../../config.ts';
import { StorageError } from '../../storage/errors.ts';
import { lockHolder } from '../../storage/lock.ts';
import { DISK_BACKENDS, type DiskBackend, detectBackend } from '../../storage/marker.ts';
import { openStorage, type Storage } from '../../storage/open.ts';
import { type StorageConfig, storageConfigOf } from '../../storage/ops/config.ts';
import { UsageError } from '../failures.ts';

export interface PlaceOptions {
  readonly dataDir?: string;
  readonly home?: string;
  readonly config?: string;
  readonly backend?: string;
  readonly json?: boolean;
}

export interface Place {
  readonly directory: string;
  /** The folder around the data: configuration and backups lie there. */
  readonly home: string;
  readonly config: StorageConfig;
  /** The engine of a new directory, when somebody chose one: flag, environment, file. */
  readonly backend: DiskBackend | undefined;
}

export function placeOf(options: PlaceOptions): Place {
  const { dataDir } = options;
  const ofHome = dataDir === undefined || options.home !== undefined;
  const home = ofHome ? homeOf(process.env, { home: options.home }) : dirname(resolve(dataDir));
  const directory = dataDir === undefined ? join(home, 'data') : resolve(dataDir);
  // The folder around a data directory that somebody named need be nobody's home.
  const said = ofHome ? storageSettings(home) : {};
  const named = options.config ?? (process.env.DAYBOOK_STORAGE_CONFIG || undefined) ?? said.storage_config;
  const config = storageConfigOf(home, named === undefined ? undefined : resolve(named));
  return { directory, home, config, backend: chosenBackend(options.backend) ?? said.backend ?? config.backend };
}

function chosenBackend(flag: string | undefined): DiskBackend | undefined {
  if (flag !== undefined) return backendNamed(flag, '--backend');
  const variable = process.env.DAYBOOK_PERSISTENCE_BACKEND;
  return variable ? backendNamed(variable, 'DAYBOOK_PERSISTENCE_BACKEND') : undefined;
}

export function backendNamed(name: string, source: string): DiskBackend {
  const backend = DISK_BACKENDS.find((known) => known === name);
  if (backend !== undefined) return backend;
  throw new UsageError(`${source} must be ${DISK_BACKENDS.join(', ')}; it is '${name}'.`);
}

/** The engine that wrote the directory. Refuses one without a store, so that looking at it makes none. */
export function storeIn(directory: string): DiskBackend {
  const backend = detectBackend(directory);
  if (backend !== null) return backend;
  throw new UsageError(`There is no Daybook store in ${directory}; name another --data-dir.`);
}

/** For who looks at files past the engine: bytes under a writer would tell tales. */
export function checkFree({ directory }: Place): void {
  const holder = lockHolder(directory);
  if (holder === undefined) return;
  throw new StorageError('STORAGE_LOCKED', `${directory} is held by process ${holder.pid}; stop it first.`);
}

/** Opens the store that is there, works with it, closes it. */
export async function withStore<Result>(place: Place, work: (storage: Storage) => Promise<Result>): Promise<Result> {
  storeIn(place.directory);
  return withOpened({ directory: place.directory, config: place.config.engines }, work);
}

/** The same, where an absent or empty directory becomes a new store. */
export async function withStoreOrNew<Result>(
  { directory, config, backend }: Place,
  work: (storage: Storage) => Promise<Result>,
): Promise<Result> {
  return withOpened({ directory, config: config.engines, ...(backend !== undefined && { backend }) }, work);
}

async function withOpened<Result>(
  options: Parameters<typeof openStorage>[0],
  work: (storage: Storage) => Promise<Result>,
): Promise<Result> {
  const storage = await openStorage(options);
  try {
    return await work(storage);
  } finally {
    await storage.close();
  }
}
