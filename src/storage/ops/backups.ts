/**
 * The kept backups of a store: one folder per backup, named by its time.
 *
 * - A backup is verified: restored to a scratch folder, read completely, and its tree hash compared with the log's.
 *   `verified.json` in its folder records this. A backup that cannot be restored is removed.
 * - One backup is made at a time. A failure does not change earlier backups, and the last verified one is never
 *   removed.
 * - Several homes may share the folder: a verified backup is removed only when this log holds all of its events.
 * - Folders with other names are ignored.
 */
import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { backupStorage } from '../backup.ts';
import { StorageError } from '../errors.ts';
import type { LogHead } from '../event-log.ts';
import { syncDirectory, writeFileAtomic } from '../files.ts';
import { MARKER_FILE } from '../marker.ts';
import type { Storage } from '../open.ts';
import { startThread } from '../thread.ts';
import type { RestoreOutcome, RestoreTask } from './restore-worker.ts';

export interface KeptBackup {
  readonly path: string;
  /** Unix milliseconds. */
  readonly madeAt: number;
  /** Unix milliseconds. */
  readonly verifiedAt: number;
  readonly bytes: number;
  /** Head of the log in the backup. */
  readonly position: number;
  readonly treeHash: string;
  /** Payloads whose erasure is recorded after this position may be in the files of the backup. */
  readonly erasedThrough: number;
}

/** The backups whose events this log holds. */
export interface BackupsState {
  readonly last: KeptBackup | null;
  readonly kept: number;
  readonly failures: number;
  /** Why the latest attempt failed; null after a successful one. */
  readonly failure: string | null;
  readonly durationSeconds: number | null;
}

export interface Backups {
  /** Makes and verifies a backup; joins the one that is being made, if there is one. */
  make(): Promise<KeptBackup>;
  /**
   * Cancels the backup that is being made, without counting a failure: `make` rejects with the reason when the files of
   * the backup are removed.
   */
  cancel(reason: Error): void;
  state(): BackupsState;
  /** Kept backups that may hold payloads whose erasure is recorded at this position. */
  mayHoldErased(position: number): number;
  /** Aborts a backup that is being made; resolves when it has ended, at the latest after 3 s. */
  stop(): Promise<void>;
}

export interface BackupsOptions {
  readonly storage: Storage;
  readonly directory: string;
  /** Number of verified backups to keep. */
  readonly retention: number;
  readonly now: () => number;
  /** Called before each backup, to remove from the disk what the backup must not hold. */
  readonly prepare?: () => Promise<void>;
  /**
   * Payloads whose erasure is recorded up to this position have left the files of the store. When left out, all erased
   * payloads have.
   */
  readonly erasedThrough?: () => number;
}

const NAME = /^\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}Z$/;
const PROOF_FILE = 'verified.json';
/** Files that an aborted backup leaves are not recognised as a backup, and the next one removes them. */
const STOP_MS_MAX = 3_000;

/** The backups in a directory, and the means to make one. Reads the names and records of its folders. */
export function openBackups(options: BackupsOptions): Backups {
  const { storage, directory, now } = options;
  let kept = keptIn(directory);
  let own = ownOf(kept, storage);
  let failures = 0;
  let failure: string | null = null;
  let durationSeconds: number | null = null;
  let running: Promise<KeptBackup> | null = null;
  let cancelled = new AbortController();
  const stopped = new AbortController();

  async function attempt(): Promise<KeptBackup> {
    const started = performance.now();
    cancelled = new AbortController();
    const { signal } = cancelled;
    try {
      const backup = await makeVerified(options, AbortSignal.any([stopped.signal, signal]));
      try {
        prune(options, backup.path);
      } finally {
        kept = keptIn(directory);
        own = ownOf(kept, storage);
      }
      failure = null;
      durationSeconds = (performance.now() - started) / 1000;
      return backup;
    } catch (error) {
      if (!signal.aborted) {
        failures += 1;
        failure = (error as Error).message;
      }
      throw error;
    } finally {
      running = null;
    }
  }

  return {
    make: () => (running ??= attempt()),
    cancel: (reason) => cancelled.abort(reason),
    async stop() {
      stopped.abort(new Error('It was given up because the service stops.'));
      const timeout = sleep(STOP_MS_MAX, undefined, { ref: false });
      await Promise.race([timeout, running?.catch(() => undefined)]);
    },
    mayHoldErased: (position) => kept.filter(({ erasedThrough }) => erasedThrough < position).length,
    state: () => ({ last: newestOf(own, now()), kept: own.length, failures, failure, durationSeconds }),
  };
}

async function makeVerified(options: BackupsOptions, signal: AbortSignal): Promise<KeptBackup> {
  const { storage, directory, now } = options;
  const madeAt = Math.floor(now() / 1000) * 1000;
  const scratch = join(directory, scratchOf(storage));
  const copy = join(scratch, 'backup');
  rmSync(scratch, { recursive: true, force: true });
  const positionMin = storage.log.head().position;
  try {
    await options.prepare?.();
    const erasedThrough = options.erasedThrough?.();
    const { bytes } = await backupStorage(storage, copy, signal);
    const { position, treeHash } = await restoreInThread({ from: copy, directory: join(scratch, 'restored') }, signal);
    checkHead(storage, { position, treeHash }, positionMin);
    const proof = { position, treeHash, verifiedAt: now(), bytes, erasedThrough: erasedThrough ?? position };
    writeFileAtomic(join(copy, PROOF_FILE), `${JSON.stringify(proof)}\n`);
    return { ...proof, ...publish(copy, directory, madeAt) };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The folder in which a backup is made: another one for each store, so that two homes can make theirs at one time. */
function scratchOf({ directory, log }: Storage): string {
  const store = `${directory} ${log.treeHash(Math.min(1, log.head().position))}`;
  return `.making-${hash('sha256', store).slice(0, 16)}`;
}

/** Names a verified backup by its time, or by the next second that no other backup has. */
function publish(copy: string, directory: string, time: number): Pick<KeptBackup, 'path' | 'madeAt'> {
  let madeAt = time;
  while (existsSync(join(directory, nameOf(madeAt)))) madeAt += 1000;
  const path = join(directory, nameOf(madeAt));
  renameSync(copy, path);
  syncDirectory(directory);
  return { path, madeAt };
}

/** Checks that the restored log equals this log at a position that it had while the backup was made. */
function checkHead({ log }: Storage, { position, treeHash }: Omit<LogHead, 'at'>, positionMin: number): void {
  if (position >= positionMin && position <= log.head().position && treeHash === log.treeHash(position)) return;
  const what = `The backup holds ${position} events with tree hash ${treeHash}: it is not this log.`;
  throw new StorageError('STORAGE_CORRUPT', what);
}

/** Restores in a worker thread, because reading a whole store would block the event loop. */
async function restoreInThread(task: RestoreTask, signal: AbortSignal): Promise<LogHead> {
  signal.throwIfAborted();
  const worker = startThread(import.meta.url, './restore-worker', { workerData: task });
  const answer = await new Promise<RestoreOutcome>((resolve, reject) => {
    signal.addEventListener('abort', () => worker.terminate().then(() => reject(signal.reason), reject));
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => {
      if (!signal.aborted) reject(new Error(`The thread that verified the backup ended with ${code}.`));
    });
  });
  if ('head' in answer) return answer.head;
  const { code, message } = answer.error;
  throw code === undefined ? new Error(message) : new StorageError(code, `The backup cannot be restored: ${message}`);
}

/** The newest backup. One of a time after `now` comes from a wrong clock and counts only when there is no other. */
function newestOf(kept: readonly KeptBackup[], now: number): KeptBackup | null {
  return kept.findLast(({ madeAt }) => madeAt <= now) ?? kept.at(-1) ?? null;
}

/** The verified backups, oldest first. */
function keptIn(directory: string): KeptBackup[] {
  return names(directory).flatMap((name) => {
    const path = join(directory, name);
    const proof = proofIn(path);
    return proof === null ? [] : [{ ...proof, path, madeAt: timeOf(name) }];
  });
}

/** The backups of which this log holds every event: its own, and those of a log that it continues. */
function ownOf(kept: readonly KeptBackup[], { log }: Storage): KeptBackup[] {
  return kept.filter(({ position, treeHash }) => {
    try {
      return position <= log.head().position && treeHash === log.treeHash(position);
    } catch {
      // A backup that cannot be compared, as on a damaged store, must stay.
      return false;
    }
  });
}

type Proof = Omit<KeptBackup, 'path' | 'madeAt'>;

/** Null when the record is absent, cannot be read or is malformed. */
function proofIn(path: string): Proof | null {
  try {
    const record = JSON.parse(readFileSync(join(path, PROOF_FILE), 'utf8')) as Omit<Proof, 'erasedThrough'>;
    const { position, treeHash, verifiedAt, bytes } = record;
    // Earlier programs did not record it.
    const { erasedThrough = position } = record as Partial<Proof>;
    const isProof = [position, verifiedAt, bytes, erasedThrough].every(Number.isSafeInteger);
    return isProof && typeof treeHash === 'string' ? { position, treeHash, verifiedAt, bytes, erasedThrough } : null;
  } catch {
    return null;
  }
}

/**
 * Removes unfinished backups of earlier programs, and own ones older than the oldest one to keep. Called after `newest`
 * was verified, which stays also when the clock has been set back and its name makes it the oldest. When one cannot be
 * removed, throws after the others.
 */
function prune({ directory, storage, retention }: BackupsOptions, newest: string): void {
  const kept = keptIn(directory);
  const own = ownOf(kept, storage);
  const oldest = own.at(-retention)?.madeAt ?? 0;
  const others = new Set(kept.filter((backup) => !own.includes(backup)).map(({ path }) => path));
  let failure: Error | null = null;
  for (const name of names(directory)) {
    const path = join(directory, name);
    if (path === newest || others.has(path)) continue;
    const isWhole = existsSync(join(path, MARKER_FILE));
    if (isWhole && timeOf(name) >= oldest) continue;
    try {
      // First, so that a backup of which a part is removed does not count as verified.
      rmSync(join(path, PROOF_FILE), { force: true });
      rmSync(path, { recursive: true, force: true });
    } catch (error) {
      failure ??= error as Error;
    }
  }
  if (failure === null) return;
  const what = `The backup ${newest} was made and verified, but an older one cannot be removed: ${failure.message}`;
  throw new StorageError('STORAGE_IO', what, { cause: failure });
}

/** The names of the backups. None for an unreadable folder: making the next backup reports that error. */
function names(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => NAME.test(name))
      .sort();
  } catch {
    return [];
  }
}

function nameOf(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19).replaceAll(':', '-')}Z`;
}

function timeOf(name: string): number {
  return Date.parse(name.replace(/T(\d{2})-(\d{2})-(\d{2})Z$/, 'T$1:$2:$3Z'));
}
