/** A benchmark with several parts: `--quick`, `--only <name>`, `--json`. A full run writes its results file. */
import { optionsOf } from '../../scripts/options.ts';
import { circumstances, type Row, table } from './report.ts';
import { writeResults } from './results.ts';

const { values: options } = optionsOf({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
});
export const isQuick = options.quick;
const { json: asJson, only } = options;

/** Measures the parts in order; the process fails if a goal is missed. */
export async function runParts(
  parts: Readonly<Record<string, () => Promise<readonly Row[]>>>,
  results: URL,
): Promise<void> {
  if (only !== undefined && !(only in parts)) throw new Error(`--only is one of ${Object.keys(parts).join(', ')}.`);
  const rows: Row[] = [];
  for (const [name, measure] of Object.entries(parts)) {
    if (only !== undefined && only !== name) continue;
    const more = await measure();
    for (const { name: title, ours, peer, ratio, goal } of more)
      process.stderr.write(`${title}: ${ours}${peer && ` | ${peer}`} ${ratio} (goal ${goal})\n`);
    rows.push(...more);
  }
  const report = `${circumstances()}\n\n${table(rows)}`;
  process.stdout.write(asJson ? `${JSON.stringify(rows, null, 2)}\n` : `\n${report}\n`);
  if (!isQuick && only === undefined) writeResults(results, report);
  process.exitCode = rows.some((row) => row.met === false) ? 1 : 0;
}
