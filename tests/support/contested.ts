import type { EventLog } from '../../src/storage/event-log.ts';
import { replacing } from './replacing.ts';

/** A log with another writer just before each of the next `times` appends. */
export function contested(log: EventLog, times: number, write: () => Promise<unknown>): EventLog {
  let left = times;
  return replacing(log, {
    async append(batch, options) {
      if (left > 0) {
        left -= 1;
        await write();
      }
      return log.append(batch, options);
    },
  });
}
