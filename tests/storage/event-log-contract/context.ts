/** The log of the running test and the engine it is on. */
import type { KeyValueEngine } from '../../../src/storage/engine.ts';
import type { StoredEventLog } from '../../../src/storage/log/event-log.ts';

export interface Context {
  engine: KeyValueEngine;
  log: StoredEventLog;
  reopen: () => Promise<void>;
}
