/**
 * The tables that the daemons of a log share, with connections of their own: a lease waits for no append.
 *
 * - All calls reject with a `StorageError` when the database cannot be reached.
 * - The durations of leases are counted by the clock of the database, so the clocks of the daemons need not agree.
 */
import type { Fence } from '../event-log.ts';
import { Connections } from './connections.ts';
import { parseAddress } from './url.ts';
import { plainArray, textArray } from './wire.ts';

export interface SharedTablesOptions {
  /** The address of the log. */
  readonly url: string;
  readonly env: NodeJS.ProcessEnv;
  /** The id of the node, and the id of this process of it. */
  readonly node: string;
  readonly process: string;
  /** Milliseconds after which a statement is aborted. */
  readonly patienceMs: number;
}

export interface SharedTables {
  readonly leases: PostgresLeases;
  readonly nodes: PostgresNodes;
  close(): Promise<void>;
}

const CONNECTIONS_MAX = 2;

/** Opens the tables; connects at the first use. */
export function openSharedTables({ url, env, node, process, patienceMs }: SharedTablesOptions): SharedTables {
  const address = parseAddress(url, env);
  const connections = new Connections({
    ...address,
    pool_max: CONNECTIONS_MAX,
    connect_timeout_ms: Math.min(address.connect_timeout_ms, patienceMs),
    statement_timeout_ms: patienceMs,
    lock_timeout_ms: patienceMs,
  });
  return {
    leases: new PostgresLeases({ connections, schema: address.schema, node, process }),
    nodes: new PostgresNodes(connections, address.schema),
    close: () => connections.close(),
  };
}

interface LeaseTableParts {
  readonly connections: Connections;
  readonly schema: string;
  /** The id of the node; without a slash. */
  readonly node: string;
  /** The id of this process of the node. */
  readonly process: string;
}

interface LeaseRow {
  readonly name: string;
  readonly holder: string;
  readonly epoch: string;
  readonly left_ms: number;
}

/** The leases of the daemons. */
export class PostgresLeases {
  readonly #parts: LeaseTableParts;
  readonly #holder: string;

  constructor(parts: LeaseTableParts) {
    this.#parts = parts;
    this.#holder = `${parts.node}/${parts.process}`;
  }

  /** Takes the lease; null while another node holds it. `head` is read after the lease was taken. */
  async take(name: string, milliseconds: number) {
    const { connections, schema } = this.#parts;
    return connections.use(async (client) => {
      const { rows } = await client.query<{ epoch: string | null; was_left: boolean }>({
        name: 'daybook_take_lease',
        text: `SELECT epoch, was_left FROM ${schema}.take_lease($1, $2, $3)`,
        values: [name, this.#holder, milliseconds],
      });
      const { epoch, was_left: isTakenOver } = rows[0]!;
      if (epoch === null) return null;
      const query = { name: 'daybook_lease_head', text: `SELECT position FROM ${schema}.head` };
      const head = await client.query<{ position: string }>(query);
      return { holder: this.#holder, epoch: Number(epoch), isTakenOver, head: Number(head.rows[0]!.position) };
    });
  }

  /** Renews the given leases that this process still holds, and lists all leases that have not run out. */
  async renew(held: readonly Fence[], milliseconds: number) {
    const { connections, schema, node } = this.#parts;
    const { rows } = await connections.use((client) =>
      client.query<LeaseRow>({
        name: 'daybook_look_leases',
        text: `WITH ${lockedSql(schema)}, renewed AS (
          UPDATE ${schema}.leases l SET expires_at = clock_timestamp() + $4 * interval '1 millisecond'
          FROM locked WHERE l.name = locked.name RETURNING l.name, l.holder, l.epoch, l.expires_at)
          SELECT name, holder, epoch,
            (extract(epoch FROM expires_at - clock_timestamp()) * 1000)::double precision AS left_ms
          FROM (SELECT * FROM renewed UNION ALL
            SELECT name, holder, epoch, expires_at FROM ${schema}.leases l
            WHERE expires_at > '-infinity' AND expires_at > clock_timestamp()
            AND NOT EXISTS (SELECT FROM renewed r WHERE r.name = l.name)) AS live`,
        values: [...this.#valuesOf(held), milliseconds],
      }),
    );
    return rows.map(({ name, holder, epoch, left_ms: millisecondsLeft }) => {
      const [owner = ''] = holder.split('/', 1);
      const isOwn = owner === node && holder === this.#holder;
      return { name, epoch: Number(epoch), node: owner, isOwn, millisecondsLeft };
    });
  }

  /** Releases the given leases that this process still holds. */
  async release(held: readonly Fence[]): Promise<void> {
    const { connections, schema } = this.#parts;
    await connections.use((client) =>
      client.query({
        name: 'daybook_give_leases',
        text: `WITH ${lockedSql(schema)}
          UPDATE ${schema}.leases l SET expires_at = '-infinity' FROM locked WHERE l.name = locked.name`,
        values: this.#valuesOf(held),
      }),
    );
  }

  #valuesOf(held: readonly Fence[]): string[] {
    return [textArray(held.map(({ name }) => name)), plainArray(held.map(({ epoch }) => epoch)), this.#holder];
  }
}

/** Locks in the order of names, as an append locks the leases that it carries. */
function lockedSql(schema: string): string {
  return `locked AS (
    SELECT l.name FROM ${schema}.leases l JOIN unnest($1::text[], $2::bigint[]) AS h (name, epoch) USING (name, epoch)
    WHERE l.holder = $3 AND l.expires_at > '-infinity' ORDER BY l.name FOR UPDATE OF l)`;
}

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

interface NodeRow extends Omit<Presence, 'since' | 'position'> {
  readonly since_ms: number;
  readonly seen_ms: number;
  readonly silent_ms: number;
  readonly position: string;
}

/** The row of a daemon that was not seen for so long is removed. */
const KEPT_DAYS = 7;

/** The daemons of a log, and the facts on which they must agree. */
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
      return client.query<NodeRow>({
        name: 'daybook_nodes',
        text: `SELECT id, process, name, version, workspaces, position, ${milliseconds('since')} AS since_ms,
          ${milliseconds('seen_at')} AS seen_ms, ${milliseconds('clock_timestamp() - seen_at')} AS silent_ms
          FROM ${this.#schema}.nodes ORDER BY since, id`,
      });
    });
    return rows.map(({ since_ms, seen_ms, silent_ms, position: reached, ...row }) => ({
      ...row,
      since: Math.round(since_ms),
      seenAt: Math.round(seen_ms),
      silentMs: Math.max(0, silent_ms),
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
