/**
 * Tells a daemon that is busy from one that hangs. While nothing comes the daemon is asked for any answer now and then;
 * whatever it answers will do. Streams may be idle for as long as they like, and work may take its time.
 */

/** Of an answer: longer than the daemon lets a request wait that asks how far an operation is. */
export const ANSWER_SILENCE_MS = 3_000;
/** Of a stream: longer than the time between two keep-alives. */
export const STREAM_SILENCE_MS = 20_000;
const ANSWER_MS_MAX = 5_000;
const AGAIN_MS = 15_000;

export interface LivenessProbe {
  /** Aborted with what `lost` makes when the daemon did not answer. */
  readonly signal: AbortSignal;
  /** Asks when nothing was received for `silenceMs` from here on. */
  watch(url: string, silenceMs: number): void;
  /** Bytes came: the silence begins anew. */
  received(): void;
  stop(): void;
}

export function createLivenessProbe(lost: () => Error): LivenessProbe {
  const hangs = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let restart = (): void => {};
  /** Changes with everything received: an answer to an older question says nothing. */
  let generation = 0;

  async function ask(url: string): Promise<void> {
    const asked = generation;
    const isAlive = await answers(url);
    if (asked !== generation) return;
    if (isAlive) timer = setTimeout(ask, AGAIN_MS, url);
    else hangs.abort(lost());
  }

  function stop(): void {
    generation += 1;
    clearTimeout(timer);
  }

  return {
    signal: hangs.signal,
    watch(url, silenceMs) {
      restart = () => {
        stop();
        timer = setTimeout(ask, silenceMs, url);
      };
      restart();
    },
    received: () => restart(),
    stop,
  };
}

/** No route, no credential and no rate limit is in the way of this request. */
async function answers(url: string): Promise<boolean> {
  try {
    await fetch(url, { method: 'OPTIONS', signal: AbortSignal.timeout(ANSWER_MS_MAX) });
    return true;
  } catch {
    return false;
  }
}
