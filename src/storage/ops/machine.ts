/** How full the machine is: the file system of the data directory, and the memory this process may use. */
import { readFileSync, statfsSync } from 'node:fs';
import { freemem, totalmem } from 'node:os';

export interface Use {
  readonly usedRatio: number;
  readonly freeBytes: number;
}

/** As `df` counts: blocks only root may use are neither used nor free. Null when the file system does not tell. */
export function diskUse(directory: string): Use | null {
  try {
    const { bsize, blocks, bfree, bavail } = statfsSync(directory);
    const used = blocks - bfree;
    const usable = used + bavail;
    return { usedRatio: usable === 0 ? 0 : used / usable, freeBytes: bavail * bsize };
  } catch {
    return null;
  }
}

/** Of the control group's limit when it has one below the machine's memory, else of the machine. */
export function memoryUse(): Use {
  const group = groupUse('/sys/fs/cgroup');
  return group ?? machineUse();
}

/** What the group holds, less the file cache that the kernel gives back when asked. */
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
