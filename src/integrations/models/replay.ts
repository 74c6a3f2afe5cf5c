/** Answers from what was recorded: the frames of an earlier call with the same request hash, or a loud refusal. */
import { ModelError, type ModelFrame } from '../../ports/models.ts';

export type RecordedFrames = (requestHash: string) => readonly ModelFrame[] | undefined;

export function createReplayModel(recorded: RecordedFrames) {
  return async function* replay(requestHash: string, signal: AbortSignal): AsyncGenerator<ModelFrame> {
    signal.throwIfAborted();
    const frames = recorded(requestHash);
    if (!frames) throw new ModelError('fatal', `The recording has no answer for request ${requestHash}.`);
    for (const frame of frames) {
      signal.throwIfAborted();
      yield frame;
    }
  };
}
