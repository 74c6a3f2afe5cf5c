/** Runs before each test file: at the end of the file the process is as the next file expects it. */
import { afterAll, vi } from 'vitest';
import { removeTemporaryFolders } from './folders.ts';

// The hook that is registered first runs last: what a file itself does at its end (stop a daemon) comes before this.
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  removeTemporaryFolders();
});
