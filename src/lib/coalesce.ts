/**
 * Coalesces reads of a changing source: per key one run at a time, and all calls that arrive during a run share the
 * next.
 *
 * - A run that answers a call begins after the call, so its result is never older than the call.
 */

export type Coalescer<Result> = (key: string, work: () => Promise<Result>) => Promise<Result>;

interface Runs<Result> {
  /** Settles, always fulfilled, with the newest run. */
  last: Promise<unknown>;
  /** The run that has not begun yet. */
  next: Promise<Result> | null;
}

export function createCoalescer<Result>(): Coalescer<Result> {
  const byKey = new Map<string, Runs<Result>>();
  return (key, work) => {
    const runs = byKey.get(key) ?? { last: Promise.resolve(), next: null };
    byKey.set(key, runs);
    if (runs.next !== null) return runs.next;
    const next = runs.last.then(() => {
      runs.next = null;
      return work();
    });
    const settled = Promise.allSettled([next]);
    runs.next = next;
    runs.last = settled;
    void settled.then(() => {
      if (runs.last === settled && runs.next === null) byKey.delete(key);
    });
    return next;
  };
}
