/** Figures of the store and the process for the time between two calls, by name; see docs/operations.md. */
import type { EngineStats } from '../engine.ts';
import { residentBytes } from '../machine.ts';
import type { LoopMonitor } from './event-loop.ts';
import type { Metrics } from './metrics.ts';

export interface SamplerParts {
  readonly metrics: Pick<Metrics, HistogramName | 'stats'>;
  readonly loop: LoopMonitor;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Returns the figures of the time since the previous call; no rates when the clock was set back meanwhile. */
export type Sampler = () => Readonly<Record<string, number | null>>;

/** The state of all meters at a time. */
interface Reading extends Record<HistogramName, { readonly counts: Float64Array; readonly sum: number }> {
  readonly at: number;
  readonly cpu: number;
  readonly stats: EngineStats | null;
}

const DURATIONS = { append: 'write', read: 'read', sync: 'sync' } as const;
type HistogramName = (typeof DURATIONS)[keyof typeof DURATIONS] | 'group';
const MEDIAN = 0.5;
const ALMOST_ALL = 0.99;

/** A sampler whose first call covers the time since this one. */
export function createSampler({ metrics, loop, now }: SamplerParts): Sampler {
  let before = readMeters(metrics, now());
  return () => {
    const after = readMeters(metrics, now());
    const seconds = (after.at - before.at) / 1_000;
    const perSecond = (count: number): number | null => (seconds > 0 ? count / seconds : null);
    const { p99Seconds, maxSeconds } = loop.read();
    const { stats } = after;
    const hits = (stats?.cacheHits ?? 0) - (before.stats?.cacheHits ?? 0);
    const lookups = hits + (stats?.cacheMisses ?? 0) - (before.stats?.cacheMisses ?? 0);
    const sample: Record<string, number | null> = {
      group_size: meanOf(before.group, after.group),
      wal_bytes: stats?.walBytes ?? null,
      disk_bytes: stats?.diskBytes ?? null,
      cache_bytes: stats?.cacheBytes ?? null,
      cache_hit_ratio: lookups === 0 ? null : hits / lookups,
      memory_bytes: residentBytes(),
      cpu_ratio: perSecond(after.cpu - before.cpu),
      loop_delay_p99: p99Seconds,
      loop_delay_max: maxSeconds,
    };
    for (const [name, histogram] of Object.entries(DURATIONS)) {
      const counts = countsBetween(before[histogram], after[histogram]);
      sample[`${name}_rate`] = perSecond(sumOf(counts));
      sample[`${name}_p50`] = quantile(metrics[histogram].bounds, counts, MEDIAN);
      sample[`${name}_p99`] = quantile(metrics[histogram].bounds, counts, ALMOST_ALL);
    }
    before = after;
    return sample;
  };
}

function readMeters({ write, read, sync, group, stats }: SamplerParts['metrics'], at: number): Reading {
  const { user, system } = process.cpuUsage();
  const copies = { write: copyOf(write), read: copyOf(read), sync: copyOf(sync), group: copyOf(group) };
  return { at, cpu: (user + system) / 1_000_000, stats: stats(), ...copies };
}

type Counted = Reading[HistogramName];

function copyOf({ counts, sum }: Counted): Counted {
  return { counts: counts.slice(), sum };
}

function countsBetween(before: Counted, after: Counted): readonly number[] {
  return Array.from(after.counts, (count, at) => count - before.counts[at]!);
}

function meanOf(before: Counted, after: Counted): number | null {
  const count = sumOf(countsBetween(before, after));
  return count === 0 ? null : (after.sum - before.sum) / count;
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

/** A quantile of bucketed values, interpolated linearly within its bucket; null without values. */
export function quantile(bounds: readonly number[], counts: readonly number[], share: number): number | null {
  const total = sumOf(counts);
  if (total === 0) return null;
  let seen = 0;
  for (const [index, count] of counts.entries()) {
    if (seen + count >= share * total && count > 0) {
      const low = bounds[index - 1] ?? 0;
      const high = bounds[index] ?? low;
      return low + (high - low) * ((share * total - seen) / count);
    }
    seen += count;
  }
  return bounds.at(-1) ?? null;
}
