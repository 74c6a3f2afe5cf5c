/**
 * `npm run bench:daemon`: the daemon beside a bare fastify route and a bare node:http fan-out, measured in one run by
 * one client that is a process of its own. `--quick` takes less than a minute and leaves out the log of a million
 * events; `--only <name>` measures one part. A full run writes `bench/results-daemon.md`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { engagements } from './engagements.ts';
import { idleMemory, rebuild, stalledReaders, starts } from './support/alone.ts';
import type { Scale } from './support/common.ts';
import { fanOut, routes, withBoth } from './support/compared.ts';
import { fairness } from './support/fairness.ts';
import { circumstances, type Row, table } from './support/report.ts';
import { signing } from './support/signing.ts';

const RESULTS = new URL('results-daemon.md', import.meta.url);
const TABLE_BEGIN = '<!-- table -->';
const TABLE_END = '<!-- end of table -->';

const FULL: Scale = {
  loadMs: 5_000,
  fanOutMs: 8_000,
  stalledMs: 60_000,
  fairnessMs: 10_000,
  rebuildEvents: 200_000,
  starts: 9,
  signingPairs: 40,
  largeLogEvents: 1_000_000,
};
const QUICK: Scale = {
  loadMs: 800,
  fanOutMs: 2_000,
  stalledMs: 8_000,
  fairnessMs: 4_000,
  rebuildEvents: 40_000,
  starts: 5,
  signingPairs: 6,
  largeLogEvents: 0,
};

const quick = process.argv.includes('--quick');
const only = process.argv.includes('--only') ? process.argv[process.argv.indexOf('--only') + 1] : undefined;
const scale = quick ? QUICK : FULL;

const parts: Readonly<Record<string, () => Promise<readonly Row[]>>> = {
  starts: () => starts(scale),
  idle: idleMemory,
  routes: () => withBoth((sides) => routes(sides, scale)),
  fanout: () => withBoth((sides) => fanOut(sides, scale)),
  rebuild: () => rebuild(scale),
  stalled: () => stalledReaders(scale),
  fairness: () => fairness(scale),
  signing: () => signing(scale),
  engagements,
};

const rows: Row[] = [];
for (const [name, measure] of Object.entries(parts)) {
  if (only !== undefined && only !== name) continue;
  const more = await measure();
  for (const row of more)
    process.stdout.write(
      `${row.name}: ${row.ours}${row.peer && ` | bare ${row.peer}`} ${row.ratio} (goal ${row.goal})\n`,
    );
  rows.push(...more);
}
const report = `${circumstances()}\n\n${table(rows)}`;
process.stdout.write(`\n${report}\n`);
if (!quick && only === undefined) writeResults(report);
process.exitCode = rows.some((row) => row.met === false) ? 1 : 0;

/** The prose around the table is written by hand and stays. */
function writeResults(text: string): void {
  const before = readFileSync(RESULTS, 'utf8');
  const head = before.slice(0, before.indexOf(TABLE_BEGIN) + TABLE_BEGIN.length);
  const tail = before.slice(before.indexOf(TABLE_END));
  writeFileSync(RESULTS, `${head}\n\n${text}\n\n${tail}`);
}
