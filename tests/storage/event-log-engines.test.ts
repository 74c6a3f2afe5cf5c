/** The event log's contract suite on `cow` and `lsm`. */
import { mkdirSync } from 'node:fs';
import { openBackend } from '../../src/storage/backends.ts';
import type { KeyValueEngine } from '../../src/storage/engine.ts';
import { eventLogContract } from './event-log-contract.ts';

for (const backend of ['cow', 'lsm'] as const) {
  eventLogContract(backend, (directory): Promise<KeyValueEngine> => {
    mkdirSync(directory, { recursive: true });
    return openBackend(backend, { directory, config: {} });
  });
}
