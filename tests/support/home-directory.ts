/** A user without a home directory, as in a container with an arbitrary user id. */
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { onTestFinished, vi } from 'vitest';

/** Until the end of the test, `HOME` is not set and the user database has no entry for the user. */
export function takeHomeDirectoryAway(): void {
  const unknown = (): never => {
    throw new Error('uv_os_homedir returned ENOENT');
  };
  const spies = [
    vi.spyOn(os, 'homedir').mockImplementation(unknown),
    vi.spyOn(os, 'userInfo').mockImplementation(unknown),
  ];
  syncBuiltinESMExports();
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
    syncBuiltinESMExports();
  });
}
