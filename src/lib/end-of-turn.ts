/** Lets work of one turn of the event loop finish together. */

let pending: Promise<void> | null = null;

/** Resolves at the end of this turn of the event loop, after its input and output, for all callers at once. */
export function endOfTurn(): Promise<void> {
  pending ??= new Promise((ended) => {
    setImmediate(() => {
      pending = null;
      ended();
    });
  });
  return pending;
}
