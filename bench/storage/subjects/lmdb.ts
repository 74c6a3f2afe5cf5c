/**
 * lmdb 3.5.6. Accepted: `noSync`. Durable: reopened without it and without `overlappingSync`, so that a promise
 * resolves only after the sync.
 */
import { open, type RootDatabase } from 'lmdb';
import type { Put } from '../data.ts';
import type { Place, Subject } from './subject.ts';

type Database = RootDatabase<Uint8Array, Uint8Array>;

export async function openLmdb({ directory }: Place): Promise<Subject> {
  let database = openWith(directory, true);
  const putAll = (batch: readonly Put[]): void => {
    database.transactionSync(() => {
      for (const { key, value } of batch) database.putSync(key, value);
    });
  };
  const putQueued = async ({ key, value }: Put): Promise<void> => {
    await database.put(key, value);
  };
  return {
    load: putAll,
    get: (key) => database.get(key),
    range: (start, limit) => {
      let bytes = 0;
      for (const { value } of database.getRange({ start, limit })) bytes += value.length;
      return bytes;
    },
    put: ({ key, value }) => database.putSync(key, value),
    putQueued,
    makeDurable: async () => {
      await database.close();
      database = openWith(directory, false);
    },
    putDurable: ({ key, value }) => database.putSync(key, value),
    putDurableQueued: putQueued,
    batchDurable: putAll,
    close: () => database.close(),
  };
}

function openWith(path: string, noSync: boolean): Database {
  return open({
    path,
    noSync,
    overlappingSync: false,
    noSubdir: false,
    compression: false,
    keyEncoding: 'binary',
    encoding: 'binary',
  });
}
