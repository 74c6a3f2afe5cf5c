/**
 * Migration of a data directory to another engine, in place.
 *
 * - The new store is built beside the old one. The marker is replaced after the new store was verified and its log has
 *   the same tree hash. After a crash at any point the marker names either the complete old or the complete new store.
 * - The store that the marker does not name is removed afterwards, or at the next open.
 */
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type BackendConfig, openBackend } from './backends.ts';
import type { Bytes, KeyValueEngine } from './engine.ts';
import { StorageError } from './errors.ts';
import type { LogHead } from './event-log.ts';
import { syncDirectory } from './files.ts';
import { lockDirectory } from './lock.ts';
import { openEventLog, type StoredEventLog } from './log/event-log.ts';
import { type DiskBackend, MARKER_FILE, type Marker, nextStore, readMarker, writeMarker } from './marker.ts';
import { openStore } from './open.ts';

export interface MigrateOptions {
  readonly directory: string;
  readonly to: DiskBackend;
  readonly config?: BackendConfig;
  readonly progress?: (done: number, total: number) => void;
}

const BATCH_EVENTS_MAX = 4_096;
const BATCH_BYTES_MAX = 4_194_304;

/**
 * Resolves with the head of the migrated log. Rejects with `STORAGE_LOCKED` while another process holds the directory
 * and with `STORAGE_CONFIG` when it has that engine already.
 */
export async function migrateStorage(options: MigrateOptions): Promise<LogHead> {
  const { directory, to } = options;
  // Refuses a foreign directory before the lock file is written into it. Until the lock is held, the marker may change.
  markerBefore(options);
  using _lock = lockDirectory(directory);
  const marker = markerBefore(options);
  const next: Marker = { format: 1, backend: to, store: nextStore(marker.store), state: 'ready' };
  const head = await buildNext(options, { marker, next });
  writeMarker(directory, next);
  rmSync(join(directory, marker.store), { recursive: true, force: true });
  syncDirectory(directory);
  return head;
}

/** The marker of a store that has another engine. */
function markerBefore({ directory, to }: MigrateOptions): Marker {
  const marker = readyMarker(directory);
  if (marker.backend !== to) return marker;
  throw new StorageError('STORAGE_CONFIG', `The store in ${directory} is of ${to} already; nothing was changed.`);
}

/** Appends the missing records of `source` to `target` and checks that both logs have the same tree hash. */
export async function copyLog(
  source: StoredEventLog,
  target: StoredEventLog,
  progress: (done: number, total: number) => void = () => {},
): Promise<LogHead> {
  const total = source.head().position;
  for await (const batch of inBatches(source.readRaw({ after: target.head().position }))) {
    await target.copy(batch.map(({ record }) => record));
    progress(batch.at(-1)!.position, total);
  }
  const [from, to] = [source.head(), target.head()];
  if (from.treeHash !== to.treeHash) {
    throw new StorageError('STORAGE_CORRUPT', `The copied log has tree hash ${to.treeHash}, not ${from.treeHash}.`);
  }
  return to;
}

/** Records in batches that fit one commit, lazily. */
export async function* inBatches<Item extends { readonly record: Bytes }>(
  items: Iterable<Item> | AsyncIterable<Item>,
): AsyncGenerator<readonly Item[], void> {
  let batch: Item[] = [];
  let bytes = 0;
  for await (const item of items) {
    batch.push(item);
    bytes += item.record.length;
    if (batch.length < BATCH_EVENTS_MAX && bytes < BATCH_BYTES_MAX) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

async function buildNext(
  { directory, config = {}, progress }: MigrateOptions,
  { marker, next }: { readonly marker: Marker; readonly next: Marker },
): Promise<LogHead> {
  const store = join(directory, next.store);
  if (existsSync(join(store, MARKER_FILE))) {
    const what = `${store} is a data directory itself, and in the way of the migration; move it elsewhere.`;
    throw new StorageError('STORAGE_TARGET', what);
  }
  const engines: KeyValueEngine[] = [];
  try {
    const source = await openStore(directory, marker, config);
    engines.push(source);
    mkdirSync(store, { mode: 0o700 });
    const target = await openBackend(next.backend, { directory: store, config });
    engines.push(target);
    const log = openEventLog(target);
    const head = await copyLog(openEventLog(source), log, progress);
    await checkClean(target, log);
    for (const engine of engines.splice(0)) await engine.close();
    syncDirectory(store);
    syncDirectory(directory);
    return head;
  } catch (error) {
    for (const engine of engines) await engine.close().catch(() => {});
    rmSync(store, { recursive: true, force: true });
    throw error;
  }
}

/** Verifies the engine and the log; rejects with the first fault. */
export async function checkClean(engine: KeyValueEngine, log: StoredEventLog): Promise<void> {
  const [fault] = [...(await engine.verify()), ...(await log.verify()).errors];
  if (fault === undefined) return;
  const { file, offset, what } = fault;
  throw new StorageError('STORAGE_CORRUPT', `${file}: ${what}`, { file, ...(offset !== null && { offset }) });
}

function readyMarker(directory: string): Marker {
  const marker = readMarker(directory);
  if (marker?.state === 'ready') return marker;
  throw new StorageError(
    'STORAGE_FOREIGN',
    `${directory} holds no finished Daybook store; there is nothing to migrate.`,
  );
}
