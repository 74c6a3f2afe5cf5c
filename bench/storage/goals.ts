/**
 * The goals of the storage engines and the log, and whether a run met them. Each is a ratio or a time of the same run.
 */
import type { LogWorkload, Measure, SubjectName, Workload } from './plan.ts';
import type { KvReport, LogReport, PauseReport } from './run.ts';
import { median } from './timing.ts';

export interface Results {
  readonly kv: readonly KvReport[];
  readonly pauses: readonly PauseReport[];
  readonly logs: readonly LogReport[];
}

export interface Where {
  readonly subject: SubjectName;
  readonly workload: Workload | LogWorkload;
  readonly of: 'kv' | 'log';
}

export interface Verdict {
  readonly goal: string;
  readonly wanted: string;
  readonly measured: string;
  readonly met: boolean;
  /** The workload whose profile shows where the time goes; null for a goal that is not about time. */
  readonly where: Where | null;
}

const KIB = 1_024;
const MIB = 1_048_576;
/** Goals apply to values of this size. */
const GOAL_VALUE_BYTES = 100;

/** Every goal for which the run has figures. */
export function verdicts(results: Results): Verdict[] {
  const look = new Look(results);
  return [...baselines(look), ...cowGoals(look), ...lsmGoals(look), ...shared(look), ...logGoals(look)].filter(
    (verdict) => verdict !== undefined,
  );
}

type Maybe = Verdict | undefined;

/** Finds figures; undefined if the run did not measure them. */
class Look {
  readonly #results: Results;

  constructor(results: Results) {
    this.#results = results;
  }

  kv(subject: SubjectName): KvReport | undefined {
    return this.#results.kv.find((each) => each.subject === subject && each.valueBytes === GOAL_VALUE_BYTES);
  }

  rate(subject: SubjectName, workload: Workload): number | undefined {
    return rateOf(this.kv(subject)?.work.measures[workload]);
  }

  log(backend: LogReport['backend']): LogReport | undefined {
    return this.#results.logs.find((each) => each.backend === backend);
  }

  logRate(backend: LogReport['backend'], workload: LogWorkload): number | undefined {
    return rateOf(this.log(backend)?.work.measures[workload]);
  }

  pause(subject: SubjectName): PauseReport | undefined {
    return this.#results.pauses.find((each) => each.subject === subject);
  }
}

export function rateOf(measure: Measure | undefined): number | undefined {
  return measure === undefined ? undefined : median(measure.perSecond);
}

/** A rate of Daybook relative to another rate of the same run. */
function ratio(
  goal: string,
  times: number,
  { ours, other, where }: { ours: number | undefined; other: number | undefined; where: Verdict['where'] },
): Maybe {
  if (ours === undefined || other === undefined) return undefined;
  const measured = `${(ours / other).toFixed(2)} × (${short(ours)} to ${short(other)})`;
  return { goal, wanted: `≥ ${times} ×`, measured, met: ours >= other * times, where };
}

function atMost(
  goal: string,
  limit: number,
  { value, unit, where }: { value: number | undefined; unit: string; where: Verdict['where'] },
): Maybe {
  if (value === undefined) return undefined;
  const shown = value < 10 ? value.toFixed(2) : value.toFixed(0);
  return { goal, wanted: `≤ ${limit} ${unit}`, measured: `${shown} ${unit}`, met: value <= limit, where };
}

function atLeast(
  goal: string,
  limit: number,
  { value, where }: { value: number | undefined; where: Verdict['where'] },
): Maybe {
  if (value === undefined) return undefined;
  return { goal, wanted: `≥ ${short(limit)}/s`, measured: `${short(value)}/s`, met: value >= limit, where };
}

/** The baselines of the contract's backends, in microseconds and megabytes. */
export const BASELINES = {
  cow: { write: 41, read: 1, memory: 256 },
  lsm: { write: 38, read: 0.3, memory: 512 },
  embedded_kv: { write: 53, read: 19, memory: 1_024 },
} as const;

function baselines(look: Look): Maybe[] {
  return (Object.keys(BASELINES) as (keyof typeof BASELINES)[]).flatMap((subject) => {
    const work = look.kv(subject)?.work;
    const { write, read, memory } = BASELINES[subject];
    const at = (workload: Workload) => ({ subject, workload, of: 'kv' as const });
    return [
      atMost(`baseline: ${subject} write, accepted, mean`, write, {
        value: microseconds(look.rate(subject, 'put')),
        unit: 'µs',
        where: at('put'),
      }),
      atMost(`baseline: ${subject} read, hot, mean`, read, {
        value: microseconds(look.rate(subject, 'getHot')),
        unit: 'µs',
        where: at('getHot'),
      }),
      atMost(`baseline: ${subject} peak memory`, memory, {
        value: work && work.peakBytes / MIB,
        unit: 'MiB',
        where: null,
      }),
    ];
  });
}

function cowGoals(look: Look): Maybe[] {
  const rate = look.rate.bind(look);
  const at = (workload: Workload) => ({ subject: 'cow', workload, of: 'kv' }) as const;
  const get = { ours: rate('cow', 'getHot'), where: at('getHot') };
  return [
    ratio('cow, random get, hot: lmdb', 1.3, { ...get, other: rate('lmdb', 'getHot') }),
    ratio('cow, random get, hot: the Map', 0.6, { ...get, other: rate('map', 'getHot') }),
    ratio("cow, random put, accepted: lmdb's putSync", 2, {
      ours: rate('cow', 'put'),
      other: rate('lmdb', 'put'),
      where: at('put'),
    }),
    ratio('cow, range of 100: lmdb', 3, {
      ours: rate('cow', 'range'),
      other: rate('lmdb', 'range'),
      where: at('range'),
    }),
  ];
}

function lsmGoals(look: Look): Maybe[] {
  const against = (goal: string, times: number, workload: Workload): Maybe =>
    ratio(goal, times, {
      ours: look.rate('lsm', workload),
      other: look.rate('level', workload),
      where: { subject: 'lsm', workload, of: 'kv' },
    });
  return [
    against("lsm, random get, hot: classic-level's getSync", 1, 'getHot'),
    against('lsm, range of 100: classic-level', 2, 'range'),
    against('lsm, sequential load: classic-level', 1, 'load'),
    against('lsm, random put, one awaited after the other: classic-level', 1, 'put'),
    against('lsm, random put, 64 in flight: classic-level', 1, 'putQueued'),
    atMost('lsm, longest pause of the event loop while it compacts', 10, {
      value: look.pause('lsm')?.pause.maxMs,
      unit: 'ms',
      where: { subject: 'lsm', workload: 'put', of: 'kv' },
    }),
  ];
}

function shared(look: Look): Maybe[] {
  return (['cow', 'lsm', 'embedded_kv'] as const).flatMap((subject) => {
    const at = (workload: Workload) => ({ subject, workload, of: 'kv' as const });
    const kept = look.kv(subject)?.kept;
    const queued = { ours: look.rate(subject, 'durableQueued'), where: at('durableQueued') };
    const one = {
      ours: look.rate(subject, 'durableOne'),
      other: look.rate(subject, 'bareOne'),
      where: at('durableOne'),
    };
    return [
      ratio(`${subject}, durable put, one at a time: the sync floor`, 0.87, one),
      ratio(`${subject}, durable put, 64 in flight: bare groups of 64`, 0.7, {
        ...queued,
        other: look.rate(subject, 'bareGroup'),
      }),
      ratio(`${subject}, durable put, 64 in flight: lmdb`, 3, { ...queued, other: look.rate('lmdb', 'durableQueued') }),
      ratio(`${subject}, durable put, 64 in flight: classic-level`, 10, {
        ...queued,
        other: look.rate('level', 'durableQueued'),
      }),
      atMost(`${subject}, disk after compact()`, 1.5, {
        value: kept ? kept.recover.diskBytes / kept.recover.liveBytes : undefined,
        unit: '× live bytes',
        where: null,
      }),
      atMost(`${subject}, reopen after a clean close`, 50, {
        value: kept ? median(kept.reopen.openMs) : undefined,
        unit: 'ms',
        where: null,
      }),
      atMost(`${subject}, reopen after a kill with 64 MB in the log`, 1_000, {
        value: kept?.recover.openMs,
        unit: 'ms',
        where: null,
      }),
    ];
  });
}

function logGoals(look: Look): Maybe[] {
  return (['cow', 'lsm', 'embedded_kv'] as const).flatMap((subject) => {
    const at = (workload: LogWorkload) => ({ subject, workload, of: 'log' as const });
    const value = (workload: LogWorkload) => ({ value: look.logRate(subject, workload), where: at(workload) });
    const against = (workload: LogWorkload, other: LogWorkload) => ({
      ours: look.logRate(subject, workload),
      other: look.logRate(subject, other),
      where: at(workload),
    });
    const openMs = look.log(subject)?.openMs;
    return [
      ratio(`log on ${subject}, durable append, 64 in flight: bare groups`, 0.4, against('appendQueued', 'bareGroup')),
      ratio(`log on ${subject}, durable append, one at a time: the sync floor`, 0.87, against('appendOne', 'bareOne')),
      atLeast(`log on ${subject}, events read in streams of 100`, 500_000, value('readStream')),
      atLeast(`log on ${subject}, events read raw`, 1_000_000, value('readRaw')),
      atLeast(`log on ${subject}, events read parsed`, 400_000, value('readParsed')),
      atMost(`log on ${subject}, open after a clean close`, 1_000, {
        value: openMs ? Math.max(...openMs.clean) : undefined,
        unit: 'ms',
        where: null,
      }),
      atMost(`log on ${subject}, open after a kill`, 1_000, {
        value: openMs ? Math.max(...openMs.killed) : undefined,
        unit: 'ms',
        where: null,
      }),
    ];
  });
}

function microseconds(perSecond: number | undefined): number | undefined {
  return perSecond === undefined ? undefined : 1e6 / perSecond;
}

/** Formats 1234567 as 1.23M. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (value >= 999_500) return `${(value / 1e6).toFixed(2)}M`;
  if (value >= 9_995) return `${(value / 1e3).toFixed(0)}k`;
  return value >= 1_000 ? `${(value / 1e3).toFixed(1)}k` : value.toFixed(0);
}

/** Formats bytes in MiB or KiB. */
export function size(bytes: number): string {
  return bytes >= MIB ? `${(bytes / MIB).toFixed(0)} MiB` : `${(bytes / KIB).toFixed(0)} KiB`;
}
