/** Transcribes audio with the first recogniser that succeeds, on this machine or on a server. */
import type { WorkPool } from '../../lib/work-pool.ts';
import {
  type SpeechStatus,
  SpeechUnavailable,
  type TranscribeOptions,
  type Transcript,
  type TranscriptionEngine,
} from '../../ports/speech.ts';
import { cached } from './cached.ts';
import { type CloudServer, cloudServer, transcribeRemotely } from './cloud-asr.ts';
import {
  cppProgram,
  hasModel,
  type LocalEngine,
  type LocalModel,
  localEngine,
  modelMegabytes,
  pythonProgram,
  type Runtimes,
  type Transcribed,
  transcribeLocally,
  transcriptionHint,
} from './local-asr.ts';
import type { ProgramRunner } from './program-runner.ts';

export interface TranscriberParts {
  readonly runner: ProgramRunner;
  readonly env: NodeJS.ProcessEnv;
  readonly model: LocalModel;
  readonly pool: WorkPool;
}

export interface Transcriber {
  /** See `SpeechPort.transcribe`. */
  transcribe(audio: Uint8Array, options: TranscribeOptions): Promise<Transcript>;
  /** See `SpeechPort.transcriber`. */
  first(preferLocal: boolean): Promise<TranscriptionEngine>;
  status(): Promise<Omit<SpeechStatus, 'cloud_tts_configured' | 'sox_installed' | 'ffmpeg_installed'>>;
}

type Recogniser =
  | { readonly kind: 'local_asr'; readonly engine: LocalEngine }
  | { readonly kind: 'cloud_asr'; readonly server: CloudServer };

export function createTranscriber(parts: TranscriberParts, closing: AbortSignal): Transcriber {
  const { runner, env, model, pool } = parts;
  const runtimes = cached(async (): Promise<Runtimes> => {
    const python = await pythonProgram(runner, closing);
    return { cpp: cppProgram(runner), python };
  });

  /** At least one recogniser, in the order in which they are tried. Throws `SpeechUnavailable`. */
  async function recognisers(preferLocal: boolean): Promise<readonly [Recogniser, ...Recogniser[]]> {
    const engine =
      localEngine({ cpp: cppProgram(runner), python: null }, model) ?? localEngine(await runtimes(), model);
    const server = cloudServer(env);
    const local: Recogniser[] = engine === null ? [] : [{ kind: 'local_asr', engine }];
    const cloud: Recogniser[] = server === null ? [] : [{ kind: 'cloud_asr', server }];
    const [first, ...others] = preferLocal ? [...local, ...cloud] : [...cloud, ...local];
    if (first === undefined) throw new SpeechUnavailable(transcriptionHint(await runtimes(), model));
    return [first, ...others];
  }

  async function firstTranscript(
    candidates: readonly Recogniser[],
    recording: { readonly audio: Uint8Array; readonly options: TranscribeOptions },
  ): Promise<Transcript> {
    const failures: string[] = [];
    for (const recogniser of candidates) {
      try {
        return { ...(await transcribeWith(recogniser, parts, recording)), engine: recogniser.kind };
      } catch (error) {
        recording.options.signal.throwIfAborted();
        if (!(error instanceof SpeechUnavailable)) throw error;
        failures.push(error.message);
      }
    }
    throw new SpeechUnavailable(failures.join('\n'));
  }

  return {
    async transcribe(audio, options) {
      const candidates = await recognisers(options.preferLocal);
      return pool.inSlot(options.signal, () => firstTranscript(candidates, { audio, options }));
    },
    async first(preferLocal) {
      const [first] = await recognisers(preferLocal);
      return first.kind;
    },
    async status() {
      const found = await runtimes();
      return statusOf(parts, found);
    },
  };
}

function transcribeWith(
  recogniser: Recogniser,
  { runner, env }: TranscriberParts,
  { audio, options }: { readonly audio: Uint8Array; readonly options: TranscribeOptions },
): Promise<Transcribed> {
  const job = { recording: { bytes: audio, mime: options.mime }, language: options.language };
  return recogniser.kind === 'local_asr'
    ? transcribeLocally(runner, { ...job, engine: recogniser.engine }, options.signal)
    : transcribeRemotely(env, { ...job, server: recogniser.server }, options.signal);
}

function statusOf({ env, model }: TranscriberParts, found: Runtimes): Awaited<ReturnType<Transcriber['status']>> {
  const cloud = cloudServer(env) !== null;
  return {
    cloud_stt_configured: cloud,
    local_model: model.name,
    local_model_size_mb: modelMegabytes(model),
    local_model_downloaded: hasModel(found, model),
    asr_cpp_installed: found.cpp !== null,
    asr_python_installed: found.python !== null,
    can_transcribe: cloud || localEngine(found, model) !== null,
  };
}
