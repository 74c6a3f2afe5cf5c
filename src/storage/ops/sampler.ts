/** Figures of the store and the process for the time between two calls, by name; see docs/operations.md. */
import type { LoopMonitor } from './event-loop.ts';
import type { Family, Histogram } from './meters.ts';
import { PREFIX } from './metrics.ts';

export interface SamplerParts {
  readonly families: () => readonly Family[];
  readonly loop: LoopMonitor;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Returns the figures of the time since the previous call. */
export type Sampler = () => Readonly<Record<string, number | null>>;

/** The state of all meters at a time. */
interface Reading {
  readonly at: number;
  readonly cpu: number;
  readonly counts: ReadonlyMap<string, HistogramReading>;
  readonly hits: number;
  readonly misses: number;
}

interface HistogramReading {
  readonly counts: readonly number[];
  readonly sum: number;
}

const HISTOGRAMS = {
  append: 'write_duration_seconds',
  read: 'read_duration_seconds',
  sync: 'fsync_duration_seconds',
  group: 'group_commit_size',
} as const;
const GAUGES = ['wal_bytes', 'disk_bytes', 'cache_bytes'];
const MEDIAN = 0.5;
const ALMOST_ALL = 0.99;

/** A sampler whose first call covers the time since this one. */
export function createSampler({ families, loop, now }: SamplerParts): Sampler {
  let before = readMeters(families(), now());
  return () => {
    const current = families();
    const after = readMeters(current, now());
    const seconds = Math.max(0.001, (after.at - before.at) / 1_000);
    const { p99Seconds, maxSeconds } = loop.read();
    const lookups = after.hits + after.misses - before.hits - before.misses;
    const sample = {
      ...durationsOf(current, { before, after, seconds }),
      ...Object.fromEntries(GAUGES.map((name) => [name, gaugeOf(current, name)])),
      cache_hit_ratio: lookups === 0 ? null : (after.hits - before.hits) / lookups,
      memory_bytes: process.memoryUsage.rss(),
      cpu_ratio: (after.cpu - before.cpu) / seconds,
      loop_delay_p99: p99Seconds,
      loop_delay_max: maxSeconds,
    };
    before = after;
    return sample;
  };
}

function readMeters(families: readonly Family[], at: number): Reading {
  const { user, system } = process.cpuUsage();
  const counts = Object.values(HISTOGRAMS).flatMap((name) => {
    const histogram = histogramOf(families, name);
    return histogram === null ? [] : [[name, { counts: [...histogram.counts], sum: histogram.sum }] as const];
  });
  return {
    at,
    cpu: (user + system) / 1_000_000,
    counts: new Map(counts),
    hits: gaugeOf(families, 'cache_hits_total') ?? 0,
    misses: gaugeOf(families, 'cache_misses_total') ?? 0,
  };
}

function gaugeOf(families: readonly Family[], name: string): number | null {
  const family = families.find((each) => each.name === PREFIX + name);
  return family === undefined || family.kind === 'histogram' ? null : (family.samples[0]?.value ?? null);
}

function histogramOf(families: readonly Family[], name: string): Histogram | null {
  const family = families.find((each) => each.name === PREFIX + name);
  return family?.kind === 'histogram' ? (family.series[0]?.histogram ?? null) : null;
}

interface Span {
  readonly before: Reading;
  readonly after: Reading;
  readonly seconds: number;
}

function durationsOf(families: readonly Family[], { before, after, seconds }: Span): Record<string, number | null> {
  const durations: Record<string, number | null> = {};
  for (const [name, family] of Object.entries(HISTOGRAMS)) {
    const bounds = histogramOf(families, family)?.bounds ?? [];
    const old = before.counts.get(family);
    const counts = (after.counts.get(family)?.counts ?? []).map((count, at) => count - (old?.counts[at] ?? 0));
    const count = counts.reduce((sum, each) => sum + each, 0);
    if (name === 'group') {
      durations.group_size = count === 0 ? null : ((after.counts.get(family)?.sum ?? 0) - (old?.sum ?? 0)) / count;
      continue;
    }
    durations[`${name}_rate`] = count / seconds;
    durations[`${name}_p50`] = quantile(bounds, counts, MEDIAN);
    durations[`${name}_p99`] = quantile(bounds, counts, ALMOST_ALL);
  }
  return durations;
}

/** A quantile of bucketed values, interpolated linearly within its bucket; null without values. */
export function quantile(bounds: readonly number[], counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
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
