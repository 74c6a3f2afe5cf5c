/** Deployments over the window, and commits by lead time, as the bars of a plot. */
import type { DoraReport } from './schemas.ts';

export interface Bar {
  /** Text below the bar; empty for no label. */
  readonly label: string;
  readonly value: number;
  /** The part of the value that is drawn hatched. */
  readonly marked: number;
}

const BARS_MAX = 53;
const DAY_SECONDS = 86_400;

export function daysPerBar({ window_days: days }: DoraReport): number {
  return Math.ceil(days / BARS_MAX);
}

/** Equal parts of the window; deployments after its end count for the last part. First, middle and last have labels. */
export function deploymentBars(dora: DoraReport): readonly Bar[] {
  const seconds = daysPerBar(dora) * DAY_SECONDS;
  const count = Math.ceil((dora.window_days * DAY_SECONDS) / seconds);
  const values = new Array<number>(count).fill(0);
  const marked = new Array<number>(count).fill(0);
  for (const { at, followed_by_remediation: failed } of dora.deployments) {
    const bucket = Math.min(count - 1, Math.floor((at - dora.since) / seconds));
    values[bucket]! += 1;
    if (failed) marked[bucket]! += 1;
  }
  const labelled = new Set([0, Math.floor(count / 2), count - 1]);
  return values.map((value, index) => ({
    value,
    marked: marked[index]!,
    label: labelled.has(index) ? day(dora.since + index * seconds) : '',
  }));
}

const LEAD_BUCKETS: readonly (readonly [hoursBelow: number, label: string])[] = [
  [1, '< 1 h'],
  [4, '< 4 h'],
  [24, '< 1 d'],
  [72, '< 3 d'],
  [168, '< 1 wk'],
  [336, '< 2 wk'],
  [720, '< 30 d'],
  [2_160, '< 90 d'],
  [Number.POSITIVE_INFINITY, 'longer'],
];

/** Commits by their lead time. `sorted`: hours, ascending. */
export function leadBars(sorted: readonly number[]): readonly Bar[] {
  let from = 0;
  return LEAD_BUCKETS.map(([below, label]) => {
    const next = sorted.findIndex((value, index) => index >= from && value >= below);
    const end = next < 0 ? sorted.length : next;
    const value = end - from;
    from = end;
    return { label, value, marked: 0 };
  });
}

/** A date of a Unix time in seconds. */
export function day(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().slice(0, 10);
}
