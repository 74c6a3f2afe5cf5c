/** The frames of a model call, with a limit on how long the model may stay silent. */
import { ModelError, type ModelFrame } from '../../ports/models.ts';

export interface StallLimit {
  /** Milliseconds. */
  readonly stallMs: number;
  readonly signal: AbortSignal;
}

/**
 * Yields the frames of one model call. Throws a transient `ModelError` when no frame comes for `stallMs`.
 *
 * - Keep-alives give no frame and do not count; neither does the time that the caller takes with a frame.
 * - `stream` gets a signal that aborts with `signal`, or when the model stalls.
 */
export async function* framesWithin(
  { stallMs, signal }: StallLimit,
  stream: (signal: AbortSignal) => AsyncIterable<ModelFrame>,
): AsyncGenerator<ModelFrame> {
  const stall = new AbortController();
  const giveUp = (): void => stall.abort(new Error('The model stalled.'));
  let timer = setTimeout(giveUp, stallMs);
  try {
    for await (const frame of stream(AbortSignal.any([signal, stall.signal]))) {
      clearTimeout(timer);
      yield frame;
      timer = setTimeout(giveUp, stallMs);
    }
  } catch (error) {
    if (!stall.signal.aborted) throw error;
    throw new ModelError('transient', `The model sent nothing for ${Math.round(stallMs / 1000)} seconds.`);
  } finally {
    clearTimeout(timer);
  }
}
