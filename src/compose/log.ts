/** Opens the log, in the home or in a database with a copy in the home, and its operations. */
import { join } from 'node:path';
import { type Config, ConfigError } from '../config.ts';
import { isLocalHost } from '../host-names.ts';
import { copyFolder, readSource } from '../storage/copy-folder.ts';
import type { Disk } from '../storage/disk.ts';
import type { StoredEventLog } from '../storage/log/event-log.ts';
import { type OpenStorageOptions, openStorage, type Storage } from '../storage/open.ts';
import { storageConfigOf } from '../storage/ops/config.ts';
import { createStorageOps, type OpsOptions, type StorageOps } from '../storage/ops/ops.ts';
import type { FoldingThread } from './fold-thread.ts';
import type { System } from './system.ts';

interface LogOptions {
  /** Folds the events that the views lack while the log is opened. */
  readonly ahead: FoldingThread | undefined;
  /** File system of the engines `cow` and `lsm`; default: that of the machine. */
  readonly disk: Disk | undefined;
  /** Called while the copy of a log in a database catches up, with the event counts of the copy and of the database. */
  readonly copying: (done: number, total: number) => void;
  /** Gets what has to be closed. */
  readonly opened: AsyncDisposableStack;
}

/** What the operations ask of parts that are created after the log. */
type LaterParts = Required<Pick<OpsOptions, 'views' | 'families' | 'makesBackups'>>;

interface OpenedLog {
  readonly storage: Storage;
  /** Metrics, probes, daily backup. */
  readonly ops: StorageOps;
}

export async function openLog(
  { config, env, announce, clock, timers, version }: System,
  { ahead, disk, copying, opened }: LogOptions,
  later: LaterParts,
): Promise<OpenedLog> {
  const { home, storage_ops_port: port } = config;
  const settings = storageConfigOf(home, config.storage_config);
  opened.defer(() => ahead?.stop());
  const storage = await openStorageOf(config, {
    env,
    report: announce,
    copying: (log, total) => {
      ahead?.copying(log, total);
      copying(log.head().position, total);
    },
    backend: config.backend ?? settings.backend,
    config: settings.engines,
    reserveBytes: settings.diskReserveBytes,
    disk,
    clock: () => clock.now(),
  });
  opened.defer(() => storage.close());
  ahead?.read(storage.log);
  const ops = createStorageOps({
    storage,
    place: storage.directory === null ? null : { directory: storage.directory, home },
    config: settings,
    port: port === 'off' ? null : port,
    admitsHost: isLocalHost,
    report: announce,
    clock: { now: () => clock.now(), after: (milliseconds, callback) => timers.after(milliseconds, callback) },
    version,
    ...later,
  });
  return { storage, ops };
}

interface StorageOptions extends Omit<OpenStorageOptions, 'directory' | 'ephemeral'> {
  readonly env: NodeJS.ProcessEnv;
  readonly report: (line: string) => void;
  readonly copying: (log: StoredEventLog, total: number) => void;
}

/** Opens the configured storage. The PostgreSQL code is loaded only for a log in a database. */
async function openStorageOf(
  { home, log, ephemeral }: Pick<Config, 'home' | 'log' | 'ephemeral'>,
  options: StorageOptions,
): Promise<Storage> {
  const copy = copyFolder(home);
  if (log === undefined) {
    if (!ephemeral && readSource(copy) !== null) {
      throw new ConfigError(
        `The log of this home is in a database: ${copy} holds a copy of it. Set DAYBOOK_LOG, or remove that folder to ` +
          `go on with the log in ${join(home, 'data')}.`,
      );
    }
    const storage = await openStorage({ ...options, directory: join(home, 'data'), ephemeral });
    for (const { file, offset, what } of storage.engine.repaired ?? []) {
      options.report(`The store had a damaged part that it does not need: ${file} at ${offset ?? 0}: ${what}.`);
    }
    return storage;
  }
  const { openPostgresStorage } = await import('../storage/postgres/open.ts');
  return openPostgresStorage({ ...options, url: log, directory: copy, ephemeral });
}
