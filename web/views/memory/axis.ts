/** The time axis of the facts: linear, but long stretches without a change are drawn shorter. */
import { axis } from '../../lib/axis.ts';

const DAY_SECONDS = 86_400;
/** A stretch is drawn with at most this many times the length of the median one. */
const LENGTH_MAX = 10;

export interface FactAxis {
  /** The place of a time in seconds, from 0 to 1. */
  at(seconds: number): number;
  readonly isShortened: boolean;
}

/** The axis from the first to the last of these times. */
export function factAxis(of: readonly number[]): FactAxis {
  const times = [...new Set(of)].sort((one, other) => one - other);
  const stretches = times.slice(1).map((to, index) => to - times[index]!);
  // Facts that are told one after the other and have no date change within seconds.
  const days = stretches.filter((each) => each >= DAY_SECONDS).sort((one, other) => one - other);
  const longest = LENGTH_MAX * (days[Math.floor(days.length / 2)] ?? Infinity);
  return {
    at: axis(
      times,
      stretches.map((each) => Math.min(each, longest)),
    ),
    isShortened: stretches.some((each) => each > longest),
  };
}
