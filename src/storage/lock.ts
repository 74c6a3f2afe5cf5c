/**
 * One directory, one process: the lock file names its holder.
 *
 * - A holder is its pid together with the time its process started and the boot it runs in, so that a pid used again is
 *   not mistaken for it. Where the system does not tell start times (no /proc), the pid alone decides.
 * - Looking at the lock and taking it happen under an operating-system lock on a second file, which ends with its
 *   process: of two that find a stale lock, one takes it.
 */
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { StorageError } from './errors.ts';
import { hasCode, writeFileAtomic } from './files.ts';

export const LOCK_FILE = 'daybook.lock';
export const LOCK_GUARD_FILE = 'daybook.lock-guard';

export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /** `<boot id>/<start in clock ticks>`, null where the system does not tell. */
  readonly started: string | null;
  /** Unix milliseconds when the lock was taken. */
  readonly since: number;
}

export interface DirectoryLock {
  /** Gives the directory back; idempotent. */
  release(): void;
}

/** Takes the lock of `directory`, or throws `STORAGE_LOCKED` naming the holder. */
export function lockDirectory(directory: string): DirectoryLock {
  const path = join(directory, LOCK_FILE);
  const own: LockHolder = { pid: process.pid, host: hostname(), started: startOf(process.pid), since: Date.now() };
  guarded(directory, () => {
    const holder = readHolder(path);
    if (holder !== undefined && isAlive(holder)) throw lockedBy(directory, holder);
    writeFileAtomic(path, `${JSON.stringify(own)}\n`);
  });
  let isHeld = true;
  return {
    release: () => {
      if (isHeld) rmSync(path, { force: true });
      isHeld = false;
    },
  };
}

/** Who holds the lock of `directory` now, undefined when nobody alive does. */
export function lockHolder(directory: string): LockHolder | undefined {
  const holder = readHolder(join(directory, LOCK_FILE));
  return holder !== undefined && isAlive(holder) ? holder : undefined;
}

const GUARD_TIMEOUT_MS = 5_000;

/** Runs `work` while no other process is inside `guarded` for the same directory. */
function guarded(directory: string, work: () => void): void {
  const guard = openGuard(directory);
  try {
    guard.exec('BEGIN EXCLUSIVE');
    work();
    guard.exec('COMMIT');
  } catch (error) {
    if (!hasCode(error, 'SQLITE_BUSY')) throw error;
    throw new StorageError('STORAGE_LOCKED', `Another process is opening ${directory} right now; try again.`);
  } finally {
    guard.close();
  }
}

function openGuard(directory: string): Sqlite.Database {
  const path = join(directory, LOCK_GUARD_FILE);
  try {
    closeSync(openSync(path, 'a', 0o600));
    return new Sqlite(path, { timeout: GUARD_TIMEOUT_MS });
  } catch (error) {
    const what = `${directory} cannot be locked (${(error as Error).message}): it must be writable by this user.`;
    throw new StorageError('STORAGE_IO', what, { file: LOCK_GUARD_FILE, cause: error });
  }
}

/** The holder in the file; undefined when there is none or a crash cut the file short. */
function readHolder(path: string): LockHolder | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  try {
    const holder = JSON.parse(text) as LockHolder;
    return Number.isSafeInteger(holder.pid) && holder.pid > 0 ? holder : undefined;
  } catch {
    return undefined;
  }
}

/** A holder on another machine cannot be looked at, so it counts as alive. */
function isAlive({ pid, host, started }: LockHolder): boolean {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (hasCode(error, 'ESRCH')) return false;
  }
  return started === null || startOf(pid) === started;
}

function startOf(pid: number): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const afterName = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return `${boot}/${afterName[START_FIELD]}`;
  } catch {
    return null;
  }
}

/** Field 22 of /proc/PID/stat, counted after the pid and the name. */
const START_FIELD = 19;

function lockedBy(directory: string, { pid, host, since }: LockHolder): StorageError {
  const where = host === hostname() ? '' : ` on host ${host}`;
  const hint =
    host === hostname() ? 'stop it first' : `if that machine no longer uses it, delete ${join(directory, LOCK_FILE)}`;
  const what = `${directory} is held by process ${pid}${where} since ${new Date(since).toISOString()}; ${hint}.`;
  return new StorageError('STORAGE_LOCKED', what, { file: LOCK_FILE });
}
