/**
 * The kept backups of a store: one folder a backup, named by the time it was made, newest last.
 *
 * - A backup counts once it was restored to a scratch folder, read whole, and found to be the log of that moment by its
 *   tree hash; `verified.json` in its folder says so. What cannot be restored is no backup and is removed.
 * - One at a time. A failure changes nothing of the backups before it, and the last verified one is never removed.
 * - Folders whose names are not times of ours are left alone.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { backupStorage } from '../backup.ts';
import { StorageError } from '../errors.ts';
import type { LogHead } from '../event-log.ts';
import { writeFileAtomic } from '../files.ts';
import { MARKER_FILE } from '../marker.ts';
import type { Storage } from '../open.ts';
import type { RestoreCheck, RestoreOutcome } from './restore-worker.ts';

export interface KeptBackup {
  readonly path: string;
  /** Unix milliseconds. */
  readonly madeAt: number;
  readonly verifiedAt: number;
  readonly bytes: number;
  readonly position: number;
  readonly treeHash: string;
}

export interface BackupsState {
  readonly last: KeptBackup | null;
  readonly kept: number;
  readonly failures: number;
  /** Why the latest attempt failed; null after one that did not. */
  readonly failure: string | null;
  readonly durationSeconds: number | null;
}

export interface Backups {
  readonly directory: string;
  make(): Promise<KeptBackup>;
  state(): BackupsState;
  /** Gives up the one that is being made, if there is one; resolves when it is gone, or does not end soon. */
  stop(): Promise<void>;
}

export interface BackupsOptions {
  readonly storage: Storage;
  readonly directory: string;
  /** Verified backups that are kept. */
  readonly retention: number;
  readonly now: () => number;
}

const NAME = /^\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}Z$/;
const SCRATCH = '.verifying';
const PROOF_FILE = 'verified.json';
/** What a stop leaves is not taken for a backup, and removed by the next one. */
const STOP_MS_MAX = 3_000;

export function openBackups(options: BackupsOptions): Backups {
  const { directory, retention, now } = options;
  let kept = keptIn(directory);
  let failures = 0;
  let failure: string | null = null;
  let durationSeconds: number | null = null;
  let running: Promise<KeptBackup> | null = null;
  const stopped = new AbortController();

  async function attempt(): Promise<KeptBackup> {
    const started = now();
    try {
      const made = await makeVerified(options, stopped.signal);
      prune(directory, retention);
      kept = keptIn(directory);
      failure = null;
      durationSeconds = (now() - started) / 1000;
      return made;
    } catch (error) {
      failures += 1;
      failure = (error as Error).message;
      throw error;
    } finally {
      running = null;
    }
  }

  return {
    directory,
    make: () => (running ??= attempt()),
    async stop() {
      stopped.abort(new Error('It was given up because the service stops.'));
      const late = sleep(STOP_MS_MAX, undefined, { ref: false });
      await Promise.race([late, running?.catch(() => undefined)]);
    },
    state: () => ({ last: kept.at(-1) ?? null, kept: kept.length, failures, failure, durationSeconds }),
  };
}

async function makeVerified(options: BackupsOptions, stopped: AbortSignal): Promise<KeptBackup> {
  const { storage, directory, now } = options;
  const madeAt = Math.floor(now() / 1000) * 1000;
  const path = join(directory, nameOf(madeAt));
  const scratch = join(directory, SCRATCH);
  if (existsSync(path)) throw new StorageError('STORAGE_TARGET', `There is already a backup ${path}.`);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  rmSync(scratch, { recursive: true, force: true });
  const least = storage.log.head().position;
  try {
    const { bytes } = await backupStorage(storage, path);
    const head = await rehearse({ from: path, directory: scratch }, stopped);
    checkHead(storage, head, least);
    const proof = { position: head.position, treeHash: head.treeHash, verifiedAt: now(), bytes };
    writeFileAtomic(join(path, PROOF_FILE), `${JSON.stringify(proof)}\n`);
    return { path, madeAt, ...proof };
  } catch (error) {
    rmSync(path, { recursive: true, force: true });
    throw error;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** What was restored must be the log as it stood at some moment of the backup. */
function checkHead({ log }: Storage, { position, treeHash }: LogHead, least: number): void {
  if (position >= least && position <= log.head().position && treeHash === log.treeHash(position)) return;
  const what = `The backup holds ${position} events with tree hash ${treeHash}: it is not this log.`;
  throw new StorageError('STORAGE_CORRUPT', what);
}

/** Restores in a thread of its own, because reading a whole store would hold up the event loop. */
async function rehearse(rehearsal: RestoreCheck, stopped: AbortSignal): Promise<LogHead> {
  stopped.throwIfAborted();
  const file = import.meta.url.endsWith('.ts') ? './restore-worker.ts' : './restore-worker.js';
  const worker = new Worker(new URL(file, import.meta.url), { workerData: rehearsal, env: {}, execArgv: [] });
  const answer = await new Promise<RestoreOutcome>((resolve, reject) => {
    stopped.addEventListener('abort', () => worker.terminate().then(() => reject(stopped.reason), reject));
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => {
      if (!stopped.aborted) reject(new Error(`The thread that verified the backup ended with ${code}.`));
    });
  });
  if ('head' in answer) return answer.head;
  const { code, message } = answer.error;
  throw code === undefined ? new Error(message) : new StorageError(code, `The backup cannot be restored: ${message}`);
}

/** Verified backups, oldest first. Reads small files only. */
function keptIn(directory: string): KeptBackup[] {
  return names(directory).flatMap((name) => {
    const path = join(directory, name);
    try {
      const proof = JSON.parse(readFileSync(join(path, PROOF_FILE), 'utf8')) as Omit<KeptBackup, 'path' | 'madeAt'>;
      return [{ ...proof, path, madeAt: timeOf(name) }];
    } catch {
      return [];
    }
  });
}

/** Removes what is older than the oldest one to keep, and what a crash left half made. Called once one is verified. */
function prune(directory: string, retention: number): void {
  const oldest = keptIn(directory).at(-retention)?.madeAt ?? 0;
  for (const name of names(directory)) {
    const path = join(directory, name);
    const isWhole = existsSync(join(path, MARKER_FILE));
    if (!isWhole || timeOf(name) < oldest) rmSync(path, { recursive: true, force: true });
  }
}

/** A folder that cannot be read has no backups: that shows when the next one is made, and not before. */
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
