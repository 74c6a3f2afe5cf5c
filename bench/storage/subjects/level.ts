/** classic-level 3.0.0 (LevelDB) with the default cache and write buffer of Daybook's `lsm`. */
import { ClassicLevel } from 'classic-level';
import type { Put } from '../data.ts';
import type { Place, Subject } from './subject.ts';

const MIB = 1_048_576;
const ACCEPTED = { sync: false };
const DURABLE = { sync: true };

export async function openLevel({ directory }: Place): Promise<Subject> {
  const level = new ClassicLevel<Uint8Array, Uint8Array>(directory, {
    keyEncoding: 'view',
    valueEncoding: 'view',
    cacheSize: 64 * MIB,
    writeBufferSize: 16 * MIB,
  });
  await level.open();
  const write = (batch: readonly Put[], options: { readonly sync: boolean }): Promise<void> =>
    level.batch(
      batch.map(({ key, value }) => ({ type: 'put' as const, key, value })),
      options,
    );
  return {
    load: (batch) => write(batch, ACCEPTED),
    get: (key) => level.getSync(key),
    getAwaited: (key) => level.get(key),
    range: async (gte, limit) => {
      const iterator = level.iterator({ gte, limit });
      let bytes = 0;
      for (const [, value] of await iterator.nextv(limit)) bytes += value.length;
      await iterator.close();
      return bytes;
    },
    put: ({ key, value }) => level.put(key, value, ACCEPTED),
    putQueued: ({ key, value }) => level.put(key, value, ACCEPTED),
    putDurable: ({ key, value }) => level.put(key, value, DURABLE),
    putDurableQueued: ({ key, value }) => level.put(key, value, DURABLE),
    batchDurable: (batch) => write(batch, DURABLE),
    compact: () => level.compactRange(new Uint8Array(1), new Uint8Array(1).fill(255)),
    close: () => level.close(),
  };
}
