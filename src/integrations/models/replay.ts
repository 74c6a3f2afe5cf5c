/**
 * The provider `replay`, whose models are recorded runs: a request gets the frames of the recorded call with the same
 * request hash, or an error. It uses no network.
 */
import type { HarnessSettings } from '../../events/harness.ts';
import { ModelError, type ModelFrame, type ModelRequest, type ModelsPort } from '../../ports/models.ts';

export const REPLAY_PROVIDER = 'replay';

/** The model calls of a recorded run. */
export interface Recording {
  /** Providers, models and settings of the recording, newest first. */
  readonly asked: readonly {
    readonly provider: string;
    readonly model: string;
    readonly settings: HarnessSettings;
  }[];
  /** Frames by request hash. */
  readonly answers: ReadonlyMap<string, readonly ModelFrame[]>;
}

export interface ReplayParts {
  /** The recording of a session; undefined when there is none. */
  readonly recording: (sessionId: string) => Recording | undefined;
  readonly hash: (request: ModelRequest) => string;
}

/** Adds the provider `replay` to a models port. */
export function withReplay(models: ModelsPort, parts: ReplayParts): ModelsPort {
  return {
    configured: models.configured,
    configuredProviders: () => models.configuredProviders(),
    catalogue: () => models.catalogue(),
    choose(provider, model) {
      const replayed = provider?.trim().toLowerCase() === REPLAY_PROVIDER && parts.recording(model ?? '') !== undefined;
      return replayed ? { provider: REPLAY_PROVIDER, model: model ?? '' } : models.choose(provider, model);
    },
    stream: (request, signal) =>
      request.provider === REPLAY_PROVIDER ? replay(request, parts, signal) : models.stream(request, signal),
  };
}

async function* replay(request: ModelRequest, parts: ReplayParts, signal: AbortSignal): AsyncGenerator<ModelFrame> {
  const recorded = parts.recording(request.model);
  if (recorded === undefined) throw new ModelError('fatal', 'There is no recorded run to answer from.');
  const hashes = recorded.asked.map((asked) => parts.hash({ ...request, ...asked }));
  const frames = hashes.map((hash) => recorded.answers.get(hash)).find((found) => found !== undefined);
  if (frames === undefined) throw new ModelError('fatal', `The recording has no answer for request ${hashes[0]}.`);
  for (const frame of frames) {
    signal.throwIfAborted();
    yield frame;
  }
}
