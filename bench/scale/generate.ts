/**
 * Fills the tables of a log with SQL: the events, leaves and head that appends would have written, in a tenth of the
 * time.
 */
import pg from 'pg';
import { EMPTY_FRONTIER, frontierHash, GrowingFrontier, HASH_BYTES } from '../../src/storage/merkle.ts';
import { STREAM_EVENTS } from '../storage/events.ts';

/** Events per statement. */
const CHUNK = 20_000;
const BEGAN_AT = Date.UTC(2024, 0, 1);

/** Ascending ids of version 7; streams of a hundred events, one after the other; records of about 250 bytes. */
const INSERT = `
WITH made AS (
  SELECT $1::bigint + n AS position, 'load-' || lpad((($2::bigint + n - 1) / ${STREAM_EVENTS})::text, 9, '0') AS stream,
    ($2::bigint + n - 1) % ${STREAM_EVENTS} + 1 AS version, ${BEGAN_AT} + ($2::bigint + n) / 16 AS at,
    overlay(overlay(md5(($2::bigint + n)::text) placing lpad(to_hex(${BEGAN_AT} + ($2::bigint + n) / 16), 12, '0') from 1)
      placing '7' || lpad(to_hex((($2::bigint + n) % 16) * 256), 3, '0') || '8' from 13)::uuid AS id
  FROM generate_series(1, $3::bigint) AS n
), texts AS (
  SELECT *, '\\x00'::bytea || convert_to('{"actor":"owner","at":' || at
    || ',"causation":null,"correlation":null,"data":{"n":' || version || ',"note":"abcdefghijklmnopqrstuvwxyz"},"id":"' || id
    || '","position":' || position || ',"schema":1,"stream":"' || stream || '","type":"ThingHappened","version":'
    || version || '}', 'UTF8') AS record FROM made
), inserted AS (
  INSERT INTO events (position, id, stream, version, type, schema, at, leaf, record)
  SELECT position, id, stream, version, 'ThingHappened', 1, at, sha256(record), record FROM texts
  RETURNING position, leaf
)
SELECT string_agg(leaf, '' ORDER BY position) AS leaves FROM inserted`;

export class Generator {
  readonly #client: pg.Client;
  readonly #frontier = new GrowingFrontier(EMPTY_FRONTIER);
  #made = 0;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  /** For an empty log. */
  static async open(connectionString: string, schema: string): Promise<Generator> {
    const client = new pg.Client({ connectionString });
    await client.connect();
    await client.query(`SET search_path = ${schema}`);
    // Lost if the server crashes; the benchmark then starts again.
    await client.query('SET synchronous_commit = off');
    return new Generator(client);
  }

  /** Adds events until the log has `total`, including those that others appended since the last call. */
  async fill(total: number, progress: (done: number) => void): Promise<void> {
    await this.#catchUp();
    while (this.#frontier.size < total) {
      const count = Math.min(CHUNK, total - this.#frontier.size);
      await this.#client.query('BEGIN');
      await this.#client.query('SELECT FROM head FOR UPDATE');
      const values = [this.#frontier.size, this.#made, count];
      const { rows } = await this.#client.query<{ leaves: Buffer }>({ name: 'insert', text: INSERT, values });
      this.#add(rows[0]!.leaves);
      this.#made += count;
      const head = [this.#frontier.size, Buffer.from(frontierHash(this.#frontier))];
      await this.#client.query('UPDATE head SET position = $1, tree = $2', head);
      await this.#client.query('COMMIT');
      progress(this.#frontier.size);
    }
  }

  close(): Promise<void> {
    return this.#client.end();
  }

  async #catchUp(): Promise<void> {
    const query = 'SELECT leaf FROM events WHERE position > $1 ORDER BY position';
    const { rows } = await this.#client.query<{ leaf: Buffer }>(query, [this.#frontier.size]);
    for (const { leaf } of rows) this.#add(leaf);
  }

  #add(leaves: Buffer): void {
    for (let at = 0; at < leaves.length; at += HASH_BYTES) {
      this.#frontier.append(Uint8Array.from(leaves.subarray(at, at + HASH_BYTES)));
    }
  }
}
