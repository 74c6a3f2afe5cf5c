/**
 * Signals: Ctrl-C, SIGTERM and the end of the terminal (SIGHUP) end commands without an end of their own, Ctrl-Z stops
 * those that draw. A command none of whose standard streams is a terminal does not end with one.
 */
import { constants } from 'node:os';
import { isatty } from 'node:tty';

/** Descriptors of the standard streams. */
const STANDARD_STREAMS = [0, 1, 2];
/** Of the start: a terminal that has ended is no terminal any more. */
const hasTerminal = STANDARD_STREAMS.some((stream) => isatty(stream));

type EndingSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

export const ENDING_SIGNALS: readonly EndingSignal[] = hasTerminal
  ? ['SIGINT', 'SIGTERM', 'SIGHUP']
  : ['SIGINT', 'SIGTERM'];

/** Keeps the process through the end of a terminal that it does not use, as `nohup` asks: Node does not do so itself. */
export function ignoringHangUp(): Disposable {
  const ignore = (): void => undefined;
  if (!hasTerminal) process.on('SIGHUP', ignore);
  return { [Symbol.dispose]: () => void process.off('SIGHUP', ignore) };
}

/** A signal ended the command. The exit code is that of shells; nothing is said. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly exitCode: number;

  constructor(signal: EndingSignal) {
    super(`Ended by ${signal}.`);
    this.exitCode = 128 + constants.signals[signal];
  }
}

/** Calls `work` with a signal that an ending signal aborts; its reason is `Interrupted`. */
export async function untilInterrupted<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const stop = new AbortController();
  const abort = (name: EndingSignal): void => stop.abort(new Interrupted(name));
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
  const end = (signal: EndingSignal): never => process.exit(new Interrupted(signal).exitCode);
  process.on('exit', work);
  for (const name of ENDING_SIGNALS) process.on(name, end);
  return {
    [Symbol.dispose]() {
      process.off('exit', work);
      for (const name of ENDING_SIGNALS) process.off(name, end);
    },
  };
}

/**
 * Calls back with each request to stop a server. The listeners stay for the life of the process, so that a further
 * signal does not end it before its stop.
 */
export function onStopRequest(callback: () => void): void {
  for (const signal of ENDING_SIGNALS) process.on(signal, callback);
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
