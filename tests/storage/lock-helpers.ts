/** Another process that is faster, for tests of what happens until a lock is held. */
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { vi } from 'vitest';
import { type DiskBackend, readMarker, writeMarker } from '../../src/storage/marker.ts';
import { migrateStorage } from '../../src/storage/migrate.ts';
import { temporaryFolder } from '../support/folders.ts';

/** Runs `act` when this thread next takes the lock of a directory, immediately before it holds it. */
export function beforeNextLock(act: () => void): void {
  const exec = vi.spyOn(Sqlite.prototype, 'exec').mockImplementation(function (this: Sqlite.Database, sql: string) {
    exec.mockRestore();
    act();
    return this.exec(sql);
  });
}

/** Has another migration end, from `store-1` to `store-2`, immediately before this thread next holds the lock. */
export async function migratedBeforeNextLock(directory: string, to: DiskBackend): Promise<void> {
  const other = join(temporaryFolder('migrated'), 'data');
  cpSync(directory, other, { recursive: true });
  await migrateStorage({ directory: other, to });
  beforeNextLock(() => {
    cpSync(join(other, 'store-2'), join(directory, 'store-2'), { recursive: true });
    writeMarker(directory, readMarker(other)!);
    rmSync(join(directory, 'store-1'), { recursive: true });
  });
}
