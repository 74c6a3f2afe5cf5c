/**
 * How the processes of a tool call are found again, wherever they went: each carries a variable with the home and the
 * call in its environment, which a child inherits and a new session does not lose.
 *
 * - Looking and killing happen in one turn without `await`, so that a pid cannot get a new owner in between.
 * - Needs Linux's /proc. Elsewhere nothing is found, and killing the process group is all there is.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

export const TOOL_VARIABLE = 'DAYBOOK_TOOL';
/** Carried by the watchdog, which must not find itself when it looks for the others. */
export const WATCHDOG_VARIABLE = 'DAYBOOK_WATCHDOG';

/** What every marker of this home begins with; the home is its real path. */
export function homeMarker(home: string): string {
  return `${hashed(home)}:`;
}

export function callMarker(home: string, callId: string): string {
  return homeMarker(home) + (/^[\w.-]{1,128}$/.test(callId) ? callId : hashed(callId));
}

/** Kills until none is left that a selection finds; a process that forks meanwhile is found in the next round. */
export async function killAll(select: (pid: number) => boolean): Promise<number> {
  const killed = new Set<number>();
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const found = processIds().filter((pid) => select(pid) && kill(pid));
    if (found.length === 0) break;
    for (const pid of found) killed.add(pid);
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

/** Selects processes that still hold one of these pipes or sockets, by their name in /proc. */
export function holding(links: ReadonlySet<string>): (pid: number) => boolean {
  return (pid) => pid !== process.pid && descriptorLinks(pid).some((link) => links.has(link));
}

/** The name in /proc of what a process has as a descriptor. */
export function descriptorLink(pid: number, fd: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/fd/${fd}`);
  } catch {
    return undefined;
  }
}

/** The descendants of a process, without itself: those that wiped their environment are found only this way. */
export function descendants(ancestor: number): readonly ProcessRow[] {
  const children = Map.groupBy(
    processIds().flatMap((pid) => processRow(pid) ?? []),
    (row) => row.parent,
  );
  const found = [...(children.get(ancestor) ?? [])];
  // Grows while it is walked.
  for (const row of found) found.push(...(children.get(row.pid) ?? []));
  return found;
}

/**
 * Selects what is left of a process group and of processes seen before; a pid that has a new owner is not one of them.
 */
export function remainingOf(group: number, seen: readonly ProcessRow[]): (pid: number) => boolean {
  const starts = new Map(seen.map((row) => [row.pid, row.start]));
  return (pid) => {
    const row = processRow(pid);
    if (row === undefined || row.dead) return false;
    return row.group === group || starts.get(pid) === row.start;
  };
}

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Start time in clock ticks since boot, as written by the kernel; with the pid it names a process for good. */
  readonly start: string;
  /** Dead and not yet collected by its parent. */
  readonly dead: boolean;
}

/** True when the signal was delivered; a process that is gone already or not ours is no error. */
export function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}

const ROUNDS_MAX = 200;
const ROUND_PAUSE_MS = 10;

function processIds(): readonly number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function processRow(pid: number): ProcessRow | undefined {
  // The name of the program comes before, in parentheses, and may itself hold any character.
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

/** A process can end at any moment, and those of other users are closed to us: both read as nothing. */
function readProcessFile(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return undefined;
  }
}

function hashed(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
