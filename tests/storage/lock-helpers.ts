/** Another process that is faster, for tests of what happens until a lock is held. */
import Sqlite from 'better-sqlite3';
import { vi } from 'vitest';

/** Runs `act` when this thread next takes the lock of a directory, immediately before it holds it. */
export function beforeNextLock(act: () => void): void {
  const exec = vi.spyOn(Sqlite.prototype, 'exec').mockImplementation(function (this: Sqlite.Database, sql: string) {
    exec.mockRestore();
    act();
    return this.exec(sql);
  });
}
