/** Ends commands without an end of their own by Ctrl-C or SIGTERM. */
import { constants } from 'node:os';

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

/**
 * Calls `work` when the process ends before the disposal, also by Ctrl-C or SIGTERM, which end it at the next turn of
 * the event loop.
 */
export function atEndOfProcess(work: () => void): Disposable {
  const end = (signal: 'SIGINT' | 'SIGTERM'): never => process.exit(128 + constants.signals[signal]);
  process.on('exit', work).on('SIGINT', end).on('SIGTERM', end);
  return {
    [Symbol.dispose]() {
      process.off('exit', work).off('SIGINT', end).off('SIGTERM', end);
    },
  };
}

/** For `Client.follow`: reports on stderr that a connection was lost or refused. */
export function sayInterrupted(reason: string): void {
  process.stderr.write(`daybook: stream interrupted (${reason}); connecting again\n`);
}
