/**
 * Signals: Ctrl-C, SIGTERM and the end of the terminal (SIGHUP) end commands without an end of their own, Ctrl-Z stops
 * those that draw.
 */
import { constants } from 'node:os';
import { isatty } from 'node:tty';

export const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A signal ended the command. The exit code is that of shells; nothing is said. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly exitCode: number;

  constructor(signal: (typeof ENDING_SIGNALS)[number]) {
    super(`Ended by ${signal}.`);
    this.exitCode = 128 + constants.signals[signal];
  }
}

/** Calls `work` with a signal that an ending signal aborts; its reason is `Interrupted`. */
export async function untilInterrupted<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const stop = new AbortController();
  const abort = (name: (typeof ENDING_SIGNALS)[number]): void => stop.abort(new Interrupted(name));
  for (const name of ENDING_SIGNALS) process.on(name, abort);
  try {
    return await work(stop.signal);
  } finally {
    for (const name of ENDING_SIGNALS) process.off(name, abort);
  }
}

/**
 * Calls `work` when the process ends before the disposal, also by an ending signal, which ends it at the next turn of
 * the event loop.
 */
export function atEndOfProcess(work: () => void): Disposable {
  const end = (signal: (typeof ENDING_SIGNALS)[number]): never => process.exit(new Interrupted(signal).exitCode);
  process.on('exit', work);
  for (const name of ENDING_SIGNALS) process.on(name, end);
  return {
    [Symbol.dispose]() {
      process.off('exit', work);
      for (const name of ENDING_SIGNALS) process.off(name, end);
    },
  };
}

/** Descriptors of the standard streams. */
const STANDARD_STREAMS = [0, 1, 2];

/**
 * Calls back with each request to stop a server: SIGTERM, Ctrl-C, and the end of a terminal that it was started on. The
 * listeners stay for the life of the process, so that a further signal does not end it before its stop.
 */
export function onStopRequest(callback: () => void): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, callback);
  // Node does not keep SIGHUP ignored, as nohup starts it. A terminal that has ended is no terminal any more.
  const hasTerminal = STANDARD_STREAMS.some((stream) => isatty(stream));
  process.on('SIGHUP', () => hasTerminal && callback());
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

/** For `Client.follow`: reports on stderr why nothing comes for now. */
export function sayInterrupted(reason: string): void {
  process.stderr.write(`daybook: stream interrupted (${reason}); it goes on when it can\n`);
}
