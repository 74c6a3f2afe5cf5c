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
      if (held.has(id)) return;
      if (held.size < max) {
        held.add(id);
        return;
      }
      await new Promise<void>((resolve, reject) => {
        const entry = { id, grant: resolve };
        queue.push(entry);
        signal.addEventListener(
          'abort',
          () => {
            const index = queue.indexOf(entry);
            if (index >= 0) queue.splice(index, 1);
            reject(signal.reason);
          },
          { once: true },
        );
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
