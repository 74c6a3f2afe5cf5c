/**
 * Distinguishes a busy daemon from one that hangs. While no data arrives, the probe sends the daemon a small request
 * from time to time; any response proves that it is alive. Idle streams and long operations are therefore not cut off.
 */

/** Before a response: longer than the daemon holds a long poll for the progress of an operation. */
export const RESPONSE_SILENCE_MS = 3_000;
/** Within a stream: longer than the time between two keep-alives. */
export const STREAM_SILENCE_MS = 20_000;
export const PROBE_TIMEOUT_MS = 5_000;
export const PROBE_INTERVAL_MS = 15_000;

export interface LivenessProbe {
  /** Aborted with the error of `lost` when the daemon does not respond to a probe. */
  readonly signal: AbortSignal;
  /** Starts probing when nothing is received for `silenceMs`. */
  watch(url: string, silenceMs: number): void;
  /** Data arrived: the silence starts again. */
  received(): void;
  stop(): void;
}

export function createLivenessProbe(lost: () => Error): LivenessProbe {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let restart = (): void => {};
  /** Increases with everything received, so that the result of an older probe is ignored. */
  let generation = 0;

  async function probe(url: string): Promise<void> {
    const startedIn = generation;
    const isAlive = await responds(url);
    if (startedIn !== generation) return;
    if (isAlive) timer = setTimeout(probe, PROBE_INTERVAL_MS, url);
    else controller.abort(lost());
  }

  function stop(): void {
    generation += 1;
    clearTimeout(timer);
  }

  return {
    signal: controller.signal,
    watch(url, silenceMs) {
      restart = () => {
        stop();
        timer = setTimeout(probe, silenceMs, url);
      };
      restart();
    },
    received: () => restart(),
    stop,
  };
}

/** OPTIONS needs no route and no credential and counts against no rate limit. */
async function responds(url: string): Promise<boolean> {
  const late = new AbortController();
  const timeout = setTimeout(() => late.abort(), PROBE_TIMEOUT_MS);
  try {
    await fetch(url, { method: 'OPTIONS', signal: late.signal });
    return true;
  } catch {
    return false;
  } finally {
    clearTimeout(timeout);
  }
}
