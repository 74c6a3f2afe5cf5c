/** Creates what several daemons on one log share in addition to the events: leases, and the table of the daemons. */
import { realpathSync } from 'node:fs';
import { ownLogLeases } from '../integrations/leases/own-log.ts';
import { type SharedLeases, TableLeases } from '../integrations/leases/shared-leases.ts';
import { type NodeIdentity, nodeIdentity } from '../integrations/nodes/identity.ts';
import { type Duty, takeDuty } from '../reactors/nodes/duty.ts';
import { Nodes, type NodesParts } from '../reactors/nodes/nodes.ts';
import { StorageError } from '../storage/errors.ts';
import type { EventLog } from '../storage/event-log.ts';
import type { Family } from '../storage/ops/meters.ts';
import { gauge } from '../storage/ops/metrics.ts';
import type { SharedTables } from '../storage/postgres/shared.ts';
import type { System } from './system.ts';

interface Parts extends System {
  readonly log: EventLog;
  /** Position up to which the views have folded the log. */
  readonly position: () => number;
  readonly activeRuns: NodesParts['activeRuns'];
}

export interface Cluster {
  readonly leases: SharedLeases;
  readonly nodes: Nodes;
  /** The daily backup of the log. */
  readonly backups: Duty;
  /** Null for a log that only this process uses. */
  readonly tables: SharedTables | null;
  start(): Promise<void>;
  /** Makes this daemon visible to the others. */
  appear(): Promise<void>;
  /** Releases the leases, so that other daemons continue the runs. */
  stop(): Promise<void>;
}

const COPIED =
  'This home is a copy. Where the original goes on, both logs are signed under one name as if they were one: give ' +
  'this one another name then (DAYBOOK_LOG_ORIGIN).';

/** How often a daemon writes its row while a lease lasts. */
const ROWS_PER_LEASE = 2;

export async function createCluster(parts: Parts): Promise<Cluster> {
  const { config, env, clock, timers, ids, version, announce, position, activeRuns } = parts;
  const { home, ephemeral, log: url, node_name, node_workspaces, lease_seconds } = config;
  const { isCopied, ...identity } = await nodeIdentity(ephemeral ? null : home, ids, node_name);
  if (isCopied && url === undefined) announce(COPIED);
  const process = ids.hex(4);
  const leaseMs = lease_seconds * 1_000;
  const options = { env, node: identity.id, process, patienceMs: leaseMs };
  const tables = url === undefined ? null : await openTables({ url, ...options });
  const leases = leasesOn(tables, identity, { ...parts, leaseMs });
  const folders = node_workspaces ?? (tables === null ? [] : [config.workspace]);
  const nodes = new Nodes({
    self: { ...identity, process, version, since: clock.now(), workspaces: folders.map(realPath) },
    table: tables?.nodes ?? null,
    leases,
    clock,
    timers,
    position,
    activeRuns,
    elapsed,
    report: announce,
    intervalMs: leaseMs / ROWS_PER_LEASE,
  });
  return {
    leases,
    nodes,
    tables,
    backups: takeDuty({ name: 'backups', leases, isAble: () => isOfThisLog(parts.log) }),
    start: () => leases.start(),
    appear: () => nodes.start(),
    async stop() {
      await Promise.all([leases.stop(), nodes.stop()]);
      await tables?.close();
    },
  };
}

/** False when the history in the database is another one: others have to back that one up. */
function isOfThisLog({ failure }: EventLog): boolean {
  return !(failure instanceof StorageError && failure.code === 'STORAGE_READ_ONLY');
}

async function openTables(options: Parameters<typeof import('../storage/postgres/shared.ts').openSharedTables>[0]) {
  const { openSharedTables } = await import('../storage/postgres/shared.ts');
  return openSharedTables(options);
}

function elapsed(): number {
  return performance.now();
}

function leasesOn(
  tables: SharedTables | null,
  { id: node }: Pick<NodeIdentity, 'id'>,
  { timers, log, leaseMs, announce }: Pick<Parts, 'timers' | 'log' | 'announce'> & { readonly leaseMs: number },
): SharedLeases {
  const nothing = async (): Promise<void> => undefined;
  if (tables === null) return { ...ownLogLeases(node), start: nothing, stop: nothing };
  return new TableLeases({
    ...{ table: tables.leases, node, timers, elapsed, leaseMs, report: announce },
    position: () => log.head().position,
    reached: (position) => untilPosition(log, position, leaseMs),
  });
}

/** Resolves when the local log has the position. Rejects after the given time. */
function untilPosition(log: EventLog, position: number, milliseconds: number): Promise<void> {
  if (log.head().position >= position) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      leave();
      reject(new Error(`The log here did not reach position ${position} in time.`));
    }, milliseconds);
    const leave = log.onAppended(() => {
      if (log.head().position < position) return;
      clearTimeout(late);
      leave();
      resolve();
    });
  });
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/** Metrics of the daemons of the log. */
export function clusterFamilies({ nodes, leases }: Pick<Cluster, 'nodes' | 'leases'>): readonly Family[] {
  const living = nodes.list().filter(({ alive }) => alive).length;
  const [own] = nodes.list();
  const held = [...leases.holders().values()].filter((node) => node === own?.id).length;
  return [
    gauge('nodes_living', 'Daemons of this log that were seen lately, this one included.', living),
    gauge('leases_held', 'Leases that this daemon holds.', held),
    gauge('runs_untaken', 'Runs that want to go on and that no living daemon can take.', nodes.untaken()),
  ];
}
