/** Daybook's engines with their default settings. */
import { openBackend } from '../../../src/storage/backends.ts';
import type { DiskBackend } from '../../../src/storage/marker.ts';
import type { Place, Subject } from './subject.ts';

const ACCEPTED = { durable: false };
const DURABLE = { durable: true };

export async function openDaybook(backend: DiskBackend, { directory }: Place): Promise<Subject> {
  const engine = await openBackend(backend, { directory, config: {} });
  return {
    load: (batch) => engine.commit(batch, ACCEPTED),
    get: (key) => engine.get(key),
    range: (gte, limit) => {
      let bytes = 0;
      for (const { value } of engine.range({ gte, limit })) bytes += value.length;
      return bytes;
    },
    put: (put) => engine.commit([put], ACCEPTED),
    putQueued: (put) => engine.commit([put], ACCEPTED),
    putDurable: (put) => engine.commit([put], DURABLE),
    putDurableQueued: (put) => engine.commit([put], DURABLE),
    batchDurable: (batch) => engine.commit(batch, DURABLE),
    verify: async () => (await engine.verify()).length,
    compact: () => engine.compact(),
    walBytes: () => engine.stats().walBytes,
    onCompaction: (listener) => {
      engine.on('compacted', listener);
      engine.on('checkpointed', listener);
    },
    close: () => engine.close(),
  };
}
