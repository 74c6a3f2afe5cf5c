/** Spreads deferrable work over frames, one task each, so that the page can respond between two of them. */

const waiting = new Set<() => void>();
let isScheduled = false;

/** Runs the task in a later frame; the returned function cancels it. A hidden page runs none. */
export function inOwnFrame(task: () => void): () => void {
  waiting.add(task);
  schedule();
  return () => void waiting.delete(task);
}

function schedule(): void {
  if (isScheduled || waiting.size === 0) return;
  isScheduled = true;
  // The task runs after the frame is painted.
  requestAnimationFrame(() => setTimeout(runOne));
}

function runOne(): void {
  isScheduled = false;
  const [task] = waiting;
  if (task === undefined) return;
  waiting.delete(task);
  task();
  schedule();
}
