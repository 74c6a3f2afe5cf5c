/** A semaphore by stream id: a fixed number of slots, granted in order of arrival and held until released. */

export interface Slots {
  /** Resolves when the stream holds a slot; at once if it already does. Rejects with the signal's reason on abort. */
  acquire(id: string, signal: AbortSignal): Promise<void>;
  release(id: string): void;
}

export function createSlots(max: number): Slots {
  const held = new Set<string>();
  const queue: { readonly id: string; readonly grant: () => void }[] = [];
  return {
    async acquire(id, signal) {
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
        const entry = { id, grant };
        queue.push(entry);
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
