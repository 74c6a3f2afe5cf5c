/** What a plot needs to know of its samples. */

/** The places of values without a neighbour: a line through them has no length, so they are drawn as points. */
export function isolated(values: ArrayLike<number | null | undefined>): readonly number[] {
  const isKnown = (index: number): boolean => values[index] != null;
  return Array.from(values, (_, index) => index).filter(
    (index) => isKnown(index) && !isKnown(index - 1) && !isKnown(index + 1),
  );
}

interface Times {
  /** The longest time before now that is shown. */
  readonly span: number;
  /** The time of the first sample; null without one. */
  readonly first: number | null;
  readonly now: number;
}

const MINUTE = 60;

/** The first and the last time that a plot shows, in seconds: at least a minute, and no more than there are samples of. */
export function visibleTimes({ span, first, now }: Times): [from: number, to: number] {
  const oneMinute = now - MINUTE;
  return [Math.max(now - span, Math.min(first ?? oneMinute, oneMinute)), now];
}
