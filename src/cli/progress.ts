/**
 * A progress bar on standard error for long operations; nothing when standard error is no terminal, or a dumb one.
 *
 * - The bar appears half a second after the start, so that short operations show none.
 * - The bar hides the cursor and turns off line wrapping; signals that end or stop the process restore both first.
 */
import { Presets, SingleBar } from 'cli-progress';
import { aroundStop, ENDING_SIGNALS } from './interrupt.ts';
import { canDraw, duration } from './text.ts';

export interface Progress extends Disposable {
  at(done: number, total: number): void;
  /** Clears the bar; idempotent. */
  end(): void;
}

const DELAY_MS = 500;

const NONE: Progress = { at: () => undefined, end: () => undefined, [Symbol.dispose]: () => undefined };

export function createProgress(label: string): Progress {
  if (!canDraw(process.stderr)) return NONE;
  const began = Date.now();
  const timeLeft = createTimeLeft();
  let bar: SingleBar | null = null;
  let stops: Disposable | null = null;
  let latest: { readonly done: number; readonly total: number } | null = null;
  const show = (): void => {
    if (latest === null) return;
    const { done, total } = latest;
    if (bar === null) {
      bar = barOf(label);
      bar.start(total, done, { left: '' });
      for (const signal of ENDING_SIGNALS) process.on(signal, onSignal);
      stops ??= aroundStop({ release: clear, restore: show });
    }
    bar.update(done, { left: timeLeft(done, total) });
  };
  // An operation that waits for another program may report nothing for long.
  const delay = setTimeout(show, DELAY_MS).unref();
  const clear = (): void => {
    bar?.stop();
    bar = null;
    for (const signal of ENDING_SIGNALS) process.off(signal, onSignal);
  };
  const end = (): void => {
    clearTimeout(delay);
    stops?.[Symbol.dispose]();
    clear();
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    end();
    // This listener suppressed the default action of the signal. With another listener, that one decides.
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  return {
    at(done, total) {
      latest = { done, total };
      if (Date.now() - began >= DELAY_MS) show();
    },
    end,
    [Symbol.dispose]: end,
  };
}

function barOf(label: string): SingleBar {
  const format = `${label} {bar} {percentage} % · {value} of {total}{left}`;
  return new SingleBar(
    { format, stream: process.stderr, clearOnComplete: true, hideCursor: true },
    Presets.shades_classic,
  );
}

/** The estimated time for the rest, from the rate since the first report; empty before there is a rate. */
function createTimeLeft(): (done: number, total: number) => string {
  let first: { readonly at: number; readonly done: number } | null = null;
  return (done, total) => {
    const now = Date.now();
    first ??= { at: now, done };
    const rate = (done - first.done) / Math.max(1, now - first.at);
    return rate > 0 ? ` · ${duration(Math.max(0, total - done) / rate)} left` : '';
  };
}
