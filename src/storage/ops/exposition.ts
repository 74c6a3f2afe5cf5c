/**
 * Writes metric families as Prometheus text or OpenMetrics. prom-client is loaded at the first scrape: a daemon that
 * nobody scrapes never pays for it.
 *
 * - A registry serves one scrape: prom-client renames counters in place when it writes OpenMetrics.
 */
import type { Counter, OpenMetricsContentType, PrometheusContentType } from 'prom-client';
import type { Family, Histogram, Labels } from './meters.ts';

export type Format = 'prometheus' | 'openmetrics';

export interface Exposition {
  readonly contentType: string;
  readonly text: string;
}

export async function expose(families: readonly Family[], format: Format): Promise<Exposition> {
  const { Registry } = (await import('prom-client')).default;
  const registry = new Registry<OpenMetricsContentType | PrometheusContentType>();
  if (format === 'openmetrics') registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  for (const family of families) registry.registerMetric(metricOf(family));
  return { contentType: registry.contentType, text: await registry.metrics() };
}

/** OpenMetrics when the scraper accepts it at least as gladly as plain text. */
export function formatFor(accept: string | undefined): Format {
  const wish = (type: string): number => {
    const part = (accept ?? '').split(',').find((entry) => entry.trim().toLowerCase().startsWith(type));
    if (part === undefined) return 0;
    const quality = /;\s*q=([\d.]+)/i.exec(part)?.[1];
    return quality === undefined ? 1 : Number(quality);
  };
  const open = wish('application/openmetrics-text');
  return open > 0 && open >= wish('text/plain') ? 'openmetrics' : 'prometheus';
}

interface Value {
  readonly metricName?: string;
  readonly labels: Labels;
  readonly value: number;
}

/** What a registry asks of a metric: its head, and its values when written. The types know only the library's own. */
function metricOf(family: Family): Counter {
  const metric = {
    name: family.name,
    help: family.help,
    type: family.kind,
    get: async () => ({ name: metric.name, help: family.help, type: family.kind, values: valuesOf(family) }),
  };
  return metric as unknown as Counter;
}

function valuesOf(family: Family): readonly Value[] {
  if (family.kind !== 'histogram') return family.samples;
  return family.series.flatMap(({ labels, histogram }) => bucketsOf(family.name, labels, histogram));
}

function bucketsOf(name: string, labels: Labels, { bounds, counts, sum }: Histogram): Value[] {
  let count = 0;
  const buckets = [...bounds, Number.POSITIVE_INFINITY].map((bound, at) => {
    count += counts[at]!;
    return { metricName: `${name}_bucket`, labels: { ...labels, le: boundText(bound) }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}

/** Bounds as OpenMetrics writes them, in both formats, so that a series keeps its name whoever scrapes. */
function boundText(bound: number): string {
  if (bound === Number.POSITIVE_INFINITY) return '+Inf';
  return Number.isInteger(bound) ? `${bound}.0` : String(bound);
}
