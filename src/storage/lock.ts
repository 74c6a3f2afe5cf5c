/**
 * The lock of a data directory: a file that names the process that has the directory open.
 *
 * - A holder is identified by pid, process start time and boot, so that a reused pid is not taken for it. A killed
 *   process that its parent has not waited for counts as ended. Without /proc, only the pid decides.
 * - The lock file is read and written under an operating-system lock on a second file (the guard), which ends with its
 *   process. So of two processes that find a stale lock, only one takes it.
 * - On a full disk the lock file cannot be written. Then the lock on the guard is kept instead.
 */
import { closeSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { diskError, isDiskFull } from './disk-error.ts';
import { StorageError } from './errors.ts';
import { hasCode, isOnReadOnlyDisk, writeFileAtomic } from './files.ts';
import { requireSqlite } from './sqlite.ts';

export const LOCK_FILE = 'daybook.lock';
export const LOCK_GUARD_FILE = 'daybook.lock-guard';

export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /** The holder's `startOf`. */
  readonly started: string | null;
  /** Unix milliseconds when the lock was taken. */
  readonly since: number;
}

export interface DirectoryLock {
  /** Releases the directory; idempotent. */
  release(): void;
}

/** Takes the lock of `directory`. Throws `STORAGE_LOCKED` with the holder, or an error of the disk. */
export function lockDirectory(directory: string): DirectoryLock {
  requireSqlite();
  const path = join(directory, LOCK_FILE);
  const holderNow: LockHolder = {
    pid: process.pid,
    host: hostname(),
    started: startOf(process.pid),
    since: Date.now(),
  };
  const guard = guarded(directory, () => {
    const holder = readHolder(path);
    if (holder !== undefined && isAlive(holder)) throw lockedBy(directory, holder);
    return write(directory, `${JSON.stringify(holderNow)}\n`) ? 'done' : 'keep';
  });
  let isHeld = true;
  return {
    release: () => {
      if (isHeld) rmSync(path, { force: true });
      if (isHeld) guard?.close();
      isHeld = false;
    },
  };
}

/**
 * As `lockDirectory`, for work that does not change the directory: on a read-only file system, which takes no lock, it is
 * enough that no living process holds one. The same file system may be writable elsewhere.
 */
export function lockToRead(directory: string): DirectoryLock {
  if (!isOnReadOnlyDisk(directory)) return lockDirectory(directory);
  const holder = lockHolder(directory);
  if (holder !== undefined) throw lockedBy(directory, holder);
  return { release: () => {} };
}

/** The process that holds the lock of `directory`, undefined when no living process does. */
export function lockHolder(directory: string): LockHolder | undefined {
  const holder = readHolder(join(directory, LOCK_FILE));
  return holder !== undefined && isAlive(holder) ? holder : undefined;
}

const GUARD_TIMEOUT_MS = 5_000;
/** SQLite's codes for a guard file that is not a database or has a damaged header. */
const GUARD_DAMAGE = ['SQLITE_NOTADB', 'SQLITE_CORRUPT', 'SQLITE_READONLY'];

/**
 * Runs `work` under mutual exclusion with other processes that call this for the same directory. When it returns
 * `keep`, the exclusion lasts until the returned guard is closed.
 */
function guarded(directory: string, work: () => 'done' | 'keep'): Sqlite.Database | undefined {
  const guard = openGuard(directory);
  let isKept = false;
  try {
    guard.exec('BEGIN EXCLUSIVE');
    isKept = work() === 'keep';
    if (isKept) return guard;
    guard.exec('COMMIT');
    return undefined;
  } catch (error) {
    if (hasCode(error, 'SQLITE_BUSY')) {
      throw new StorageError(
        'STORAGE_LOCKED',
        `Another process is opening ${directory} right now, or holds it on a full disk; try again.`,
      );
    }
    if (hasCode(error, 'SQLITE_FULL')) {
      throw new StorageError('STORAGE_FULL', `${directory} cannot be locked: the disk is full.`);
    }
    throw GUARD_DAMAGE.some((code) => hasCode(error, code)) ? guardDamaged(directory) : error;
  } finally {
    if (!isKept) guard.close();
  }
}

function openGuard(directory: string): Sqlite.Database {
  const path = join(directory, LOCK_GUARD_FILE);
  try {
    closeSync(openSync(path, 'a', 0o600));
    return new Sqlite(path, { timeout: GUARD_TIMEOUT_MS });
  } catch (error) {
    throw notLockable(directory, { file: LOCK_GUARD_FILE, cause: error as Error });
  }
}

/** False when the disk is full. */
function write(directory: string, text: string): boolean {
  try {
    writeFileAtomic(join(directory, LOCK_FILE), text);
    return true;
  } catch (error) {
    if (isDiskFull(error)) {
      // Its content is stale: it names a process that has ended.
      rmSync(join(directory, LOCK_FILE), { force: true });
      return false;
    }
    throw notLockable(directory, { file: LOCK_FILE, cause: error as Error });
  }
}

function notLockable(directory: string, detail: { readonly file: string; readonly cause: Error }): StorageError {
  const error = diskError(detail.cause, `${directory} cannot be locked`);
  const what = error.code === 'STORAGE_FULL' ? error.message : `${error.message}; it must be writable by this user`;
  return new StorageError(error.code, `${what}.`, detail);
}

function guardDamaged(directory: string): StorageError {
  const path = join(directory, LOCK_GUARD_FILE);
  const what = `${path} is damaged. It holds no data: delete it while no process uses ${directory}.`;
  return new StorageError('STORAGE_CORRUPT', what, { file: LOCK_GUARD_FILE, offset: 0 });
}

/** The holder that the file names; undefined when the file is absent or incomplete. */
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
    const { pid, host, since } = holder;
    return Number.isSafeInteger(pid) && pid > 0 && typeof host === 'string' && Number.isSafeInteger(since)
      ? holder
      : undefined;
  } catch {
    return undefined;
  }
}

/** A holder on another machine cannot be checked, so it counts as alive. */
function isAlive({ pid, host, started }: LockHolder): boolean {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (hasCode(error, 'ESRCH')) return false;
  }
  return (started === null || startOf(pid) === started) && !hasEnded(pid);
}

interface ProcessStat {
  /** `R`, `S`, …; `Z` for an ended process that its parent has not waited for. */
  readonly state: string;
  /** Start time in clock ticks since boot. */
  readonly start: string;
}

/** Distinguishes a process from later ones with its pid: `<boot id>/<start in clock ticks>`, null without /proc. */
export function startOf(pid: number): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot}/${statOf(pid).start}`;
  } catch {
    return null;
  }
}

/** Whether the process is a zombie whose last thread has ended: it keeps its pid, but uses no files. */
export function hasEnded(pid: number): boolean {
  try {
    return statOf(pid).state === 'Z' && readdirSync(`/proc/${pid}/task`).length <= 1;
  } catch {
    return false;
  }
}

/** Fields 3 and 22 of /proc/PID/stat. The process name before them may hold any character; it ends at the last `)`. */
function statOf(pid: number): ProcessStat {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const afterName = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: afterName[0]!, start: afterName[19]! };
}

function lockedBy(directory: string, { pid, host, since }: LockHolder): StorageError {
  const where = host === hostname() ? '' : ` on host ${host}`;
  const hint =
    host === hostname() ? 'stop it first' : `if that machine no longer uses it, delete ${join(directory, LOCK_FILE)}`;
  const what = `${directory} is held by process ${pid}${where} since ${new Date(since).toISOString()}; ${hint}.`;
  return new StorageError('STORAGE_LOCKED', what, { file: LOCK_FILE });
}
