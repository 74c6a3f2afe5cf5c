/**
 * The lock of a data directory: an operating-system lock, and a file that names the process that has it.
 *
 * - The holder keeps the operating-system lock of the guard, an SQLite file, as long as it has the directory open. The
 *   lock ends with its process, and holds between all processes of one kernel: also between containers, which may have
 *   the same host name and do not see each other's processes.
 * - A holder of an earlier program keeps no guard. It counts as alive while its process runs: it is identified by pid,
 *   process start time and boot, so that a reused pid is not taken for it. A killed process that its parent has not
 *   waited for counts as ended. Without /proc, only the pid decides.
 * - On a full disk the lock file cannot be written. Then the guard alone is the lock.
 */
import { closeSync, existsSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
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
  /** true: keeps the guard while it has the directory open. Earlier programs left it out. */
  readonly guard?: boolean;
}

/** Released by disposal, too. */
export interface DirectoryLock extends Disposable {
  /** Releases the directory; idempotent. */
  release(): void;
}

/** Takes the lock of `directory`. Throws `STORAGE_LOCKED` with the holder, or an error of the disk. */
export function lockDirectory(directory: string): DirectoryLock {
  requireSqlite();
  const known = lockHolder(directory);
  if (known !== undefined) throw lockedBy(directory, known);
  const guard = takeGuard(directory);
  let text: string;
  try {
    const holder = readHolder(join(directory, LOCK_FILE));
    if (holder !== undefined && livesUnguarded(holder)) throw lockedBy(directory, holder);
    text = writeHolder(directory);
  } catch (error) {
    leaveGuard(guard);
    throw error;
  }
  const release = (): void => {
    if (kept.has(guard)) removeHolder(directory, text);
    leaveGuard(guard);
  };
  return { release, [Symbol.dispose]: release };
}

/**
 * As `lockDirectory`, for work that does not change the directory: on a read-only file system, which takes no lock, it is
 * enough that no living process holds one. The same file system may be writable elsewhere.
 */
export function lockToRead(directory: string): DirectoryLock {
  if (!isOnReadOnlyDisk(directory)) return lockDirectory(directory);
  const holder = lockHolder(directory);
  if (holder !== undefined) throw lockedBy(directory, holder);
  return { release: () => {}, [Symbol.dispose]: () => {} };
}

/** The process that holds the lock of `directory`, undefined when no living process does. */
export function lockHolder(directory: string): LockHolder | undefined {
  const holder = readHolder(join(directory, LOCK_FILE));
  return holder !== undefined && (isGuarded(directory) || livesUnguarded(holder)) ? holder : undefined;
}

/** The guards of this thread. The garbage collector closes a database without a reference, which ends its lock. */
const kept = new Set<Sqlite.Database>();

function leaveGuard(guard: Sqlite.Database): void {
  kept.delete(guard);
  guard.close();
}

/** Others hold the guard for a moment while they look at it. */
const GUARD_TIMEOUT_MS = 5_000;
/** SQLite's codes for a guard file that is not a database or has a damaged header. */
const GUARD_DAMAGE = ['SQLITE_NOTADB', 'SQLITE_CORRUPT', 'SQLITE_READONLY'];

/** Takes the operating-system lock of the guard, which lasts until the guard is closed or the process ends. */
function takeGuard(directory: string): Sqlite.Database {
  const guard = openGuard(directory);
  try {
    // The first transaction makes a new file an SQLite file: its journal would stay for as long as the lock.
    guard.exec('BEGIN EXCLUSIVE; COMMIT; BEGIN EXCLUSIVE');
    kept.add(guard);
    return guard;
  } catch (error) {
    guard.close();
    throw guardError(directory, error);
  }
}

function guardError(directory: string, error: unknown): unknown {
  if (hasCode(error, 'SQLITE_BUSY')) {
    const holder = readHolder(join(directory, LOCK_FILE));
    if (holder !== undefined) return lockedBy(directory, holder);
    const what = `Another process is opening ${directory} right now, or holds it on a full disk; try again.`;
    return new StorageError('STORAGE_LOCKED', what);
  }
  if (hasCode(error, 'SQLITE_FULL')) {
    return new StorageError('STORAGE_FULL', `${directory} cannot be locked: the disk is full.`);
  }
  return GUARD_DAMAGE.some((code) => hasCode(error, code)) ? guardDamaged(directory) : error;
}

/** Whether a process has the guard. A guard that cannot be read is found out when the lock is taken. */
function isGuarded(directory: string): boolean {
  let guard: Sqlite.Database | undefined;
  try {
    guard = new Sqlite(join(directory, LOCK_GUARD_FILE), { readonly: true, fileMustExist: true, timeout: 0 });
    guard.pragma('schema_version');
    return false;
  } catch (error) {
    return hasCode(error, 'SQLITE_BUSY');
  } finally {
    guard?.close();
  }
}

function openGuard(directory: string): Sqlite.Database {
  const path = join(directory, LOCK_GUARD_FILE);
  try {
    // To close a file releases every lock that this process has on it.
    if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
    return new Sqlite(path, { timeout: GUARD_TIMEOUT_MS });
  } catch (error) {
    throw notLockable(directory, { file: LOCK_GUARD_FILE, cause: error as Error });
  }
}

/** Names this process in the lock file, unless the disk is full. Returns the text of the file. */
function writeHolder(directory: string): string {
  const { pid } = process;
  const holder: LockHolder = { pid, host: hostname(), started: startOf(pid), since: Date.now(), guard: true };
  const text = `${JSON.stringify(holder)}\n`;
  try {
    writeFileAtomic(join(directory, LOCK_FILE), text);
  } catch (error) {
    if (!isDiskFull(error)) throw notLockable(directory, { file: LOCK_FILE, cause: error as Error });
    // Its content is stale: it names a process that has ended.
    rmSync(join(directory, LOCK_FILE), { force: true });
  }
  return text;
}

/** Leaves the file of another holder, who has a directory that was put in the place of the locked one. */
function removeHolder(directory: string, text: string): void {
  const path = join(directory, LOCK_FILE);
  try {
    if (readFileSync(path, 'utf8') === text) rmSync(path, { force: true });
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
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

/**
 * Whether a holder may be alive although nobody has the guard. On another machine it cannot be checked and counts as
 * alive; in another container on this machine it would have the guard, unless an earlier program wrote the lock.
 */
function livesUnguarded({ pid, host, started, guard }: LockHolder): boolean {
  if (host !== hostname()) return guard !== true || !isOfThisBoot(started);
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (hasCode(error, 'ESRCH')) return false;
  }
  return (started === null || startOf(pid) === started) && !hasEnded(pid);
}

/** Whether a process started in this boot of this machine, which containers share. False when that is unknown. */
function isOfThisBoot(started: string | null): boolean {
  const own = startOf(process.pid);
  return own !== null && typeof started === 'string' && started.split('/')[0] === own.split('/')[0];
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

function lockedBy(directory: string, holder: LockHolder): StorageError {
  const { pid, host, since } = holder;
  const where = host === hostname() ? '' : ` on host ${host}`;
  const hint =
    host === hostname() ? hintHere(directory, holder) : `if that machine no longer uses it, ${removal(directory)}`;
  const what = `${directory} is held by process ${pid}${where} since ${new Date(since).toISOString()}; ${hint}.`;
  return new StorageError('STORAGE_LOCKED', what, { file: LOCK_FILE });
}

/** A living holder that keeps guards and has none here has another directory open, which was copied with its lock. */
function hintHere(directory: string, { guard }: LockHolder): string {
  const isCopy = guard === true && !isGuarded(directory);
  return isCopy ? `stop it first, or, if this is a copy of what it has open, ${removal(directory)}` : 'stop it first';
}

function removal(directory: string): string {
  if (isOnReadOnlyDisk(directory)) return `use a copy of it without ${LOCK_FILE}`;
  return `delete ${join(directory, LOCK_FILE)}`;
}
