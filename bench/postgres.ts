/**
 * `npm run bench:postgres`: the log on PostgreSQL compared with emmett's event store and plain INSERTs, in one run on
 * one durable server. `--quick` takes two minutes; `--only <name>` measures one part; `--json` prints the rows as JSON.
 * A full run writes `bench/results-postgres.md`.
 */
import type { Cluster } from '../tests/support/postgres.ts';
import { appendsAlone, appendsInFlight } from './postgres/appends.ts';
import { newDaemon, relayed, takeover } from './postgres/daemons.ts';
import { FULL, QUICK, type Scale } from './postgres/plan.ts';
import { readAll } from './postgres/reads.ts';
import { withServer } from './postgres/server.ts';
import { severalWriters } from './postgres/several.ts';
import { isQuick, runParts } from './support/parts.ts';
import type { Row } from './support/report.ts';

/** Each part has its own server. */
function onServer(measure: (server: Cluster, scale: Scale) => Promise<readonly Row[]>) {
  return () => withServer((server) => measure(server, isQuick ? QUICK : FULL));
}

const parts = {
  inflight: onServer(appendsInFlight),
  alone: onServer(appendsAlone),
  several: onServer(severalWriters),
  read: onServer(readAll),
  relay: onServer(relayed),
  fold: onServer(newDaemon),
  takeover: onServer(takeover),
};
await runParts(parts, new URL('results-postgres.md', import.meta.url));
