/** A few places for work at once and a short queue for the rest; who comes when both are full is told so. */

export interface Slots {
  /** Takes a place in the house, running or waiting, and answers how to give it back; null when there is none. */
  enter(): (() => void) | null;
  /** Waits for a place to run and answers how to give it back. Rejects with the signal's reason. */
  run(signal: AbortSignal): Promise<() => void>;
}

export function createSlots({ runningMax, waitingMax }: { runningMax: number; waitingMax: number }): Slots {
  let inside = 0;
  let running = 0;
  const waiting: (() => void)[] = [];

  /** A place is handed to who waits: nobody who comes meanwhile can take it. */
  function release(): void {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }

  return {
    enter() {
      if (inside >= runningMax + waitingMax) return null;
      inside += 1;
      return once(() => {
        inside -= 1;
      });
    },
    async run(signal) {
      signal.throwIfAborted();
      if (running < runningMax) running += 1;
      else await turn(waiting, signal);
      return once(release);
    },
  };
}

function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    work();
  };
}

function turn(waiting: (() => void)[], signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const leave = (): void => {
    const at = waiting.indexOf(resolve);
    if (at < 0) return;
    waiting.splice(at, 1);
    reject(signal.reason);
  };
  waiting.push(resolve);
  signal.addEventListener('abort', leave, { once: true });
  return promise.finally(() => signal.removeEventListener('abort', leave));
}
