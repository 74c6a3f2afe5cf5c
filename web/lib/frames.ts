/** Work that can wait, in pieces: one task a frame, so that a person is answered between two of them. */

const waiting = new Set<() => void>();
let isScheduled = false;

/** Runs the task in a frame to come; the returned function takes it back. A hidden page runs none. */
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
