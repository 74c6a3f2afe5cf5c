/** `daybook storage backup|snapshot|restore`: copies of a whole store. */
import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type BackupResult, backupStorage, restoreStorage } from '../../storage/backup.ts';
import type { Storage } from '../../storage/open.ts';
import { openBackups } from '../../storage/ops/backups.ts';
import { backupFacts } from '../../storage/ops/control.ts';
import type { OperationRequest } from '../../storage/ops/operation.ts';
import { UsageError } from '../errors.ts';
import { untilInterrupted } from '../interrupt.ts';
import { createProgress } from '../progress.ts';
import { lockHolderClient, runOperation } from './lock-holder.ts';
import { readStore } from './read-store.ts';
import { printFacts } from './reporting.ts';
import {
  locateStore,
  requireOwnLog,
  requireStore,
  type StoreLocation,
  type StoreOptions,
  withStore,
} from './store-location.ts';

interface BackupOptions extends StoreOptions {
  readonly to?: string;
  readonly verified?: boolean;
}

/** Copies into the given folder, or makes a verified backup in the home with retention, as the daily backup does. */
export async function backup(options: BackupOptions): Promise<void> {
  if ((options.to === undefined) === (options.verified !== true)) {
    throw new UsageError('Say either --to DIR, or --verified for one like the daily backup.');
  }
  const place = locateStore(options);
  const done = options.to === undefined ? await verifiedBackup(place) : await copyTo(place, resolve(options.to));
  await printFacts(done, options);
}

export async function snapshot(options: StoreOptions & { readonly name?: string }): Promise<void> {
  const name = options.name ?? new Date().toISOString().slice(0, 19).replaceAll(':', '-');
  if (!/^[\w.-]{1,100}$/.test(name) || name.startsWith('.')) {
    throw new UsageError('--name must be 1 to 100 letters, digits, dots, hyphens or underscores, the first no dot.');
  }
  const place = locateStore(options);
  await printFacts(await copyTo(place, join(place.home, 'snapshots', name)), options);
}

export async function restore(options: StoreOptions & { readonly from: string }): Promise<void> {
  const place = locateStore(options);
  requireOwnLog(place);
  using progress = createProgress('restoring');
  const from = resolve(options.from);
  let total: number | null = null;
  const head = await restoreStorage({
    from,
    directory: place.directory,
    config: place.config.engines,
    // The first call is made when `from` is known to be a backup, and not some folder with all its files.
    progress: (bytes) => {
      total ??= bytesIn(from);
      progress.at(bytes, total);
    },
  });
  await printFacts({ restored: place.directory, position: head.position, tree_hash: head.treeHash }, options);
}

/** The process that has the store open makes the copy; without one, this process does. */
async function copyTo(place: StoreLocation, to: string): Promise<Readonly<Record<string, unknown>>> {
  requireStore(place.directory);
  const request: OperationRequest = { kind: 'backup', to };
  const holder = lockHolderClient(place);
  if (holder !== null) return runOperation(holder, request);
  return readStore(place, async (storage) => ({ ...(await copyHere(storage, to)), to }));
}

/** An interruption closes the store, which ends the copy and removes it: it would block the next attempt. */
function copyHere(storage: Storage, to: string): Promise<BackupResult> {
  return untilInterrupted(async (signal) => {
    signal.addEventListener('abort', () => void storage.close());
    try {
      return await backupStorage(storage, to, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  });
}

async function verifiedBackup(place: StoreLocation): Promise<Readonly<Record<string, unknown>>> {
  requireStore(place.directory);
  const holder = lockHolderClient(place);
  if (holder !== null) return runOperation(holder, { kind: 'verified_backup' });
  const { backup: settings } = place.config;
  const directory = settings.directory ?? join(place.home, 'backups');
  const { retention } = settings;
  return withStore(place, async (storage) =>
    backupFacts(await openBackups({ storage, directory, retention, now: Date.now }).make()),
  );
}

function bytesIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}
