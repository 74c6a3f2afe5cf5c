/**
 * `npm run bench:storage`: Daybook's engines and its event log compared with lmdb, classic-level, SQLite, a Map and the
 * bare disk, one after the other, each in a separate process.
 *
 * Options: `--quick` (within a minute, smaller sizes), `--only NAME,…` (engines, `log`, `pause`), `--json` (the raw
 * figures on stdout), `--no-profile`, `--records N` and `--events N` instead of a million. A full run of everything
 * writes `bench/results.md`.
 */
import { readFileSync } from 'node:fs';
import { optionsOf } from '../scripts/options.ts';
import { type Results, type Verdict, verdicts, type Where } from './storage/goals.ts';
import {
  DAYBOOK_ENGINES,
  FULL,
  type LogPlan,
  type Measure,
  QUICK,
  type Scale,
  SUBJECTS,
  type SubjectName,
} from './storage/plan.ts';
import { profileKv, profileLog, runKv, runLog, runPause } from './storage/run.ts';
import { baselineTable, profileTable, resultTables, verdictTable } from './storage/tables.ts';
import { circumstances } from './support/report.ts';
import { writeResults } from './support/results.ts';

const RESULTS = new URL('results.md', import.meta.url);
const LOGS: readonly LogPlan['backend'][] = ['cow', 'lsm', 'embedded_kv', 'sqlite-table'];
const PAUSES: readonly (SubjectName | 'none')[] = ['none', 'cow', 'lsm', 'level'];
/** With fewer records or events the figures are meaningless. */
const LEAST = 1_000;
const PEERS = ['lmdb', 'classic-level', 'better-sqlite3'];

const { values: options } = optionsOf({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    profile: { type: 'boolean', default: true },
    only: { type: 'string' },
    records: { type: 'string' },
    events: { type: 'string' },
  },
  allowNegative: true,
});
const only = options.only?.split(',');
checkNames(only ?? []);
await main();

async function main(): Promise<void> {
  const scale = scaleOf(options.quick ? QUICK : FULL);
  const results = await measureAll(scale);
  if (options.json) {
    process.stdout.write(`${JSON.stringify(results)}\n`);
    return;
  }
  const judged = verdicts(results);
  const missed = judged.filter(({ met }) => !met);
  const profiles = options.profile && !options.quick ? await profilesOf(missed, scale) : [];
  const parts = [
    `${circumstances()}\n${versions()}\n${sizes(scale)}`,
    ...(scale === FULL
      ? []
      : ['Not the full sizes: what a store takes once and for all weighs more here than the goals mean.']),
    verdictTable(judged),
    baselineTable(results),
    resultTables(results),
    ...(profiles.length > 0 ? [profileTable(profiles)] : []),
  ];
  const report = parts.filter((part) => part !== '').join('\n\n');
  process.stdout.write(`\n${report}\n\n${judged.length - missed.length} of ${judged.length} goals met.\n`);
  if (scale === FULL && only === undefined) writeResults(RESULTS, report);
}

function scaleOf(scale: Scale): Scale {
  const { records, events } = options;
  if (records === undefined && events === undefined) return scale;
  const count = (text: string | undefined, usual: number): number => {
    const value = text === undefined ? usual : Number(text);
    if (Number.isSafeInteger(value) && value >= LEAST) return value;
    process.stderr.write(`--records and --events are whole numbers from ${LEAST}; not ${text}.\n`);
    process.exit(2);
  };
  return { ...scale, records: count(records, scale.records), events: count(events, scale.events) };
}

async function measureAll(scale: Scale): Promise<Results> {
  const isWanted = (name: string): boolean => only === undefined || only.includes(name);
  const results = {
    kv: [] as Results['kv'][number][],
    pauses: [] as Results['pauses'][number][],
    logs: [] as Results['logs'][number][],
  };
  for (const valueBytes of scale.valueBytes) {
    for (const subject of SUBJECTS.filter(isWanted)) {
      say(`${subject}, ${valueBytes}-byte values`);
      results.kv.push(await runKv(subject, valueBytes, scale));
    }
  }
  for (const backend of isWanted('log') ? LOGS : []) {
    say(`event log, ${backend}`);
    results.logs.push(await runLog(backend, scale));
  }
  for (const subject of isWanted('pause') ? PAUSES : []) {
    say(`pauses, ${subject}`);
    results.pauses.push(await runPause(subject, scale));
  }
  return results;
}

/** One profiled run for each subject that missed a goal; small, because it only shows where the time goes. */
async function profilesOf(
  missed: readonly Verdict[],
  scale: Scale,
): Promise<{ goal: string; hot: NonNullable<Measure['profile']> }[]> {
  const small = { ...scale, records: scale.records / 5, events: scale.events / 5, rounds: 2 };
  const runs = new Map<string, Partial<Record<string, Measure>>>();
  const found: { goal: string; hot: NonNullable<Measure['profile']> }[] = [];
  for (const { goal, where } of missed) {
    if (where === null) continue;
    const key = `${where.of} ${where.subject}`;
    if (!runs.has(key)) {
      say(`profile, ${key}`);
      runs.set(key, (await profiled(where, small)).measures);
    }
    const hot = runs.get(key)![where.workload]?.profile;
    if (hot !== undefined) found.push({ goal, hot });
  }
  return found;
}

function profiled({ of, subject }: Where, scale: Scale) {
  if (of === 'kv') return profileKv(subject, 100, scale);
  return profileLog(subject as LogPlan['backend'], scale);
}

function checkNames(names: readonly string[]): void {
  const known: readonly string[] = [...SUBJECTS, 'log', 'pause'];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  process.stderr.write(`--only knows ${known.join(', ')}; not ${unknown}.\n`);
  process.exit(2);
}

function say(what: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${what}\n`);
}

function versions(): string {
  const version = (name: string): string => {
    const file = new URL(`../node_modules/${name}/package.json`, import.meta.url);
    return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
  };
  return `- peers: ${PEERS.map((name) => `${name} ${version(name)}`).join(', ')}; Daybook: ${DAYBOOK_ENGINES.join(', ')}, default settings`;
}

function sizes({ records, rounds, roundMs, putRoundMs, events }: Scale): string {
  return (
    `- ${records.toLocaleString('en-US')} records, ${events.toLocaleString('en-US')} events; operations per second are the ` +
    `median of ${rounds} rounds of ${roundMs} ms (${putRoundMs} ms for puts), with p50/p99 in µs (m = ms) of single calls`
  );
}
