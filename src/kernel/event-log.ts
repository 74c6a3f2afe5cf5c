/** An event log in a folder of the program that embeds Daybook. */
import type { BackendConfig } from '../storage/backends.ts';
import { type BackupResult, backupStorage } from '../storage/backup.ts';
import type { Backend } from '../storage/engine.ts';
import { StorageError } from '../storage/errors.ts';
import type { EventLog } from '../storage/event-log.ts';
import { openStorage } from '../storage/open.ts';

export interface OpenEventLogOptions {
  /** The data directory, created when absent; one process has it open at a time. Left out: the log is in memory. */
  readonly folder?: string;
  /**
   * The engine of a new folder; `cow` when left out. An existing folder keeps its engine: asking for another one
   * rejects with `STORAGE_BACKEND_MISMATCH`. The engine `memory` stores nothing and takes no folder.
   */
  readonly engine?: Backend;
  /** Settings of the engines. */
  readonly config?: BackendConfig;
  /** Unix milliseconds; stamps the records of erasures. Default: `Date.now`. */
  readonly clock?: () => number;
}

/** An open event log. `close`, or the end of its `await using` block, closes it. */
export interface OpenEventLog extends EventLog, AsyncDisposable {
  readonly engine: Backend;
  /** null for the engine `memory`. */
  readonly folder: string | null;
  /** Aborted when the log begins to close. Projections and subscriptions of the log end with it. */
  readonly closing: AbortSignal;
  /**
   * Copies the log, while writes continue, into a folder that is absent or empty. The copy is a folder that
   * `openEventLog` opens. Rejects with `STORAGE_TARGET` for an unsuitable folder, and for the engine `memory`.
   */
  backup(folder: string): Promise<BackupResult>;
  /** Refuses new appends, makes the pending ones durable and releases the folder; idempotent. */
  close(): Promise<void>;
}

/**
 * Opens the event log of a folder, or creates it.
 *
 *     await using log = await openEventLog({ folder: 'data', engine: 'lsm' });
 *
 * Rejects with a `StorageError`: `STORAGE_LOCKED` when another process has the folder open, `STORAGE_FOREIGN` for a
 * folder with other files, `STORAGE_BACKEND_MISMATCH`, `STORAGE_CONFIG`, `STORAGE_CORRUPT`, or an error of the disk.
 */
export async function openEventLog(options: OpenEventLogOptions = {}): Promise<OpenEventLog> {
  const { folder, engine, config, clock } = options;
  if (engine !== undefined && (engine === 'memory') !== (folder === undefined)) {
    throw new TypeError(`The engine ${engine} ${engine === 'memory' ? 'takes no' : 'needs a'} folder.`);
  }
  const storage = await openStorage({
    directory: folder ?? '',
    ephemeral: folder === undefined,
    ...(engine !== undefined && engine !== 'memory' && { backend: engine }),
    ...(config !== undefined && { config }),
    ...(clock !== undefined && { clock }),
  });
  const { log, backend, directory } = storage;
  const closing = new AbortController();
  const close = (): Promise<void> => {
    closing.abort(new StorageError('STORAGE_CLOSED', 'The event log is closed.'));
    return storage.close();
  };
  return {
    engine: backend,
    folder: directory,
    closing: closing.signal,
    get failure() {
      return log.failure;
    },
    append: (batch, appendOptions) => log.append(batch, appendOptions),
    erase: (positions) => log.erase(positions),
    readAll: (range) => log.readAll(range),
    readStream: (stream, range) => log.readStream(stream, range),
    placesOf: (category) => log.placesOf(category),
    at: (position) => log.at(position),
    streamVersion: (stream) => log.streamVersion(stream),
    head: () => log.head(),
    treeHash: (size) => log.treeHash(size),
    inclusionProof: (position, size) => log.inclusionProof(position, size),
    consistencyProof: (from, to) => log.consistencyProof(from, to),
    treeHashes: (range) => log.treeHashes(range),
    onAppended: (listener) => log.onAppended(listener),
    verify: (progress) => log.verify(progress),
    backup: (target) => backupStorage(storage, target),
    close,
    [Symbol.asyncDispose]: close,
  };
}
