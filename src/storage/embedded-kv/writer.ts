/**
 * The write transactions of an `embedded_kv` store, on the connection of the engine.
 *
 * - A durable transaction runs with `synchronous=FULL`: SQLite syncs the write-ahead log before the commit returns.
 *   Other ones run with NORMAL: the sync of the next FULL transaction covers them.
 */
import { dirname } from 'node:path';
import type { Database, Statement } from 'better-sqlite3';
import { drawOnReserve } from '../disk-reserve.ts';
import type { Bytes, Change } from '../engine.ts';
import { hasCode } from '../files.ts';
import type { PageSums } from './page-sums.ts';
import { sealRow } from './rows.ts';

export interface WriterParts {
  readonly database: Database;
  readonly pageSums: PageSums;
  /** The folder of the store. */
  readonly directory: string;
}

/** Commits batches on the connection of the engine. */
export class Writer {
  readonly #parts: WriterParts;
  readonly #put: Statement<[Bytes, Bytes]>;
  readonly #delete: Statement<[Bytes]>;
  #isSynchronousFull = true;

  constructor(parts: WriterParts) {
    this.#parts = parts;
    const { database } = parts;
    this.#put = database.prepare('INSERT INTO entries VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value');
    this.#delete = database.prepare('DELETE FROM entries WHERE key = ?');
  }

  /** Whether the last transaction was durable. */
  get isSynchronousFull(): boolean {
    return this.#isSynchronousFull;
  }

  setSynchronous(isFull: boolean): void {
    if (this.#isSynchronousFull === isFull) return;
    this.#parts.database.pragma(`synchronous = ${isFull ? 'FULL' : 'NORMAL'}`);
    this.#isSynchronousFull = isFull;
  }

  /**
   * Writes the batches in one transaction; returns the bytes of keys and values. On a full disk SQLite rolls the
   * transaction back, and it is repeated as long as the reserve makes room. Throws errors of SQLite.
   */
  write(batches: readonly (readonly Change[])[], { durable }: { readonly durable: boolean }): number {
    for (;;) {
      try {
        return this.#write(batches, durable);
      } catch (error) {
        if (!hasCode(error, 'SQLITE_FULL') || !drawOnReserve(dirname(this.#parts.directory))) throw error;
      }
    }
  }

  #write(batches: readonly (readonly Change[])[], durable: boolean): number {
    const { database, pageSums } = this.#parts;
    pageSums.drop();
    this.setSynchronous(durable);
    let bytes = 0;
    database.exec('BEGIN IMMEDIATE');
    try {
      for (const batch of batches) {
        for (const { key, value } of batch) {
          bytes += key.length + (value?.length ?? 0);
          if (value === undefined) this.#delete.run(key);
          else this.#put.run(key, sealRow(key, value));
        }
      }
      database.exec('COMMIT');
    } catch (error) {
      if (database.inTransaction) database.exec('ROLLBACK');
      throw error;
    }
    return bytes;
  }
}
