/** Aborts a model call when no frame was heard for a while. */

export interface StallGuard {
  /** Aborts with the outer signal, or when nothing was heard for so long. */
  readonly signal: AbortSignal;
  heard(): void;
  stalled(): boolean;
  end(): void;
}

export function stallGuard(ms: number, outer: AbortSignal): StallGuard {
  const controller = new AbortController();
  let stalled = false;
  const give = (): void => {
    stalled = true;
    controller.abort(new Error('The model stalled.'));
  };
  let timer = setTimeout(give, ms);
  return {
    signal: AbortSignal.any([outer, controller.signal]),
    heard() {
      clearTimeout(timer);
      timer = setTimeout(give, ms);
    },
    stalled: () => stalled,
    end: () => clearTimeout(timer),
  };
}
