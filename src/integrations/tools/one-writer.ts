/** One writer of a file at a time, whichever runs they work for: what one read is still there when it writes. */

/** The end of the newest work on each file that is being written, by its real path. */
const newest = new Map<string, Promise<unknown>>();

/** Work on the same path follows one by one, in the order it was asked for; a failure is only its own. */
export async function asOnlyWriter<Value>(absolute: string, work: () => Promise<Value>): Promise<Value> {
  const before = newest.get(absolute);
  const mine = before === undefined ? work() : before.then(work, work);
  newest.set(absolute, mine);
  try {
    return await mine;
  } finally {
    if (newest.get(absolute) === mine) newest.delete(absolute);
  }
}
