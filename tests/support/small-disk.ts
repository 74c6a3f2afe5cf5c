/** A separate file system for a test, small enough to be filled. */
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './folders.ts';

export interface SmallDisk {
  readonly path: string;
  /** Fills every free byte. */
  fill(): void;
  makeRoom(): void;
  /** Mounts it again, for reading only. */
  protect(): void;
  remove(): void;
}

/** Mounts a file system of this size in memory; null where this user may not mount one. */
export function smallDisk(megabytes: number): SmallDisk | null {
  const path = temporaryFolder('disk');
  const options = `size=${megabytes}m,mode=700`;
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path]).status !== 0) return null;
  const hog = join(path, 'hog');
  return {
    path,
    fill() {
      const file = openSync(hog, 'a', 0o600);
      try {
        for (const bytes of [1_048_576, 4_096]) writeUntilFull(file, Buffer.alloc(bytes));
      } finally {
        closeSync(file);
      }
    },
    makeRoom: () => rmSync(hog),
    protect: () => void execFileSync('mount', ['-o', 'remount,ro', path]),
    remove: () => void spawnSync('umount', ['-l', path]),
  };
}

function writeUntilFull(file: number, bytes: Uint8Array): void {
  try {
    for (;;) writeSync(file, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
