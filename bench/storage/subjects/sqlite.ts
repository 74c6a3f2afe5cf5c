/**
 * better-sqlite3 13.2.0 as a key-value table: WITHOUT ROWID, but a rowid table for values over 1 000 bytes, which the
 * other form spills to overflow pages. WAL mode; NORMAL for accepted writes, FULL for durable ones.
 */
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { Put } from '../data.ts';
import type { Place, Subject } from './subject.ts';

const ROWID_FROM_BYTES = 1_000;

export async function openSqlite({ directory, valueBytes }: Place): Promise<Subject> {
  const database = new Sqlite(join(directory, 'peer.sqlite'));
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = NORMAL');
  database.pragma('cache_size = -65536');
  const form = valueBytes > ROWID_FROM_BYTES ? '' : ' WITHOUT ROWID';
  database.exec(`CREATE TABLE IF NOT EXISTS kv (k BLOB NOT NULL PRIMARY KEY, v BLOB NOT NULL)${form}`);
  const select = database.prepare<[Uint8Array], Uint8Array>('SELECT v FROM kv WHERE k = ?').pluck();
  const from = database
    .prepare<[Uint8Array, number], [Uint8Array, Uint8Array]>('SELECT k, v FROM kv WHERE k >= ? ORDER BY k LIMIT ?')
    .raw();
  const insert = database.prepare<[Uint8Array, Uint8Array]>(
    'INSERT INTO kv VALUES (?, ?) ON CONFLICT (k) DO UPDATE SET v = excluded.v',
  );
  const put = ({ key, value }: Put): void => void insert.run(key, value);
  const putAll = database.transaction((batch: readonly Put[]) => {
    for (const each of batch) put(each);
  });
  return {
    load: putAll,
    get: (key) => select.get(key),
    range: (key, limit) => {
      let bytes = 0;
      for (const [, value] of from.all(key, limit)) bytes += value.length;
      return bytes;
    },
    put,
    makeDurable: () => void database.pragma('synchronous = FULL'),
    putDurable: put,
    batchDurable: putAll,
    verify: () => (database.pragma('integrity_check', { simple: true }) === 'ok' ? 0 : 1),
    compact: () => {
      database.exec('VACUUM');
      database.pragma('wal_checkpoint(TRUNCATE)');
    },
    close: () => void database.close(),
  };
}
