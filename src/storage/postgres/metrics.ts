/** The metrics of a log on PostgreSQL: connections, commits, outages, and how far the copy is behind. */
import { type Family, Histogram } from '../ops/meters.ts';
import { counter, gauge, histogram, SECONDS } from '../ops/metrics.ts';
import type { Connections } from './connections.ts';

export interface DatabaseMetrics {
  /** Seconds of an append in the database, failed ones included. */
  readonly commit: Histogram;
  /** Appends that found other events in the database and were decided again. */
  behind: number;
  /** The newest position that the database is known to have. */
  reached: number;
}

/** The meters of one log, before the first commit. */
export function createDatabaseMetrics(): DatabaseMetrics {
  return { commit: new Histogram(SECONDS), behind: 0, reached: 0 };
}

/** The meters as metric families. */
export function databaseFamilies(parts: {
  readonly metrics: DatabaseMetrics;
  readonly connections: Connections;
  /** Position of the copy. */
  readonly position: number;
}): Family[] {
  const { metrics, connections, position } = parts;
  const { open, busy, waiting, opened, outageSeconds } = connections.counts;
  const connects = 'Connections opened, those that replaced broken ones included.';
  const again = 'Appends that found newer events and were decided again.';
  const outage = 'Time since the database is out of reach, 0 while it is not.';
  const lag = 'Events that the database is known to have and the copy lacks.';
  return [
    gauge('database_connections', 'Connections of the pool by state.', [
      { labels: { state: 'busy' }, value: busy },
      { labels: { state: 'idle' }, value: open - busy },
    ]),
    gauge('database_waiting', 'Statements that wait for a connection of the pool.', waiting),
    counter('database_connects_total', connects, opened),
    histogram('database_commit_duration_seconds', 'Time of an append in the database.', metrics.commit),
    counter('database_decided_again_total', again, metrics.behind),
    gauge('database_outage_seconds', outage, outageSeconds),
    gauge('database_lag_events', lag, Math.max(0, metrics.reached - position)),
  ];
}
