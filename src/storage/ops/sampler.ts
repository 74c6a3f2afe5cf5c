/** What happened in the store and the process between two calls, as numbers by name; see docs/operations.md. */
import type { LoopMonitor } from './event-loop.ts';
import type { Family, Histogram } from './meters.ts';

export interface SamplerParts {
  readonly families: () => readonly Family[];
  readonly loop: LoopMonitor;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Each call answers what happened since the one before. */
export type Sampler = () => Readonly<Record<string, number | null>>;

interface Before {
  readonly at: number;
  readonly cpu: number;
  readonly counts: ReadonlyMap<string, Counted>;
  readonly hits: number;
  readonly misses: number;
}

interface Counted {
  readonly counts: readonly number[];
  readonly sum: number;
}

const PREFIX = 'daybook_storage_';
const HISTOGRAMS = {
  append: 'write_duration_seconds',
  read: 'read_duration_seconds',
  sync: 'fsync_duration_seconds',
  group: 'group_commit_size',
} as const;
const GAUGES = { wal_bytes: 'wal_bytes', disk_bytes: 'disk_bytes', cache_bytes: 'cache_bytes' } as const;
const MEDIAN = 0.5;
const ALMOST_ALL = 0.99;

export function createSampler({ families, loop, now }: SamplerParts): Sampler {
  let before = lookAt(families(), now());
  return () => {
    const current = families();
    const after = lookAt(current, now());
    const seconds = Math.max(0.001, (after.at - before.at) / 1_000);
    const { p99Seconds, maxSeconds } = loop.read();
    const asked = after.hits + after.misses - before.hits - before.misses;
    const sample = {
      ...durationsOf(current, { before, after, seconds }),
      ...Object.fromEntries(Object.entries(GAUGES).map(([name, family]) => [name, gaugeOf(current, family)])),
      cache_hit_ratio: asked === 0 ? null : (after.hits - before.hits) / asked,
      memory_bytes: process.memoryUsage.rss(),
      cpu_ratio: (after.cpu - before.cpu) / seconds,
      loop_delay_p99: p99Seconds,
      loop_delay_max: maxSeconds,
    };
    before = after;
    return sample;
  };
}

function lookAt(families: readonly Family[], at: number): Before {
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
  readonly before: Before;
  readonly after: Before;
  readonly seconds: number;
}

function durationsOf(families: readonly Family[], { before, after, seconds }: Span): Record<string, number | null> {
  const found: Record<string, number | null> = {};
  for (const [name, family] of Object.entries(HISTOGRAMS)) {
    const bounds = histogramOf(families, family)?.bounds ?? [];
    const old = before.counts.get(family);
    const counts = (after.counts.get(family)?.counts ?? []).map((count, at) => count - (old?.counts[at] ?? 0));
    const count = counts.reduce((sum, each) => sum + each, 0);
    if (name === 'group') {
      found.group_size = count === 0 ? null : ((after.counts.get(family)?.sum ?? 0) - (old?.sum ?? 0)) / count;
      continue;
    }
    found[`${name}_rate`] = count / seconds;
    found[`${name}_p50`] = quantile(bounds, counts, MEDIAN);
    found[`${name}_p99`] = quantile(bounds, counts, ALMOST_ALL);
  }
  return found;
}

/** A quantile of what fell into buckets, on a straight line within its bucket; null when nothing did. */
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
