/**
 * The subjects of the append benchmark: the log, emmett's event store and plain INSERTs, all on one server with the
 * same settings. Each stores the same 250-byte events in streams of a hundred.
 */
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import pg from 'pg';
import { canonicalJson } from '../../src/storage/canonical-json.ts';
import { openPostgresStorage } from '../../src/storage/postgres/open.ts';
import { eventOf, STREAM_EVENTS } from '../storage/events.ts';
import { EMMETT_FOLDER, EMMETT_POOL } from './emmett.ts';
import type { WriterPlan } from './plan.ts';

export interface Subject {
  /** Appends `count` events, one per writer; resolves when they are durable. */
  append(index: number, count: number): Promise<unknown>;
  /** Whether a call with `count` stands for so many writers, as a batched INSERT does. */
  readonly isBatched: boolean;
  close(): Promise<void>;
}

export async function openSubject(plan: WriterPlan): Promise<Subject> {
  switch (plan.subject) {
    case 'daybook':
      return openLog(plan);
    case 'emmett':
      return openEmmett(plan);
    case 'bare':
      return openBare(plan, BARE);
    case 'bare-table':
      return openBare(plan, BARE_TABLE);
  }
}

/** Writers have streams of their own, of a hundred events each. */
function streamOf(index: number, writers: number): string {
  return `thing-${index % writers}-${Math.floor(index / writers / STREAM_EVENTS)}`;
}

const WRITERS = 64;
/** Of emmett's errors. */
const CONFLICT = 412;

async function openLog({ url, folder }: WriterPlan): Promise<Subject> {
  const { log, close } = await openPostgresStorage({ url, directory: folder });
  return {
    isBatched: false,
    append: (index) =>
      log.append([{ stream: streamOf(index, WRITERS), expectedVersion: 'any', events: [eventOf(index)] }]),
    close,
  };
}

interface EmmettStore {
  appendToStream(stream: string, events: readonly object[]): Promise<unknown>;
  readonly schema: { migrate(): Promise<unknown> };
  close(): Promise<void>;
}

async function openEmmett({ url }: WriterPlan): Promise<Subject> {
  const load = createRequire(join(EMMETT_FOLDER, 'package.json'));
  const { getPostgreSQLEventStore } = load('@event-driven-io/emmett-postgresql') as {
    getPostgreSQLEventStore(url: string, options: object): EmmettStore;
  };
  const { Pool } = load('pg') as typeof pg;
  const pool = new Pool({ connectionString: url, max: EMMETT_POOL });
  const store = getPostgreSQLEventStore(url, { connectionOptions: { pool } });
  await store.schema.migrate();
  const append = async (index: number): Promise<unknown> => {
    const { type, data, at, actor } = eventOf(index);
    const events = [{ type, data, metadata: { at, actor } }];
    for (;;) {
      try {
        return await store.appendToStream(streamOf(index, WRITERS), events);
      } catch (error) {
        // Two writers met in a stream, which is refused although no version is asked for.
        if ((error as { errorCode?: unknown }).errorCode !== CONFLICT) throw error;
      }
    }
  };
  return {
    isBatched: false,
    append,
    close: async () => {
      await store.close();
      await pool.end();
    },
  };
}

/** A plain table: how it is made, and the values of a row. */
interface PlainTable {
  readonly columns: string;
  readonly indexes: string;
  readonly values: (index: number, record: Buffer) => readonly unknown[];
}

const BARE: PlainTable = {
  columns: 'position bigint PRIMARY KEY, record bytea NOT NULL',
  indexes: '',
  values: (index, record) => [index, record],
};

const BARE_TABLE: PlainTable = {
  columns: `position bigint PRIMARY KEY, id uuid NOT NULL UNIQUE, stream text COLLATE "C" NOT NULL,
    version bigint NOT NULL, type text COLLATE "C" NOT NULL, at bigint NOT NULL, leaf bytea NOT NULL,
    record bytea NOT NULL`,
  indexes: ', UNIQUE (stream, version)',
  values: (index, record) => {
    const { id, type, at } = eventOf(index);
    const version = Math.floor(index / WRITERS) % STREAM_EVENTS;
    return [
      index,
      id,
      streamOf(index, WRITERS),
      version,
      type,
      at,
      createHash('sha256').update(record).digest(),
      record,
    ];
  },
};

/** One connection, one multi-row INSERT a transaction, as a prepared statement. */
async function openBare({ url }: WriterPlan, table: PlainTable): Promise<Subject> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`CREATE TABLE IF NOT EXISTS plain (${table.columns}${table.indexes})`);
  const { rows } = await client.query<{ next: string }>('SELECT coalesce(max(position), 0) + 1 AS next FROM plain');
  let next = Number(rows[0]!.next);
  const append = (_: number, count: number): Promise<unknown> => {
    const values: unknown[] = [];
    for (let row = 0; row < count; row += 1, next += 1) values.push(...table.values(next, recordOf(next)));
    const width = values.length / count;
    const marks = Array.from({ length: count }, (_, row) => `(${marksOf(row * width, width)})`);
    return client.query({ name: `insert-${count}`, text: `INSERT INTO plain VALUES ${marks.join(',')}`, values });
  };
  return { isBatched: true, append, close: () => client.end() };
}

function marksOf(first: number, count: number): string {
  return Array.from({ length: count }, (_, at) => `$${first + at + 1}`).join(',');
}

/** The bytes that the log keeps of an event. */
function recordOf(index: number): Buffer {
  const event = eventOf(index);
  const stream = streamOf(index, WRITERS);
  return Buffer.from(`\0${canonicalJson({ ...event, position: index, stream, version: index % STREAM_EVENTS })}`);
}
