/** The time axis of a run: linear during work; long waits are drawn shorter. */
import type { Span } from './fold.ts';

export interface Scale {
  /** The position of a time, from 0 to 1. */
  at(time: number): number;
  /** Waits that are drawn shorter than they were. */
  readonly shortened: readonly { readonly from: number; readonly to: number }[];
}

/** A wait is drawn with at most this share of the working time. */
const WAIT_PART_MAX = 0.12;
const WAIT_MS_MIN = 200;

export function timeScale(spans: readonly Span[], end: number): Scale {
  const times = [...new Set(spans.flatMap(({ from, to }) => [from, Math.min(to ?? end, end)]))].sort((a, b) => a - b);
  const busy = spans.filter(({ lane }) => lane !== 'wait');
  const intervals = times.slice(1).map((to, index) => {
    const from = times[index]!;
    return { from, to, works: busy.some((span) => span.from < to && (span.to ?? end) > from) };
  });
  const worked = intervals.reduce((sum, { from, to, works }) => sum + (works ? to - from : 0), 0);
  const waitMax = Math.max(WAIT_MS_MIN, worked * WAIT_PART_MAX);
  const places: number[] = [0];
  const shortened: { from: number; to: number }[] = [];
  for (const { from, to, works } of intervals) {
    const isLong = !works && to - from > waitMax;
    if (isLong) shortened.push({ from, to });
    places.push(places.at(-1)! + (isLong ? waitMax : to - from));
  }
  const total = places.at(-1)! || 1;
  return {
    shortened,
    at(time) {
      if (times.length === 0) return 0;
      const after = times.findIndex((each) => each >= time);
      if (after === 0) return 0;
      if (after < 0) return 1;
      const from = times[after - 1]!;
      const part = (time - from) / (times[after]! - from || 1);
      return (places[after - 1]! + part * (places[after]! - places[after - 1]!)) / total;
    },
  };
}
