/** Use of the machine: the file system of the data directory, and the memory available to this process. */
import { readFileSync, statfsSync } from 'node:fs';
import { freemem, totalmem } from 'node:os';
import { join } from 'node:path';

export interface Use {
  readonly usedRatio: number;
  readonly freeBytes: number;
}

export interface DiskUse extends Use {
  readonly totalBytes: number;
}

/** Disk use as `df` computes it: blocks reserved for root are neither used nor free. Null when it is unknown. */
export function diskUse(directory: string): DiskUse | null {
  try {
    const { bsize, blocks, bfree, bavail } = statfsSync(directory);
    const used = blocks - bfree;
    const usable = used + bavail;
    return { usedRatio: usable === 0 ? 0 : used / usable, freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  } catch {
    return null;
  }
}

/** The resident memory of this process in bytes. Null when the system has no file descriptor left to read it with. */
export function residentBytes(): number | null {
  try {
    return process.memoryUsage.rss();
  } catch {
    return null;
  }
}

/** Where the kernel names the control groups of version 2. */
export interface ControlGroups {
  /** The folder of the root group. */
  readonly root: string;
  /** The file that names the group of this process. */
  readonly own: string;
}

const CONTROL_GROUPS: ControlGroups = { root: '/sys/fs/cgroup', own: '/proc/self/cgroup' };

/**
 * Use of the control group's memory if its limit is below the machine's memory, else of the machine's memory. A limit
 * of a group above it holds, too: of several the one with the least memory left counts.
 */
export function memoryUse(groups = CONTROL_GROUPS): Use {
  const limited = foldersOf(groups).flatMap((folder) => groupUse(folder) ?? []);
  const [least] = limited.sort((a, b) => a.freeBytes - b.freeBytes);
  return least ?? machineUse();
}

/** The folders of the root group, of this process's group and of those between them. */
function foldersOf({ root, own }: ControlGroups): string[] {
  const names = ownGroup(own)
    .split('/')
    .filter((name) => name !== '');
  return [root, ...names.map((_, index) => join(root, ...names.slice(0, index + 1)))];
}

/** The path of the group below the root; empty where the kernel names none. */
function ownGroup(file: string): string {
  try {
    return /^0::(.*)$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? '';
  } catch {
    return '';
  }
}

/** Memory of the control group without the file cache, which the kernel can reclaim. */
function groupUse(folder: string): Use | null {
  try {
    const limit = Number(readFileSync(`${folder}/memory.max`, 'utf8'));
    if (!(limit > 0 && limit < totalmem())) return null;
    const held = Number(readFileSync(`${folder}/memory.current`, 'utf8'));
    const cache = Number(/^inactive_file (\d+)$/m.exec(readFileSync(`${folder}/memory.stat`, 'utf8'))?.[1] ?? 0);
    const used = Math.max(0, held - cache);
    return { usedRatio: used / limit, freeBytes: Math.max(0, limit - used) };
  } catch {
    return null;
  }
}

function machineUse(): Use {
  const total = totalmem();
  const free = freemem();
  return { usedRatio: (total - free) / total, freeBytes: free };
}
