/** What several daemons on one log share beside the events: leases. On a log of its own a daemon has them all. */
import { ownLogLeases } from '../integrations/leases/own-log.ts';
import { type SharedLeases, TableLeases } from '../integrations/leases/shared-leases.ts';
import type { Timers } from '../lib/timers.ts';
import type { LeaseTable } from '../ports/leases.ts';

/** The tables of a log in a database; null for a log that this process has for itself. */
export interface SharedTables {
  readonly leases: LeaseTable;
}

interface Parts {
  readonly tables: SharedTables | null;
  readonly node: string;
  readonly leaseSeconds: number;
  readonly timers: Timers;
  /** Copies what the database has and the log here lacks. */
  readonly follow: () => Promise<void>;
  readonly announce: (line: string) => void;
}

export function createLeases({ tables, node, leaseSeconds, timers, follow, announce }: Parts): SharedLeases {
  if (tables === null) {
    const nothing = async (): Promise<void> => undefined;
    return { ...ownLogLeases(node), start: nothing, stop: nothing };
  }
  return new TableLeases({
    table: tables.leases,
    node,
    timers,
    elapsed: () => performance.now(),
    leaseMs: leaseSeconds * 1_000,
    reached: follow,
    report: announce,
  });
}
