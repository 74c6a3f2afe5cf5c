/**
 * Finds the processes of a tool call: each carries an environment variable with the home and the call, which children
 * inherit and new sessions keep.
 *
 * - A process is selected and killed without an `await` in between, so its pid cannot be reused meanwhile.
 * - Needs Linux's /proc. On other systems nothing is found, and only the process group is killed.
 */
import { hash } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

export const TOOL_VARIABLE = 'DAYBOOK_TOOL';
/** Carried by the watchdog instead of `TOOL_VARIABLE`, so that it does not find itself. */
export const WATCHDOG_VARIABLE = 'DAYBOOK_WATCHDOG';

/** Prefix of all markers of this home. `home` is a real path. */
export function homeMarker(home: string): string {
  return `${hashed(home)}:`;
}

export function callMarker(home: string, callId: string): string {
  return homeMarker(home) + (/^[\w.-]{1,128}$/.test(callId) ? callId : hashed(callId));
}

/**
 * Kills until the selection finds nothing and all killed processes are dead. Processes forked meanwhile are found in
 * the next round. Returns the number of killed processes.
 */
export async function killAll(select: (pid: number) => boolean): Promise<number> {
  const killed = new Map<number, string>();
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const found = processIds().filter((pid) => select(pid) && kill(pid));
    for (const pid of found) killed.set(pid, processRow(pid)?.start ?? GONE);
    // An ending process first loses its environment and descriptors: it is not found, but still runs.
    if (found.length === 0 && ![...killed].some(([pid, start]) => isRunning(pid, start))) break;
    await delay(ROUND_PAUSE_MS);
  }
  return killed.size;
}

/** Selects processes whose environment has one of the variables with a value that passes. */
export function carrying(variables: readonly string[], passes: (value: string) => boolean): (pid: number) => boolean {
  return (pid) => {
    if (pid === process.pid) return false;
    const environment = readProcessFile(pid, 'environ')?.split('\0') ?? [];
    return environment.some((entry) => {
      const equals = entry.indexOf('=');
      return variables.includes(entry.slice(0, equals)) && passes(entry.slice(equals + 1));
    });
  };
}

/** Selects processes that hold one of these pipes or sockets, by their name in /proc. */
export function holding(links: ReadonlySet<string>): (pid: number) => boolean {
  return (pid) => pid !== process.pid && descriptorLinks(pid).some((link) => links.has(link));
}

/**
 * The pipes and sockets that are a process's stdout and stderr, for `holding`. Other files are left out: unrelated
 * processes hold /dev/null or a terminal too.
 */
export function outputLinks(pid: number): ReadonlySet<string> {
  const links = [1, 2].flatMap((fd) => descriptorLink(pid, fd) ?? []);
  return new Set(links.filter((link) => /^(?:pipe|socket):/.test(link)));
}

/** The name in /proc of a process's descriptor. */
function descriptorLink(pid: number, fd: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/fd/${fd}`);
  } catch {
    return undefined;
  }
}

/** Descendants of a process, without itself. Finds processes that cleared their environment. */
export function descendants(ancestor: number): readonly ProcessRow[] {
  const children = Map.groupBy(
    processIds().flatMap((pid) => processRow(pid) ?? []),
    (row) => row.parent,
  );
  const found = [...(children.get(ancestor) ?? [])];
  // The array grows during the iteration.
  for (const row of found) found.push(...(children.get(row.pid) ?? []));
  return found;
}

export interface StartedCommand {
  /** The leader of its group, as it was when it started. */
  readonly leader: Pick<ProcessRow, 'pid' | 'start'>;
  readonly marker: string;
  /** Processes that were seen to belong to it. */
  readonly family: readonly ProcessRow[];
}

/**
 * Selects what remains of a command: processes of its group, its family, unless their pid was reused, and processes
 * that carry its marker. None of these is older than the leader, so environments of older processes are not read.
 */
export function remainingOf({ leader, marker, family }: StartedCommand): (pid: number) => boolean {
  const starts = new Map(family.map((row) => [row.pid, row.start]));
  const isMarked = carrying([TOOL_VARIABLE], (value) => value === marker);
  return (pid) => {
    const row = processRow(pid);
    if (row === undefined || row.dead) return false;
    if (row.group === leader.pid || starts.get(pid) === row.start) return true;
    return Number(row.start) >= Number(leader.start) && isMarked(pid);
  };
}

function isRunning(pid: number, start: string): boolean {
  const row = processRow(pid);
  return row?.start === start && !row.dead;
}

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Start time in clock ticks since boot, as the kernel prints it; with the pid it identifies a process. */
  readonly start: string;
  /** A zombie. */
  readonly dead: boolean;
}

/** True when the signal was delivered; false when the process is gone or belongs to another user. */
export function kill(pid: number, signal: NodeJS.Signals = 'SIGKILL'): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** Stands for the start time of a process that is gone. */
const GONE = '';
const ROUNDS_MAX = 200;
const ROUND_PAUSE_MS = 10;

function processIds(): readonly number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** The row of a process; undefined when it is gone, and on systems without /proc. */
export function processRow(pid: number): ProcessRow | undefined {
  // The fields follow the program's name, which is in parentheses and may contain any character.
  const fields = readProcessFile(pid, 'stat')
    ?.replace(/^.*\) /s, '')
    .split(' ');
  const [state, parent, group] = fields ?? [];
  const start = fields?.[19];
  if (start === undefined) return undefined;
  return { pid, parent: Number(parent), group: Number(group), start, dead: state === 'Z' || state === 'X' };
}

function descriptorLinks(pid: number): readonly string[] {
  try {
    const names = readdirSync(`/proc/${pid}/fd`);
    return names.flatMap((fd) => descriptorLink(pid, Number(fd)) ?? []);
  } catch {
    return [];
  }
}

/** Processes may end at any time, and those of other users are not readable: both give undefined. */
function readProcessFile(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return undefined;
  }
}

function hashed(text: string): string {
  return hash('sha256', text).slice(0, 16);
}
