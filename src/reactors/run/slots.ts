/**
 * A semaphore by stream id: a fixed number of slots, each held until released. Streams that have begun come first, then
 * the order of arrival.
 */

export interface Place {
  /** Whether the stream held a slot before, and released it to wait for something else. */
  readonly hasBegun: boolean;
  /** Leaves the queue. */
  readonly signal: AbortSignal;
}

export interface Slots {
  /** Resolves when the stream holds a slot; at once if it already does. Rejects with the signal's reason on abort. */
  acquire(id: string, place: Place): Promise<void>;
  release(id: string): void;
}

export function createSlots(max: number): Slots {
  const held = new Set<string>();
  const queue: { readonly id: string; readonly hasBegun: boolean; readonly grant: () => void }[] = [];
  return {
    async acquire(id, { hasBegun, signal }) {
      signal.throwIfAborted();
      if (held.has(id)) return;
      if (held.size < max) {
        held.add(id);
        return;
      }
      await new Promise<void>((resolve, reject) => {
        const leave = (): void => {
          queue.splice(queue.indexOf(entry), 1);
          reject(signal.reason);
        };
        const grant = (): void => {
          signal.removeEventListener('abort', leave);
          resolve();
        };
        const entry = { id, hasBegun, grant };
        const behind = hasBegun ? queue.findIndex((other) => !other.hasBegun) : -1;
        queue.splice(behind < 0 ? queue.length : behind, 0, entry);
        signal.addEventListener('abort', leave, { once: true });
      });
    },
    release(id) {
      if (!held.delete(id)) return;
      const next = queue.shift();
      if (next === undefined) return;
      held.add(next.id);
      next.grant();
    },
  };
}
