/** The tables of the storage benchmark, as Markdown that is readable in a terminal. */
import { BASELINES, type Results, rateOf, short, size, type Verdict } from './goals.ts';
import { type LogWorkload, type Measure, RANGE_ENTRIES, type Workload } from './plan.ts';
import type { KvReport, LogReport } from './run.ts';
import { median } from './timing.ts';

export function resultTables(results: Results): string {
  const sizes = [...new Set(results.kv.map(({ valueBytes }) => valueBytes))];
  return [
    ...sizes.flatMap((bytes) =>
      kvTables(
        bytes,
        results.kv.filter(({ valueBytes }) => valueBytes === bytes),
      ),
    ),
    ...(results.logs.length > 0 ? logTables(results.logs) : []),
    ...(results.pauses.length > 0 ? [pauseTable(results)] : []),
  ].join('\n\n');
}

export function verdictTable(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map(({ goal, wanted, measured, met }) => [goal, wanted, measured, met ? 'yes' : '**no**']);
  return section('Goals', [['goal', 'wanted', 'measured', 'met'], ...rows]);
}

/** The baselines of the contract next to the figures of this run. */
export function baselineTable({ kv }: Results): string {
  const rows = (Object.keys(BASELINES) as (keyof typeof BASELINES)[]).flatMap((backend) => {
    const work = kv.find(({ subject, valueBytes }) => subject === backend && valueBytes === 100)?.work;
    if (work === undefined) return [];
    const { write, read, memory } = BASELINES[backend];
    const mean = (workload: Workload): string => (1e6 / (rateOf(work.measures[workload]) ?? Number.NaN)).toFixed(2);
    return [
      [
        backend,
        `${write}`,
        mean('put'),
        mean('durableOne'),
        `${read}`,
        mean('getHot'),
        `${memory}`,
        (work.peakBytes / 1_048_576).toFixed(0),
      ],
    ];
  });
  const head = ['backend', 'write µs', 'accepted', 'durable', 'read µs', 'hot get', 'memory MB', 'peak MiB'];
  return rows.length === 0
    ? ''
    : section("The contract's baselines, and ours beside them (mean µs, 100-byte values)", [head, ...rows]);
}

/** Where the time of missed goals goes. */
export function profileTable(
  profiles: readonly { readonly goal: string; readonly hot: NonNullable<Measure['profile']> }[],
): string {
  const rows = profiles.map(({ goal, hot }) => [
    goal,
    hot.map(({ name, share }) => `${name} ${(share * 100).toFixed(0)} %`).join('<br>'),
  ]);
  return section(
    'Where the time of the missed goals goes (own time of the sampled functions; idle is waiting for the disk)',
    [['goal', 'functions'], ...rows],
  );
}

function kvTables(valueBytes: number, reports: readonly KvReport[]): string[] {
  const of = `${valueBytes}-byte values`;
  return [
    section(`Reads, ${of}`, table(reports, ['getHot', 'getUniform', 'getAwaited', 'range', 'mixed'], READ_NAMES)),
    section(`Writes, ${of}: *accepted* | *acknowledged durable*`, writeTable(reports)),
    section(`Keeping, ${of}`, keepTable(reports)),
  ];
}

const READ_NAMES: Partial<Record<Workload, string>> = {
  getHot: 'get, hot',
  getUniform: 'get, uniform',
  getAwaited: 'get, awaited',
  range: `range of ${RANGE_ENTRIES}`,
  mixed: 'mixed 50/50',
};

const WRITE_NAMES: Partial<Record<Workload, string>> = {
  load: 'accepted: load, batches of 1000',
  put: 'accepted: put',
  putQueued: 'accepted: 64 in flight',
  durableOne: 'durable: put',
  durableQueued: 'durable: 64 in flight',
  durableBatch: 'durable: batches of 100',
};

function table(reports: readonly KvReport[], workloads: readonly Workload[], names: typeof READ_NAMES): string[][] {
  const rows = reports.map(({ subject, work }) => [subject, ...workloads.map((name) => cell(work.measures[name]))]);
  return [['', ...workloads.map((name) => names[name]!)], ...rows];
}

/** The writes of every subject, and of the bare disk: the median of the measurements in each subject's folder. */
function writeTable(reports: readonly KvReport[]): string[][] {
  const workloads = Object.keys(WRITE_NAMES) as Workload[];
  const bare = (workload: 'bareOne' | 'bareGroup'): string => {
    const measures = reports.flatMap(({ work }) => work.measures[workload] ?? []);
    return measures.length === 0 ? '' : short(median(measures.map((measure) => rateOf(measure)!)));
  };
  const rows = table(reports, workloads, WRITE_NAMES);
  return [...rows, ['bare disk', '', '', '', bare('bareOne'), bare('bareGroup'), '']];
}

function keepTable(reports: readonly KvReport[]): string[][] {
  const ms = (value: number | null | undefined): string =>
    value == null ? '' : `${value.toFixed(value < 10 ? 1 : 0)} ms`;
  const rows = reports.map(({ subject, work, kept }) => [
    subject,
    ms(kept && median(kept.reopen.openMs)),
    ms(kept?.recover.openMs),
    kept?.crash.walBytes == null ? '' : size(kept.crash.walBytes),
    kept?.recover.verifyMs == null ? '' : `${ms(kept.recover.verifyMs)}, ${kept.recover.faults} faults`,
    ms(kept?.recover.compactMs),
    kept === null ? '' : `${(work.diskBytes / work.liveBytes).toFixed(2)} ×`,
    kept === null ? '' : `${(kept.recover.diskBytes / work.liveBytes).toFixed(2)} ×`,
    kept === null ? '' : `${work.writeAmplification.toFixed(2)} ×`,
    size(work.peakBytes),
    size(work.peakBytes - work.baseBytes),
  ]);
  return [
    [
      '',
      'reopen, clean',
      'reopen, killed',
      'log then',
      'verify',
      'compact',
      'disk / live',
      'after compact',
      'written / put',
      'peak memory',
      'over the start',
    ],
    ...rows,
  ];
}

const LOG_NAMES: Record<LogWorkload, string> = {
  bareOne: 'bare: write + sync',
  bareGroup: 'bare: groups of 64',
  appendOne: 'durable append, one',
  appendQueued: 'durable append, 64 in flight',
  appendQueuedLarge: 'the same, 240 bytes of data',
  readStream: 'read streams of 100',
  readRaw: 'read all, raw',
  readParsed: 'read all, parsed',
};

function logTables(logs: readonly LogReport[]): string[] {
  const workloads = Object.keys(LOG_NAMES) as LogWorkload[];
  const rows = logs.map(({ backend, work }) => [backend, ...workloads.map((name) => cell(work.measures[name]))]);
  const most = (values: readonly number[]): string => `${Math.max(...values).toFixed(0)} ms`;
  const kept = logs.map(({ backend, work, openMs }) => [
    backend,
    `${short(work.events)}`,
    openMs === null ? '' : most(openMs.clean),
    openMs === null ? '' : most(openMs.killed),
    size(work.diskBytes),
    size(work.peakBytes),
  ]);
  const { eventBytes } = logs[0]!.work;
  return [
    section(`Event log, ${eventBytes}-byte events: events per second (p50/p99 µs per call)`, [
      ['', ...workloads.map((name) => LOG_NAMES[name])],
      ...rows,
    ]),
    section('Event log, keeping (longest of the opens)', [
      ['', 'events', 'open, clean', 'open, killed', 'disk', 'peak memory'],
      ...kept,
    ]),
  ];
}

function pauseTable({ pauses }: Results): string {
  const ms = (value: number): string => `${value.toFixed(2)} ms`;
  const rows = pauses.map(({ subject, pause }) => [
    subject === 'none' ? 'no store' : subject,
    ms(pause.maxMs),
    ms(pause.p999Ms),
    ms(pause.monitorMaxMs),
    ms(pause.collectorMaxMs),
    String(pause.compactions),
  ]);
  const head = [
    '',
    'longest',
    '99.9 %',
    'longest, by monitorEventLoopDelay',
    'longest of the collector',
    'compactions',
  ];
  return section('Pauses of the event loop under a steady stream of puts', [head, ...rows]);
}

/** Median rate, and p50 and p99 in microseconds. */
function cell(measure: Measure | undefined): string {
  if (measure === undefined) return '';
  const { p50, p99 } = measure;
  return `${short(rateOf(measure)!)} (${micro(p50)}/${micro(p99)})`;
}

function micro(value: number): string {
  if (value >= 9_950) return `${(value / 1_000).toFixed(0)}m`;
  if (value >= 995) return `${(value / 1_000).toFixed(1)}m`;
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2);
}

function section(title: string, [head, ...rows]: readonly (readonly string[])[]): string {
  const lines = [head!, head!.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`);
  return `### ${title}\n\n${lines.join('\n')}`;
}
