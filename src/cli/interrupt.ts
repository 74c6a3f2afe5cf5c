/** Signals of the terminal: Ctrl-C ends commands without an end of their own, Ctrl-Z stops those that draw. */
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

/**
 * Gives the terminal back while Ctrl-Z has stopped this process: calls `release` before it stops, and `restore` when it
 * goes on. A process that no shell can continue is not stopped by the system, and goes on at once.
 */
export function aroundStop({ release, restore }: { release(): void; restore(): void }): Disposable {
  let isDisposed = false;
  const stop = (): void => {
    release();
    process.off('SIGTSTP', stop);
    process.kill(process.pid, 'SIGTSTP');
    setImmediate(() => {
      if (isDisposed) return;
      process.on('SIGTSTP', stop);
      restore();
    });
  };
  process.on('SIGTSTP', stop);
  return {
    [Symbol.dispose]() {
      isDisposed = true;
      process.off('SIGTSTP', stop);
    },
  };
}

/** For `Client.follow`: reports on stderr that a connection was lost or refused. */
export function sayInterrupted(reason: string): void {
  process.stderr.write(`daybook: stream interrupted (${reason}); connecting again\n`);
}
