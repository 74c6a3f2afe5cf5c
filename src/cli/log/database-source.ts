/** Reads the events of a log in a database, without a daemon and without a copy. */
import { StorageError } from '../../storage/errors.ts';
import { envelopeFault } from '../../storage/log/envelope.ts';
import { decodeEvent, isIntact, toHex } from '../../storage/log/record.ts';
import { openPrimary } from '../../storage/postgres/open.ts';
import { envelopeOf } from '../../streams/envelope.ts';
import type { LogSource } from './source.ts';

/** Rejects with a `StorageError` when the database is unreachable. Reading a damaged record throws `STORAGE_CORRUPT`. */
export async function databaseSource(url: string): Promise<LogSource> {
  const { primary, close } = await openPrimary(url);
  return {
    kind: 'database',
    async head() {
      const { head } = await primary.tail(Number.MAX_SAFE_INTEGER);
      return { position: head.position, tree_hash: toHex(head.tree), at: null };
    },
    async *events({ after, through }) {
      for (let position = after; position < through; ) {
        const { records } = await primary.tail(position);
        if (records.length === 0) throw damaged(position + 1, 'it is missing');
        for (const record of records) {
          position += 1;
          if (position > through) return;
          const event = decodeEvent(record, position);
          const fault = isIntact(record) ? envelopeFault(record, event) : 'it does not match its leaf hash';
          if (fault !== undefined) throw damaged(position, fault);
          yield envelopeOf(event);
        }
      }
    },
    [Symbol.asyncDispose]: close,
  };
}

function damaged(position: number, what: string): StorageError {
  return new StorageError('STORAGE_CORRUPT', `The event at position ${position} of the database is damaged: ${what}.`);
}
