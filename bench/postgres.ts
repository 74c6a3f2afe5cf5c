/**
 * `npm run bench:postgres`: the log on PostgreSQL beside emmett's event store and plain INSERTs, in one run on one
 * durable server. `--quick` takes two minutes; `--only <name>` measures one part; `--json` prints the rows as JSON. A
 * full run writes `bench/results-postgres.md`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Cluster } from '../tests/support/postgres.ts';
import { appendsAlone, appendsInFlight } from './postgres/appends.ts';
import { newDaemon, relayed, takeover } from './postgres/daemons.ts';
import { FULL, QUICK, type Scale } from './postgres/plan.ts';
import { readAll } from './postgres/reads.ts';
import { withServer } from './postgres/server.ts';
import { severalWriters } from './postgres/several.ts';
import { circumstances, type Row, table } from './support/report.ts';

const RESULTS = new URL('results-postgres.md', import.meta.url);
const TABLE_BEGIN = '<!-- table -->';
const TABLE_END = '<!-- end of table -->';

const quick = process.argv.includes('--quick');
const only = process.argv.includes('--only') ? process.argv[process.argv.indexOf('--only') + 1] : undefined;
const asJson = process.argv.includes('--json');
const scale = quick ? QUICK : FULL;

const parts: Readonly<Record<string, (server: Cluster, scale: Scale) => Promise<readonly Row[]>>> = {
  inflight: appendsInFlight,
  alone: appendsAlone,
  several: severalWriters,
  read: readAll,
  relay: relayed,
  fold: newDaemon,
  takeover,
};
if (only !== undefined && !(only in parts)) throw new Error(`--only is one of ${Object.keys(parts).join(', ')}.`);

const rows: Row[] = [];
for (const [name, measure] of Object.entries(parts)) {
  if (only !== undefined && only !== name) continue;
  const more = await withServer((server) => measure(server, scale));
  for (const { name: title, ours, peer, ratio, goal } of more)
    process.stderr.write(`${title}: ${ours}${peer && ` | ${peer}`} ${ratio} (goal ${goal})\n`);
  rows.push(...more);
}
const report = `${circumstances()}\n\n${table(rows)}`;
process.stdout.write(asJson ? `${JSON.stringify(rows, null, 2)}\n` : `\n${report}\n`);
if (!quick && only === undefined) writeResults(report);
process.exitCode = rows.some((row) => row.met === false) ? 1 : 0;

/** The prose around the table is written by hand and stays. */
function writeResults(text: string): void {
  const before = readFileSync(RESULTS, 'utf8');
  const head = before.slice(0, before.indexOf(TABLE_BEGIN) + TABLE_BEGIN.length);
  const tail = before.slice(before.indexOf(TABLE_END));
  writeFileSync(RESULTS, `${head}\n\n${text}\n\n${tail}`);
}
