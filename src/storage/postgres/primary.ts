/** The log in the database: an append is one statement, and so is a read of the tail. */
import type { Bytes } from '../engine.ts';
import { StorageError } from '../errors.ts';
import { readNumber } from '../log/keys.ts';
import type { Primary, PrimaryBatch, PrimaryOutcome, Tail } from '../log/primary.ts';
import { HASH_BYTES } from '../merkle.ts';
import type { Connections } from './connections.ts';
import { isServerError } from './failures.ts';
import type { Client } from './hosts.ts';
import type { DatabaseMetrics } from './metrics.ts';
import type { PostgresAddress } from './url.ts';
import { copyOut, FRAMED_RECORD, packRecords, plainArray, textArray, unframe } from './wire.ts';

/** Records that one read of the tail returns at most, and about so many bytes. */
const TAIL_EVENTS_MAX = 4_096;
const TAIL_BYTES_MAX = 8_388_608;
/** At most so many records come in the answer with the head; more are cheaper as a COPY. */
const NEAR_EVENTS_MAX = 256;
const NEAR_BYTES_MAX = 1_048_576;
/** A lock that is not used is released after this time. */
const HOLD_MS = 2_000;

interface Held {
  readonly client: Client;
  readonly timer: NodeJS.Timeout;
}

/** The result of the schema's function `append`. */
interface Answer {
  readonly outcome: PrimaryOutcome['kind'];
  readonly lost_fences: readonly number[] | null;
}

/** The result of the schema's function `append_one`. */
type UnfencedOutcome = Exclude<PrimaryOutcome['kind'], 'fenced'>;

export interface PostgresPrimaryParts {
  readonly connections: Connections;
  readonly address: Pick<PostgresAddress, 'schema' | 'patience_ms'>;
  readonly metrics: DatabaseMetrics;
}

/** The primary of one log. */
export class PostgresPrimary implements Primary {
  readonly patienceMs: number;
  readonly #connections: Connections;
  readonly #sql: Statements;
  readonly #listeners: ((position: number) => void)[] = [];
  readonly #metrics: DatabaseMetrics;
  #refusal: StorageError | null = null;
  #held: Held | null = null;

  constructor({ connections, address, metrics }: PostgresPrimaryParts) {
    this.#connections = connections;
    this.#metrics = metrics;
    this.patienceMs = address.patience_ms;
    this.#sql = statements(address.schema);
  }

  get failure(): StorageError | null {
    return this.#refusal ?? this.#connections.failure;
  }

  gaveUp(): void {
    this.#connections.gaveUp();
  }

  /** Refuses all further appends: the database has another log. */
  refuse(reason: StorageError): void {
    this.#refusal = reason;
  }

  async append(batch: PrimaryBatch): Promise<PrimaryOutcome> {
    if (this.#refusal !== null) throw this.#refusal;
    const started = performance.now();
    try {
      const outcome = await this.#appendOn(this.#takeHeld(), batch);
      if (outcome.kind === 'behind') this.#metrics.behind += 1;
      return outcome;
    } finally {
      this.#metrics.commit.observe((performance.now() - started) / 1000);
    }
  }

  async #appendOn(held: Held | null, batch: PrimaryBatch): Promise<PrimaryOutcome> {
    if (held !== null) {
      return this.#connections.finish(held.client, (client) => this.#committed(client, batch));
    }
    return this.#connections.use(async (client) => {
      if (batch.tombstones.length === 0) return this.#append(client, batch);
      await client.query('BEGIN');
      return this.#committed(client, batch);
    });
  }

  async hold(): Promise<void> {
    if (this.#held !== null) return;
    const client = await this.#connections.take();
    await this.#connections.keep(client, async () => {
      await client.query('BEGIN');
      await client.query(this.#sql.lock).catch(async (error: unknown) => {
        if (isServerError(error)) await client.query('ROLLBACK');
        throw error;
      });
    });
    this.#held = { client, timer: setTimeout(() => void this.release(), HOLD_MS) };
  }

  async release(): Promise<void> {
    const held = this.#takeHeld();
    if (held === null) return;
    await this.#connections.finish(held.client, (client) => client.query('ROLLBACK')).catch(() => {});
  }

  tail(after: number): Promise<Tail> {
    return this.#connections.use(async (client) => {
      const values = [after, NEAR_EVENTS_MAX, NEAR_BYTES_MAX];
      const [position, tree, leaf, framed] = await bytesOf(client, this.#sql.tail, values);
      const head = { position: readNumber(position!, 0), tree: tree! };
      const near = unframe(framed!);
      const reached = after + near.length;
      const count = Math.min(head.position - reached, TAIL_EVENTS_MAX - near.length);
      const far = near.length > 0 && count > 0 ? await copyOut(client, this.#sql.recordsAfter(reached, count)) : [];
      return { head, leaf: leaf ?? null, records: [...near, ...far] };
    });
  }

  async leaves(after: number, count: number): Promise<Bytes> {
    const [leaves] = await this.#bytes(this.#sql.leaves, [after, count]);
    return leaves ?? Buffer.alloc(0);
  }

  async records(positions: readonly number[]): Promise<readonly Bytes[]> {
    const [framed] = await this.#bytes(this.#sql.records, [plainArray(positions)]);
    const records = unframe(framed!);
    if (records.length === positions.length) return records;
    throw new StorageError('STORAGE_CORRUPT', 'The database lacks a position of the log that it names.');
  }

  onHead(listener: (position: number) => void): void {
    this.#listeners.push(listener);
  }

  /** Tells the listeners that the database has reached a position. */
  announce(position: number): void {
    this.#metrics.reached = position;
    for (const listener of this.#listeners) listener(position);
  }

  /** The first row of a statement whose columns are all of type bytea. */
  #bytes(statement: Statement, values: readonly unknown[]): Promise<(Buffer | null)[]> {
    return this.#connections.use((client) => bytesOf(client, statement, values));
  }

  /** Appends and commits in the transaction that the connection has open. */
  async #committed(client: Client, batch: PrimaryBatch): Promise<PrimaryOutcome> {
    try {
      const outcome = await this.#append(client, batch);
      const { tombstones, base } = batch;
      if (outcome.kind === 'taken' && tombstones.length > 0) {
        const { starts, sizes, records } = packRecords(tombstones.map(({ record }) => record));
        const positions = plainArray(tombstones.map(({ position }) => position));
        await client.query({ ...this.#sql.erase, values: [base.position, positions, starts, sizes, records] });
      }
      await client.query('COMMIT');
      return outcome;
    } catch (error) {
      // A server that answered still has the transaction open; a broken connection ends it.
      if (isServerError(error)) await client.query('ROLLBACK');
      throw error;
    }
  }

  async #append(client: Client, batch: PrimaryBatch): Promise<PrimaryOutcome> {
    if (batch.events.length === 1 && batch.fences.length === 0) return this.#appendOne(client, batch);
    const { rows } = await client.query<Answer>({ ...this.#sql.append, values: appendValues(batch) });
    const { outcome, lost_fences: lost } = rows[0]!;
    if (outcome !== 'fenced') return { kind: outcome };
    return { kind: outcome, lost: (lost ?? []).map((number) => batch.fences[number - 1]!) };
  }

  async #appendOne(client: Client, batch: PrimaryBatch): Promise<PrimaryOutcome> {
    const values = appendOneValues(batch, this.#connections.hasOtherListeners);
    const { rows } = await client.query<{ outcome: UnfencedOutcome }>({ ...this.#sql.appendOne, values });
    return { kind: rows[0]!.outcome };
  }

  #takeHeld(): Held | null {
    const held = this.#held;
    this.#held = null;
    if (held !== null) clearTimeout(held.timer);
    return held;
  }
}

async function bytesOf(client: Client, statement: Statement, values: readonly unknown[]): Promise<(Buffer | null)[]> {
  const query = { ...statement, values: [...values], rowMode: 'array' } as const;
  const { rows } = await client.query<(Buffer | null)[]>(query);
  return rows[0]!;
}

interface Statement {
  /** The name under which a connection keeps the prepared statement. */
  readonly name: string;
  readonly text: string;
}
interface Statements
  extends Readonly<Record<'append' | 'appendOne' | 'erase' | 'lock' | 'tail' | 'leaves' | 'records', Statement>> {
  /** The records after a position. A statement that copies takes no values. */
  readonly recordsAfter: (position: number, count: number) => string;
}

function statements(schema: string): Statements {
  const ofRange = `FROM ${schema}.events WHERE position > $1 ORDER BY position LIMIT $2`;
  const counted = (range: string): string => `SELECT *,
    sum(octet_length(record)) OVER (ORDER BY position) - octet_length(record) AS before FROM (${range}) AS next`;
  return {
    append: {
      name: 'daybook_append',
      text: `SELECT outcome, lost_fences FROM ${schema}.append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
    },
    appendOne: {
      name: 'daybook_append_one',
      text: `SELECT ${schema}.append_one($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) AS outcome`,
    },
    erase: { name: 'daybook_erase', text: `SELECT ${schema}.erase($1, $2, $3, $4, $5)` },
    lock: { name: 'daybook_lock', text: `SELECT ${schema}.lock_head()` },
    tail: {
      name: 'daybook_tail',
      text: `SELECT int8send(h.position), h.tree, (SELECT leaf FROM ${schema}.events WHERE position = $1), t.framed FROM ${schema}.head h, LATERAL (
        SELECT string_agg(${FRAMED_RECORD}, '' ORDER BY position) AS framed
        FROM (${counted(`SELECT position, leaf, record ${ofRange}`)}) AS counted WHERE before < $3) AS t`,
    },
    leaves: {
      name: 'daybook_leaves',
      text: `SELECT string_agg(leaf, '' ORDER BY position) FROM (SELECT position, leaf ${ofRange}) AS next`,
    },
    records: {
      name: 'daybook_records',
      text: `SELECT string_agg(${FRAMED_RECORD}, '' ORDER BY n) FROM unnest($1::bigint[]) WITH ORDINALITY AS wanted (p, n)
        JOIN ${schema}.events ON position = p`,
    },
    recordsAfter: (position, count) => {
      const range = `SELECT * FROM ${schema}.events WHERE position > ${position} ORDER BY position LIMIT ${count}`;
      return `SELECT leaf || record FROM (${counted(range)}) AS counted WHERE before < ${TAIL_BYTES_MAX} ORDER BY position`;
    },
  };
}

function appendOneValues({ base, tree, events, records }: PrimaryBatch, notifies: boolean): unknown[] {
  const { id, stream, version, type, schema, at } = events[0]!;
  const [leaf, stored] = [records[0]!.subarray(0, HASH_BYTES), records[0]!.subarray(HASH_BYTES)];
  return [base.position, base.tree, tree, id, stream, version, type, schema, at, leaf, stored, notifies];
}

function appendValues({ base, tree, events, records, fences }: PrimaryBatch): unknown[] {
  const packed = packRecords(records);
  return [
    base.position,
    Buffer.from(base.tree),
    Buffer.from(tree),
    plainArray(events.map(({ id }) => id)),
    textArray(events.map(({ stream }) => stream)),
    plainArray(events.map(({ version }) => version)),
    textArray(events.map(({ type }) => type)),
    plainArray(events.map(({ schema }) => schema)),
    plainArray(events.map(({ at }) => at)),
    packed.starts,
    packed.sizes,
    packed.leaves,
    packed.records,
    textArray(fences.map(({ name }) => name)),
    textArray(fences.map(({ holder }) => holder)),
    plainArray(fences.map(({ epoch }) => epoch)),
  ];
}
