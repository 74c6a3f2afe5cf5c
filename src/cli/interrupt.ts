/** Ends commands without an end of their own by Ctrl-C or SIGTERM. */

/** Exit code of a command that Ctrl-C ends before its end, as shells have it. */
export const INTERRUPTED_EXIT_CODE = 130;

/** Calls `work` with a signal that Ctrl-C and SIGTERM abort. */
export async function untilInterrupted(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, abort);
  try {
    await work(stop.signal);
  } finally {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, abort);
  }
}

/** For `Client.follow`: reports a lost connection on stderr. */
export function sayInterrupted(reason: string): void {
  process.stderr.write(`daybook: connection lost (${reason}); connecting again\n`);
}
