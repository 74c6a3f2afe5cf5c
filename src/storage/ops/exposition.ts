/**
 * Renders metric families as Prometheus text or OpenMetrics. prom-client is loaded at the first scrape, so it costs
 * nothing without one.
 *
 * - Each scrape uses a new registry: prom-client renames counters in place when it renders OpenMetrics.
 */
import type { Counter, OpenMetricsContentType, PrometheusContentType } from 'prom-client';
import type { Family, Histogram, Labels } from './meters.ts';

export type Format = 'prometheus' | 'openmetrics';

export interface Exposition {
  readonly contentType: string;
  readonly text: string;
}

/** The families as a text, and its content type. */
export async function expose(families: readonly Family[], format: Format): Promise<Exposition> {
  const { Registry } = (await import('prom-client')).default;
  const registry = new Registry<OpenMetricsContentType | PrometheusContentType>();
  if (format === 'openmetrics') registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  for (const family of families) registry.registerMetric(metricOf(family));
  return { contentType: registry.contentType, text: await registry.metrics() };
}

/** OpenMetrics when the Accept header gives it at least the quality of plain text. */
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

/**
 * The part of a metric that a registry uses: name, help, type and values. The library's types require its own classes.
 */
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

/** Bounds in the form of OpenMetrics for both formats, so that a series has the same labels in both. */
function boundText(bound: number): string {
  if (bound === Number.POSITIVE_INFINITY) return '+Inf';
  return Number.isInteger(bound) ? `${bound}.0` : String(bound);
}
