/**
 * The peer of the event log: a typical hand-written event table on better-sqlite3, durable, one event per commit.
 */
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { NewEvent } from '../../src/storage/event-log.ts';

export interface EventTable {
  append(stream: string, event: NewEvent): void;
  fill(stream: string, events: readonly NewEvent[]): void;
  readStream(stream: string): number;
  readAll(): Generator<number>;
  close(): void;
}

export function openEventTable(directory: string): EventTable {
  const database = new Sqlite(join(directory, 'events.sqlite'));
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.pragma('cache_size = -65536');
  database.exec(`CREATE TABLE IF NOT EXISTS events (
    position INTEGER PRIMARY KEY, stream TEXT NOT NULL, version INTEGER NOT NULL, id TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL, schema INTEGER NOT NULL, at INTEGER NOT NULL, actor TEXT NOT NULL,
    correlation TEXT, causation TEXT, data TEXT NOT NULL, UNIQUE (stream, version))`);
  const insert = database.prepare(
    `INSERT INTO events (stream, version, id, type, schema, at, actor, correlation, causation, data)
     VALUES (@stream, (SELECT coalesce(max(version), 0) + 1 FROM events WHERE stream = @stream),
     @id, @type, @schema, @at, @actor, @correlation, @causation, @data)`,
  );
  const ofStream = database.prepare<[string], EventRow>('SELECT * FROM events WHERE stream = ? ORDER BY version');
  const after = database.prepare<[number], EventRow>(
    'SELECT * FROM events WHERE position > ? ORDER BY position LIMIT 1000',
  );
  const append = (stream: string, event: NewEvent): void => {
    insert.run({ ...event, stream, data: JSON.stringify(event.data) });
  };
  const eventOf = (row: EventRow) => ({ ...row, data: JSON.parse(row.data) as unknown });
  return {
    append,
    fill: database.transaction((stream: string, events: readonly NewEvent[]) => {
      for (const event of events) append(stream, event);
    }),
    readStream: (stream) => ofStream.all(stream).map(eventOf).length,
    *readAll() {
      for (let position = 0; ; ) {
        const rows = after.all(position).map(eventOf);
        if (rows.length === 0) return;
        for (const row of rows) yield row.position;
        position = rows.at(-1)!.position;
      }
    },
    close: () => void database.close(),
  };
}

interface EventRow {
  readonly position: number;
  readonly data: string;
}
