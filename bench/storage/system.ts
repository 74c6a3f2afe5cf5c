/** Figures of the system: memory and written bytes of this process, files of a folder. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The peak resident memory of this process. */
export function peakBytes(): number {
  return process.resourceUsage().maxRSS * 1_024;
}

/** Bytes that this process has passed to write calls. */
export function writtenBytes(): number {
  return Number(/^wchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))![1]);
}

/** Bytes on disk of a folder and its contents: blocks, not lengths. */
export function diskBytes(directory: string): number {
  let bytes = 0;
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name)).blocks * 512;
  }
  return bytes;
}

/** Waits until everything written so far is on disk, so that the next sync only pays for its own writes. */
export function settle(directory: string): void {
  execFileSync('sync', ['-f', directory]);
}
