/** A progress bar on standard error for what takes long; nothing at all when no terminal is there. */
import { Presets, SingleBar } from 'cli-progress';

export interface Progress {
  at(done: number, total: number): void;
  /** Wipes the bar; idempotent. */
  end(): void;
}

/** What is done sooner than this shows no bar. */
const PATIENCE_MS = 500;

export function createProgress(what: string): Progress {
  if (!process.stderr.isTTY) return { at: () => undefined, end: () => undefined };
  const began = Date.now();
  let bar: SingleBar | null = null;
  return {
    at(done, total) {
      if (bar === null) {
        if (Date.now() - began < PATIENCE_MS) return;
        const format = `${what} {bar} {percentage} % · {value} of {total} · {eta_formatted} left`;
        bar = new SingleBar(
          { format, stream: process.stderr, clearOnComplete: true, hideCursor: true },
          Presets.shades_classic,
        );
        bar.start(total, done);
      }
      bar.update(done);
    },
    end() {
      bar?.stop();
      bar = null;
    },
  };
}
