/** Folders for the files of one piece of work each, below one parent folder. */
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createOnce } from './once.ts';

export interface ScratchFolders {
  /** Calls `work` with the real path of a new folder, which only its owner may use and which is removed afterwards. */
  use<Result>(work: (folder: string) => Promise<Result>): Promise<Result>;
  /** Removes the parent folder. */
  clear(): Promise<void>;
}

/** The first use removes what is left in the parent folder, because its process may have been killed. */
export function createScratchFolders(parent: string): ScratchFolders {
  const clear = (): Promise<void> => rm(parent, { recursive: true, force: true, maxRetries: 3 });
  const cleared = createOnce(clear);
  return {
    async use(work) {
      await cleared.run();
      await mkdir(parent, { recursive: true, mode: 0o700 });
      const folder = await mkdtemp(join(await realpath(parent), 'job-'));
      try {
        return await work(folder);
      } finally {
        await rm(folder, { recursive: true, force: true, maxRetries: 3 });
      }
    },
    clear,
  };
}
