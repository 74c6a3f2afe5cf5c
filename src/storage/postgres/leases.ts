/**
 * The leases of a log's daemons in the database. Durations are counted by its clock, so the clocks of the daemons need
 * not agree.
 */
import type { Fence } from '../event-log.ts';
import type { Connections } from './connections.ts';
import { plainArray, textArray } from './wire.ts';

export interface LeaseTableParts {
  readonly connections: Connections;
  readonly schema: string;
  /** The id of the node; without a slash. */
  readonly node: string;
  /** The id of this process of the node. */
  readonly process: string;
}

interface Row {
  readonly name: string;
  readonly holder: string;
  readonly epoch: string;
  readonly left_ms: number;
}

/** All calls reject with a `StorageError` when the database cannot be reached. */
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
      client.query<Row>({
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
