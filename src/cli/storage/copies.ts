/** `daybook storage backup|snapshot|restore|migrate`: copies of a whole store, and the move to another engine. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { backupStorage, restoreStorage } from '../../storage/backup.ts';
import { migrateStorage } from '../../storage/migrate.ts';
import { openBackups } from '../../storage/ops/backups.ts';
import { backupFacts, type OperationRequest } from '../../storage/ops/control.ts';
import { UsageError } from '../failures.ts';
import { createProgress } from '../progress.ts';
import { askFor, holderOf } from './holder.ts';
import { backendNamed, type Place, type PlaceOptions, placeOf, storeIn, withStore } from './place.ts';
import { printFacts, printJson } from './verb.ts';

interface BackupOptions extends PlaceOptions {
  readonly to?: string;
  readonly verified?: boolean;
}

/** Into a folder of the caller's choice, or as the daily backup does it: kept in the home, proven, with retention. */
export async function backup(options: BackupOptions): Promise<void> {
  if ((options.to === undefined) === (options.verified !== true)) {
    throw new UsageError('Say either --to DIR, or --verified for one like the daily backup.');
  }
  const place = placeOf(options);
  const done = options.to === undefined ? await verifiedBackup(place) : await copyTo(place, resolve(options.to));
  await show(options, done);
}

export async function snapshot(options: PlaceOptions & { readonly name?: string }): Promise<void> {
  const name = options.name ?? new Date().toISOString().slice(0, 19).replaceAll(':', '-');
  if (!/^[\w.-]{1,100}$/.test(name) || name.startsWith('.')) {
    throw new UsageError('--name must be 1 to 100 letters, digits, dots, hyphens or underscores.');
  }
  const place = placeOf(options);
  await show(options, await copyTo(place, join(place.home, 'snapshots', name)));
}

export async function restore(options: PlaceOptions & { readonly from: string }): Promise<void> {
  const place = placeOf(options);
  const progress = createProgress('restoring');
  const from = resolve(options.from);
  const total = bytesIn(from);
  try {
    const head = await restoreStorage({
      from,
      directory: place.directory,
      config: place.config.engines,
      progress: (bytes) => progress.at(bytes, total),
    });
    await show(options, { restored: place.directory, position: head.position, tree_hash: head.treeHash });
  } finally {
    progress.end();
  }
}

export async function migrate(options: PlaceOptions & { readonly to: string }): Promise<void> {
  const to = backendNamed(options.to, '--to');
  const { directory, config } = placeOf(options);
  storeIn(directory);
  const progress = createProgress('migrating');
  try {
    const head = await migrateStorage({
      directory,
      to,
      config: config.engines,
      progress: (done, total) => progress.at(done, total),
    });
    await show(options, { backend: to, position: head.position, tree_hash: head.treeHash });
  } finally {
    progress.end();
  }
}

/** The process that holds the store copies it while it writes; without one, this process does. */
async function copyTo(place: Place, to: string): Promise<Readonly<Record<string, unknown>>> {
  storeIn(place.directory);
  const request: OperationRequest = { kind: 'backup', to };
  const holder = holderOf(place);
  if (holder !== null) return askFor(holder, request);
  return withStore(place, async (storage) => ({ ...(await backupStorage(storage, to)), to }));
}

async function verifiedBackup(place: Place): Promise<Readonly<Record<string, unknown>>> {
  storeIn(place.directory);
  const holder = holderOf(place);
  if (holder !== null) return askFor(holder, { kind: 'verified_backup' });
  const { backup: settings } = place.config;
  const directory = settings.directory ?? join(place.home, 'backups');
  const { retention } = settings;
  return withStore(place, async (storage) =>
    backupFacts(await openBackups({ storage, directory, retention, now: Date.now }).make()),
  );
}

async function show(options: PlaceOptions, facts: Readonly<Record<string, unknown>>): Promise<void> {
  await (options.json === true ? printJson(facts) : printFacts(facts));
}

/** Of all files below a folder, for the progress bar. */
function bytesIn(folder: string): number {
  if (!existsSync(folder)) return 0;
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}
