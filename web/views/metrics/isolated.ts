/** The places of values without a neighbour: a line through them has no length, so they are drawn as points. */
export function isolated(values: ArrayLike<number | null | undefined>): readonly number[] {
  const isKnown = (index: number): boolean => values[index] != null;
  return Array.from(values, (_, index) => index).filter(
    (index) => isKnown(index) && !isKnown(index - 1) && !isKnown(index + 1),
  );
}
