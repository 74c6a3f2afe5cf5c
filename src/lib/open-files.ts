/** How many files and sockets a process may have open. */
import { readFileSync } from 'node:fs';

/** The limit of this process; null where the system does not tell it in `/proc`. */
export function openFilesMax(): number | null {
  try {
    const soft = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? null : Number(soft);
  } catch {
    return null;
  }
}
