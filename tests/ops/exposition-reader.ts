/**
 * A strict parser of Prometheus text (0.0.4) and OpenMetrics (1.0.0), which throws at the first violation of their
 * specifications. Written from the specifications, not from the writer.
 */

export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface ReadFamily {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly series: readonly Series[];
}

const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/;

export function readExposition(text: string, format: 'prometheus' | 'openmetrics'): ReadFamily[] {
  const isOpen = format === 'openmetrics';
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  if (isOpen && !text.endsWith('# EOF\n')) throw new Error('OpenMetrics must end with # EOF');
  const families: { name: string; type: string; help: string; series: Series[] }[] = [];
  const seen = new Set<string>();
  for (const line of text.slice(0, -1).split('\n')) {
    if (line === '# EOF' && isOpen) continue;
    if (line === '') {
      if (isOpen) throw new Error('OpenMetrics has no empty lines');
      continue;
    }
    const comment = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line);
    if (comment !== null) {
      const [, kind, name = '', rest = ''] = comment;
      if (kind === 'HELP') families.push({ name, type: '', help: rest, series: [] });
      else families.at(-1)!.type = rest;
      if (families.at(-1)!.name !== name) throw new Error(`TYPE of ${name} without its HELP`);
      if (kind === 'HELP' && families.filter((family) => family.name === name).length > 1)
        throw new Error(`${name} twice`);
      continue;
    }
    const series = readSample(line);
    const key = JSON.stringify([series.name, Object.entries(series.labels).sort()]);
    if (seen.has(key)) throw new Error(`a series twice: ${line}`);
    seen.add(key);
    const family = families.at(-1);
    if (family === undefined || !belongs(series.name, family, isOpen)) throw new Error(`out of its family: ${line}`);
    family.series.push(series);
  }
  for (const family of families) if (family.type === 'histogram') checkHistogram(family);
  return families;
}

function readSample(line: string): Series {
  const match = SAMPLE.exec(line);
  if (match === null) throw new Error(`no sample: ${line}`);
  const value = match[3] === '+Inf' ? Number.POSITIVE_INFINITY : Number(match[3]);
  if (Number.isNaN(value)) throw new Error(`no number: ${line}`);
  const labels: Record<string, string> = {};
  for (let rest = match[2] ?? ''; rest !== ''; ) {
    const label = LABEL.exec(rest);
    if (label === null) throw new Error(`no label: ${line}`);
    labels[label[1]!] = label[2]!;
    rest = rest.slice(label[0].length);
  }
  return { name: match[1]!, labels, value };
}

function belongs(name: string, { name: family, type }: ReadFamily, isOpen: boolean): boolean {
  if (type === 'histogram') return ['_bucket', '_sum', '_count'].some((suffix) => name === family + suffix);
  return name === (isOpen && type === 'counter' ? `${family}_total` : family);
}

/** Buckets rise, end in +Inf, and agree with the count. */
function checkHistogram({ name, series }: ReadFamily): void {
  const groups = new Map<string, Series[]>();
  for (const one of series) {
    const { le, ...others } = one.labels;
    const key = JSON.stringify(Object.entries(others).sort());
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  for (const group of groups.values()) {
    const buckets = group.filter((one) => one.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels }) => (labels.le === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels.le)));
    const rises = (values: readonly number[], strictly: boolean) =>
      values.every((value, at) => at === 0 || value > values[at - 1]! || (!strictly && value === values[at - 1]));
    if (!rises(bounds, true) || bounds.at(-1) !== Number.POSITIVE_INFINITY) throw new Error(`bounds of ${name}`);
    const counts = buckets.map(({ value }) => value);
    if (!rises(counts, false)) throw new Error(`buckets of ${name} fall`);
    const count = group.find((one) => one.name === `${name}_count`)?.value;
    if (count !== counts.at(-1)) throw new Error(`count of ${name} is ${count}, its last bucket ${counts.at(-1)}`);
    if (!group.some((one) => one.name === `${name}_sum`)) throw new Error(`${name} has no sum`);
  }
}
