/** How large an installation is. */
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export interface Measured {
  readonly bytes: number;
  readonly files: number;
  readonly packages: number;
}

export function measure(folder: string): Measured {
  const sum = { bytes: 0, files: 0, packages: 0 };
  const seen = new Set<number>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory() && isPackage(path)) sum.packages += 1;
    if (!entry.isFile()) continue;
    const { ino, size } = lstatSync(path);
    // A hard-linked file is counted once.
    if (seen.has(ino)) continue;
    seen.add(ino);
    sum.bytes += size;
    sum.files += 1;
  }
  return sum;
}

function isPackage(path: string): boolean {
  return /node_modules\/(@[^/]+\/)?[^/@.][^/]*$/.test(path) && existsSync(join(path, 'package.json'));
}

export function mebibytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(1)} MiB`;
}
