/** Callers that want the same result at the same time share one run of the work. */
import { addAbortListener } from 'node:events';

export interface SingleFlight<Result> {
  /**
   * Joins the run in flight for the key, or starts `work`. `joined`: another caller started the run.
   *
   * The work's signal is aborted, with the same reason, when the last of its callers has aborted. Every caller gets the
   * outcome of the work, also after its own abort.
   */
  run(
    key: string,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<{ readonly result: Result; readonly joined: boolean }>;
}

interface InFlight<Result> {
  readonly result: Promise<Result>;
  readonly controller: AbortController;
  callers: number;
}

export function createSingleFlight<Result>(): SingleFlight<Result> {
  const inFlight = new Map<string, InFlight<Result>>();

  function start(key: string, work: (signal: AbortSignal) => Promise<Result>): InFlight<Result> {
    const controller = new AbortController();
    const result = work(controller.signal).finally(() => {
      if (inFlight.get(key) === run) inFlight.delete(key);
    });
    const run: InFlight<Result> = { result, controller, callers: 0 };
    inFlight.set(key, run);
    return run;
  }

  return {
    async run(key, signal, work) {
      signal.throwIfAborted();
      const joined = inFlight.has(key);
      const run = inFlight.get(key) ?? start(key, work);
      run.callers += 1;
      using _aborted = addAbortListener(signal, () => {
        run.callers -= 1;
        if (run.callers > 0) return;
        if (inFlight.get(key) === run) inFlight.delete(key);
        run.controller.abort(signal.reason);
      });
      return { result: await run.result, joined };
    },
  };
}
