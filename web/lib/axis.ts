/**
 * The place of a time on an axis, from 0 to 1. `times` are in order; `lengths` are those of the stretches between them,
 * which need not be as long as they took.
 */
export function axis(times: readonly number[], lengths: readonly number[]): (time: number) => number {
  const places = [0];
  for (const length of lengths) places.push(places.at(-1)! + length);
  const total = places.at(-1)! || 1;
  return (time) => {
    const after = times.findIndex((each) => each >= time);
    if (after === 0 || times.length === 0) return 0;
    if (after < 0) return 1;
    const from = times[after - 1]!;
    const part = (time - from) / (times[after]! - from);
    return (places[after - 1]! + part * lengths[after - 1]!) / total;
  };
}
