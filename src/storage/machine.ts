/** Use of the machine: the file system of the data directory, and the memory available to this process. */
import { readFileSync, statfsSync } from 'node:fs';
import { freemem, totalmem } from 'node:os';

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

/** Use of the control group's memory if its limit is below the machine's memory, else of the machine's memory. */
export function memoryUse(): Use {
  const group = groupUse('/sys/fs/cgroup');
  return group ?? machineUse();
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
