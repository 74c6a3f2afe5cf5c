/**
 * A progress bar on standard error for what takes long; nothing at all when no terminal is there.
 *
 * - The bar hides the cursor and turns off the wrapping of lines: whatever ends the process gives both back first.
 */
import { Presets, SingleBar } from 'cli-progress';
import { duration } from './text.ts';

export interface Progress {
  at(done: number, total: number): void;
  /** Wipes the bar; idempotent. */
  end(): void;
}

/** What is done sooner than this shows no bar. */
const PATIENCE_MS = 500;
const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export function createProgress(what: string): Progress {
  if (!process.stderr.isTTY) return { at: () => undefined, end: () => undefined };
  const began = Date.now();
  const left = leftAtPace();
  let bar: SingleBar | null = null;
  const end = (): void => {
    bar?.stop();
    bar = null;
    for (const signal of ENDING) process.off(signal, onSignal);
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    end();
    // Without this listener the signal would have ended the process; another listener knows better.
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  return {
    at(done, total) {
      if (bar === null) {
        if (Date.now() - began < PATIENCE_MS) return;
        bar = barOf(what);
        bar.start(total, done, { left: '' });
        for (const signal of ENDING) process.on(signal, onSignal);
      }
      bar.update(done, { left: left(done, total) });
    },
    end,
  };
}

function barOf(what: string): SingleBar {
  const format = `${what} {bar} {percentage} % · {value} of {total}{left}`;
  return new SingleBar(
    { format, stream: process.stderr, clearOnComplete: true, hideCursor: true },
    Presets.shades_classic,
  );
}

/** How long the rest will take at the pace since the first report; nothing before there is a pace. */
function leftAtPace(): (done: number, total: number) => string {
  let first: { readonly at: number; readonly done: number } | null = null;
  return (done, total) => {
    const now = Date.now();
    first ??= { at: now, done };
    const pace = (done - first.done) / Math.max(1, now - first.at);
    return pace > 0 ? ` · ${duration(Math.max(0, total - done) / pace)} left` : '';
  };
}
