/** The contract of the event log as tests: `testContract('the event log on cow', places(…), …)`. */
import { describe, test } from 'vitest';
import { type OpenStorageOptions, openStorage } from '../../src/storage/open.ts';
import { eventLogContract, type LogCapabilities, type LogPlace } from '../../src/testing/event-log-contract.ts';
import { newMemoryFolder } from '../../src/testing/folders.ts';
import { LosingDisk } from '../../src/testing/losing-disk.ts';
import { removeFolder } from '../support/folders.ts';

export function testContract(name: string, factory: () => Promise<LogPlace>, capabilities: LogCapabilities): void {
  describe(name, () => {
    for (const { name: title, run } of eventLogContract(factory, capabilities)) test(title, run);
  });
}

/** Places of an embedded log, each in a folder of its own. */
export function embedded(options: Pick<OpenStorageOptions, 'backend' | 'ephemeral'>): () => Promise<LogPlace> {
  return async () => {
    const directory = newMemoryFolder('contract');
    return {
      open: () => openStorage({ ...options, directory }),
      openCrashing: async (steps) => {
        const disk = new LosingDisk();
        const state = { isCrashed: false };
        disk.crashAt(steps, () => {
          state.isCrashed = true;
        });
        const storage = await openStorage({ ...options, directory, disk });
        return {
          ...storage,
          get isCrashed() {
            return state.isCrashed;
          },
        };
      },
      remove: async () => removeFolder(directory),
    };
  };
}
