/** `daybook storage migrate`: moves the log to another engine, into a database, or out of one. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { copyDirectory, copyFolder, isCopy, writeSource } from '../../storage/copy-folder.ts';
import { StorageError } from '../../storage/errors.ts';
import { makeDirectories } from '../../storage/files.ts';
import { lockHolder } from '../../storage/lock.ts';
import { migrateStorage } from '../../storage/migrate.ts';
import { isPostgresUrl } from '../../storage/postgres/url.ts';
import { UsageError } from '../errors.ts';
import { createProgress, type Progress } from '../progress.ts';
import { printFacts } from './reporting.ts';
import { locateStore, parseBackend, requireOwnLog, requireStore, type StoreOptions } from './store-location.ts';

interface MigrateOptions extends StoreOptions {
  readonly to: string;
  readonly log?: string;
}

export async function migrate(options: MigrateOptions): Promise<void> {
  using progress = createProgress('migrating');
  await printFacts(await migrated(options, progress), options);
}

async function migrated(options: MigrateOptions, progress: Progress): Promise<Readonly<Record<string, unknown>>> {
  const show: ReportProgress = (done, total) => progress.at(done, total);
  if (isPostgresUrl(options.to)) return intoDatabase(options, show);
  const to = parseBackend(options.to, '--to');
  const log = options.log ?? (process.env.DAYBOOK_LOG || undefined);
  if (log !== undefined) return outOfDatabase({ ...options, log, backend: to }, show);
  const { directory, config } = locateStore(options);
  requireStore(directory);
  // The database would keep the log, and the home would seem to have it back.
  if (options.dataDir === undefined && isCopy(directory)) {
    throw new UsageError(`${directory} holds a copy of a log in a database; name the database with --log.`);
  }
  const head = await migrateStorage({ directory, to, config: config.engines, progress: show });
  return { backend: to, position: head.position, tree_hash: head.treeHash };
}

type ReportProgress = (done: number, total: number) => void;

/** The data directory is kept, but the home uses the database from then on. */
async function intoDatabase(
  options: MigrateOptions,
  progress: ReportProgress,
): Promise<Readonly<Record<string, unknown>>> {
  const place = locateStore(options);
  requireStore(place.directory);
  // With --data-dir a copy may be migrated too: it restores what its database lost.
  if (options.dataDir === undefined) requireOwnLog(place);
  const { migrateToPostgres } = await import('../../storage/postgres/migrate.ts');
  const { directory, config, home } = place;
  const migrated = await migrateToPostgres({ url: options.to, directory, config: config.engines, progress });
  if (options.dataDir === undefined) {
    const folder = copyFolder(home);
    makeDirectories(folder);
    writeSource(folder, migrated.logId);
  }
  return { log_id: migrated.logId, position: migrated.position, tree_hash: migrated.treeHash };
}

/**
 * Deletes the copy in the home, so that the home uses its data directory again. Refused when the database lacks events
 * of the copy.
 */
async function outOfDatabase(
  options: MigrateOptions & { readonly log: string },
  progress: ReportProgress,
): Promise<Readonly<Record<string, unknown>>> {
  const { log: url, to, dataDir } = options;
  if (!isPostgresUrl(url)) throw new UsageError('--log must be an address such as postgres://user@host/database.');
  const { home, config } = locateStore(options);
  const directory = dataDir ?? join(home, 'data');
  const holder = lockHolder(locateStore(options).directory);
  if (holder !== undefined) {
    throw new StorageError('STORAGE_LOCKED', `The home ${home} is in use by process ${holder.pid}; stop it first.`);
  }
  const { checkCopy, migrateFromPostgres, requireNoDaemons } = await import('../../storage/postgres/migrate.ts');
  const backend = parseBackend(to, '--to');
  // The home would go on with its own log, and the others with the one in the database.
  if (dataDir === undefined) await requireNoDaemons(url);
  const copy = copyDirectory(copyFolder(home));
  if (dataDir === undefined && existsSync(copy)) {
    await checkCopy({ url, directory: copy, config: config.engines }).catch((error: StorageError) => {
      // A damaged copy holds nothing that the database could lack: a daemon makes it again, too.
      if (error.code !== 'STORAGE_CORRUPT') throw error;
    });
  }
  const migrated = await migrateFromPostgres({ url, directory, backend, config: config.engines, progress });
  if (dataDir === undefined) rmSync(copyFolder(home), { recursive: true, force: true });
  return { backend, position: migrated.position, tree_hash: migrated.treeHash };
}
