/**
 * A read-write lock: shared sections run side by side, an exclusive section runs alone.
 *
 * - First come, first served: an exclusive section waits for every section before it, and every later section waits
 *   for it.
 */
export interface ReadWriteLock {
  exclusive<Result>(work: () => Promise<Result>): Promise<Result>;
  shared<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Exclusive sections begun so far. While the number stays the same, only shared sections have written. */
  exclusiveCount(): number;
}

export function createReadWriteLock(): ReadWriteLock {
  /** The end of the last exclusive section; never rejects. */
  let lastExclusive: Promise<unknown> = Promise.resolve();
  const sharedSections = new Set<Promise<unknown>>();
  let count = 0;
  return {
    exclusive(work) {
      const section = Promise.allSettled([lastExclusive, ...sharedSections]).then(() => {
        count += 1;
        return work();
      });
      lastExclusive = section.catch(() => undefined);
      return section;
    },
    shared(work) {
      const section = lastExclusive.then(work);
      const ended: Promise<unknown> = section.then(
        () => sharedSections.delete(ended),
        () => sharedSections.delete(ended),
      );
      sharedSections.add(ended);
      return section;
    },
    exclusiveCount: () => count,
  };
}
