/**
 * The data of the view: the samples of a time span, loaded again every ten seconds while they are visible, and the
 * reports on a repository.
 */
import { api, type MetricsHistory } from '../../api.ts';
import { resource, resources } from '../../resource.ts';
import type { Line } from './plot.tsx';

const MINUTE_MS = 60_000;
export const RANGES = {
  '15m': 15 * MINUTE_MS,
  '1h': 60 * MINUTE_MS,
  '6h': 360 * MINUTE_MS,
  '24h': 1_440 * MINUTE_MS,
} as const;
export type Range = keyof typeof RANGES;

const POINTS = 360;

export const history = resources<MetricsHistory>(Object.keys(RANGES).length, (range) => ({
  load: () => api.metrics.history({ query: { from: Date.now() - RANGES[range as Range], points: POINTS } }),
  concerns: () => false,
}));

export const store = resource({ load: () => api.storage.stats(), concerns: () => false });

/** A line of the samples by name; a name without samples is an empty line. */
export function lineOf({ at, series }: MetricsHistory, name: string, look: Omit<Line, 'values'>): Line {
  return { ...look, values: series[name] ?? at.map(() => null) };
}

export function providersOf({ series }: MetricsHistory): readonly string[] {
  const names = Object.keys(series).flatMap((name) => /^provider:(.*):calls$/.exec(name)?.[1] ?? []);
  return names.filter((name) => series[`provider:${name}:calls`]!.some((value) => (value ?? 0) > 0)).sort();
}

const REPOSITORIES_KEPT = 10;

interface RepositoryQuery {
  readonly path: string;
  readonly window: number;
  readonly marker: string;
}

/** A report on a repository; path, window and marker are given as in the query of an address. */
export function ofRepository<Report>(load: (query: RepositoryQuery) => Promise<Report>) {
  return resources<Report>(REPOSITORIES_KEPT, (key) => ({
    load: () => {
      const asked = new URLSearchParams(key);
      const field = (name: string): string => asked.get(name) ?? '';
      return load({ path: field('path'), window: Number(field('window')), marker: field('marker') || 'tags' });
    },
    concerns: () => false,
  }));
}

const places = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 });
export const number = (value: number): string => places.format(value);
