/**
 * Is a daemon that says nothing busy, or does it hang? As long as nothing comes it is asked for a sign of life now and
 * then; whatever it answers will do. Streams may be idle for as long as they like, and work may take its time.
 */

/** Of an answer: longer than the daemon lets a request wait that asks how far an operation is. */
export const ANSWER_SILENCE_MS = 3_000;
/** Of a stream: longer than the time between two keep-alives. */
export const STREAM_SILENCE_MS = 20_000;
const SIGN_MS_MAX = 5_000;
const AGAIN_MS = 15_000;

export interface Pulse {
  /** Aborted, with what `lost` says, when no sign came. */
  readonly signal: AbortSignal;
  /** Nothing has come from now on. */
  watch(url: string, silenceMs: number): void;
  /** Something came. */
  heard(): void;
  end(): void;
}

export function createPulse(lost: () => Error): Pulse {
  const hangs = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let again = (): void => {};
  let beats = 0;

  async function ask(url: string): Promise<void> {
    const beat = beats;
    const lives = await givesSign(url);
    if (beat !== beats) return;
    if (lives) timer = setTimeout(ask, AGAIN_MS, url);
    else hangs.abort(lost());
  }

  function end(): void {
    beats += 1;
    clearTimeout(timer);
  }

  return {
    signal: hangs.signal,
    watch(url, silenceMs) {
      again = () => {
        end();
        timer = setTimeout(ask, silenceMs, url);
      };
      again();
    },
    heard: () => again(),
    end,
  };
}

/** No route, no credential and no rate limit is in the way of this request. */
async function givesSign(url: string): Promise<boolean> {
  try {
    await fetch(url, { method: 'OPTIONS', signal: AbortSignal.timeout(SIGN_MS_MAX) });
    return true;
  } catch {
    return false;
  }
}
