/** What the benchmark reads off the system: memory and written bytes of its own process, files of a folder. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The most memory this process has ever had resident. */
export function peakBytes(): number {
  return process.resourceUsage().maxRSS * 1_024;
}

/** Bytes this process has handed to write calls. */
export function writtenBytes(): number {
  return Number(/^wchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))![1]);
}

/** Bytes on disk of a folder and what lies in it: blocks, not lengths. */
export function diskBytes(directory: string): number {
  let bytes = 0;
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name)).blocks * 512;
  }
  return bytes;
}

/** Waits until everything written so far is on the disk, so that the next sync pays for itself only. */
export function settle(directory: string): void {
  execFileSync('sync', ['-f', directory]);
}
