/** A model that says nothing for a while is given up. */
import { ModelError, type ModelFrame } from '../../ports/models.ts';

interface StallGuard {
  /** Aborts with the outer signal, or when nothing was heard for so long. */
  readonly signal: AbortSignal;
  heard(): void;
  /** Nothing is expected until `heard`. */
  rest(): void;
  stalled(): boolean;
  end(): void;
}

/**
 * The frames of one model call; a transient `ModelError` when none came for `stallMs` while one was waited for.
 * Keep-alives give no frame and do not count. The time the caller takes with a frame does not count either.
 */
export async function* heardFrames(
  stream: (signal: AbortSignal) => AsyncIterable<ModelFrame>,
  { stallMs, signal }: { readonly stallMs: number; readonly signal: AbortSignal },
): AsyncGenerator<ModelFrame> {
  const stall = stallGuard(stallMs, signal);
  try {
    for await (const frame of stream(stall.signal)) {
      stall.rest();
      yield frame;
      stall.heard();
    }
  } catch (error) {
    if (!stall.stalled()) throw error;
    throw new ModelError('transient', `The model sent nothing for ${Math.round(stallMs / 1000)} seconds.`);
  } finally {
    stall.end();
  }
}

function stallGuard(ms: number, outer: AbortSignal): StallGuard {
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
    rest: () => clearTimeout(timer),
    stalled: () => stalled,
    end: () => clearTimeout(timer),
  };
}
