/** The time axis of a run: linear during work; long waits are drawn shorter. */
import { axis } from '../lib/axis.ts';
import type { Span } from './fold.ts';

export interface Scale {
  /** The position of a time, from 0 to 1. */
  at(time: number): number;
  /** Whether waits are drawn shorter than they were. */
  readonly isShortened: boolean;
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
  const isLong = ({ from, to, works }: (typeof intervals)[number]): boolean => !works && to - from > waitMax;
  return {
    isShortened: intervals.some(isLong),
    at: axis(
      times,
      intervals.map((each) => (isLong(each) ? waitMax : each.to - each.from)),
    ),
  };
}
