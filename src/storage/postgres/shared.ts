/** The tables that the daemons of a log share, with connections of their own: a lease waits for no append. */
import { Connections } from './connections.ts';
import { PostgresLeases } from './leases.ts';
import { PostgresNodes } from './nodes.ts';
import { parseAddress } from './url.ts';

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
