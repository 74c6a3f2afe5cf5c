/** The daemons of a log, and the facts on which they must agree, in the database. */
import type { Connections } from './connections.ts';
import { textArray } from './wire.ts';

interface Presence {
  readonly id: string;
  readonly process: string;
  readonly name: string;
  readonly version: string;
  /** Unix milliseconds. */
  readonly since: number;
  readonly workspaces: readonly string[];
  readonly position: number;
}

interface Row extends Omit<Presence, 'since' | 'position'> {
  readonly since_ms: number;
  readonly seen_ms: number;
  readonly silent_ms: number;
  readonly position: string;
}

/** The row of a daemon that was not seen for so long is removed. */
const KEPT_DAYS = 7;

/** All calls reject with a `StorageError` when the database cannot be reached. */
export class PostgresNodes {
  readonly #connections: Connections;
  readonly #schema: string;

  constructor(connections: Connections, schema: string) {
    this.#connections = connections;
    this.#schema = schema;
  }

  /** Writes the row of a daemon, and lists all daemons. */
  async announce({ id, process, name, version, since, workspaces, position }: Presence) {
    const values = [id, process, name, version, since, textArray(workspaces), position];
    const { rows } = await this.#connections.use(async (client) => {
      await client.query({
        name: 'daybook_announce_node',
        text: `INSERT INTO ${this.#schema}.nodes (id, process, name, version, since, workspaces, position, seen_at)
          VALUES ($1, $2, $3, $4, to_timestamp($5::double precision / 1000), $6::text[], $7, clock_timestamp())
          ON CONFLICT (id) DO UPDATE SET process = excluded.process, name = excluded.name, version = excluded.version,
          since = excluded.since, workspaces = excluded.workspaces, position = excluded.position, seen_at = excluded.seen_at`,
        values,
      });
      return client.query<Row>({
        name: 'daybook_nodes',
        text: `SELECT id, process, name, version, workspaces, position, ${milliseconds('since')} AS since_ms,
          ${milliseconds('seen_at')} AS seen_ms, ${milliseconds('clock_timestamp() - seen_at')} AS silent_ms
          FROM ${this.#schema}.nodes ORDER BY since, id`,
      });
    });
    return rows.map(({ since_ms, seen_ms, silent_ms, position: reached, ...row }) => ({
      ...row,
      ...{ since: Math.round(since_ms), seenAt: Math.round(seen_ms), silentMs: Math.max(0, silent_ms) },
      position: Number(reached),
    }));
  }

  /** Removes the row of a daemon that stops, and the rows of those that were not seen for days. */
  async leave(id: string): Promise<void> {
    await this.#connections.use((client) =>
      client.query({
        text: `DELETE FROM ${this.#schema}.nodes WHERE id = $1 OR seen_at < clock_timestamp() - $2 * interval '1 day'`,
        values: [id, KEPT_DAYS],
      }),
    );
  }

  /** The given facts that are set. */
  async facts(names: readonly string[]): Promise<Readonly<Record<string, string>>> {
    const text = `SELECT name, value FROM ${this.#schema}.facts WHERE name = ANY ($1::text[])`;
    const { rows } = await this.#connections.use((client) =>
      client.query<{ name: string; value: string }>({ text, values: [textArray(names)] }),
    );
    return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
  }

  /** Sets the facts that are not set yet. Resolves to the values of all given names, as they are then. */
  async agree(facts: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>> {
    const names = Object.keys(facts);
    const text = `INSERT INTO ${this.#schema}.facts SELECT * FROM unnest($1::text[], $2::text[]) ON CONFLICT DO NOTHING`;
    const values = [textArray(names), textArray(Object.values(facts))];
    await this.#connections.use((client) => client.query({ text, values }));
    return this.facts(names);
  }

  /** The newest cosigned checkpoint of another log; null when there is none. */
  async witnessed(origin: string): Promise<string | null> {
    const text = `SELECT note FROM ${this.#schema}.witness_states WHERE origin = $1`;
    const { rows } = await this.#connections.use((client) =>
      client.query<{ note: string }>({ text, values: [origin] }),
    );
    return rows[0]?.note ?? null;
  }

  /** Replaces the checkpoint; false when another daemon has replaced `before` already. */
  async witness(origin: string, note: string, before: string | null): Promise<boolean> {
    const text = `INSERT INTO ${this.#schema}.witness_states AS known VALUES ($1, $2)
      ON CONFLICT (origin) DO UPDATE SET note = excluded.note WHERE known.note IS NOT DISTINCT FROM $3`;
    const { rowCount } = await this.#connections.use((client) =>
      client.query({ text, values: [origin, note, before] }),
    );
    return rowCount === 1;
  }
}

function milliseconds(expression: string): string {
  return `(extract(epoch FROM ${expression}) * 1000)::double precision`;
}
