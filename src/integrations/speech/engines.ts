/**
 * The engines behind `SpeechPort`: which are available, in which order they are tried, and what users can do when there
 * is none.
 *
 * - No engine is started before it is needed. The findings about the machine are cached for a minute.
 * - At most `RUNNING_MAX` calls of each kind run and `WAITING_MAX` wait; further calls are refused.
 */
import { join } from 'node:path';
import { characterCount } from '../../lib/characters.ts';
import { sentencesOf } from '../../lib/sentences.ts';
import { decodePcm, encodeWav, type Pcm } from '../../lib/wav.ts';
import { WorkPool } from '../../lib/work-pool.ts';
import { PortError } from '../../ports/port-error.ts';
import {
  type SpeakOptions,
  type SpeechEngine,
  type SpeechEngineId,
  type SpeechPort,
  type SpeechStatus,
  SpeechUnavailable,
  type TranscribeOptions,
} from '../../ports/speech.ts';
import { cached } from './cached.ts';
import { neuralHint, neuralSidecar, neuralSpeaker } from './neural-voice.ts';
import { createProgramRunner, type ProgramRunner } from './program-runner.ts';
import { type Speaker, voiceFor } from './speaker.ts';
import { systemHint, systemProgram, systemSpeaker } from './system-voice.ts';
import { createTranscriber } from './transcription.ts';

const RUNNING_MAX = 2;
const WAITING_MAX = 16;

export interface SpeechParts {
  /** DAYBOOK_HOME; models are in its `models` folder, jobs run in `voice`. */
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly newId: () => string;
  /** Name of the local recogniser's model. */
  readonly localModel: string;
}

export function createEngines({ home, env, newId, localModel }: SpeechParts): SpeechPort {
  const runner = createProgramRunner({ home, env, newId });
  const models = join(home, 'models');
  const closing = new AbortController();
  const full = () => new SpeechUnavailable('Too much is being spoken or written down; try again later.');
  const limits = { runningMax: RUNNING_MAX, waitingMax: WAITING_MAX, full };
  const [speaking, transcribing] = [new WorkPool(limits), new WorkPool(limits)];
  const neural = neuralSpeaker(runner, models);
  const model = { name: localModel, folder: models };
  const transcriber = createTranscriber({ runner, env, model, pool: transcribing }, closing.signal);
  const system = systemSpeakers(runner, closing.signal);

  const speakerOf = (engine: SpeechEngineId): Speaker => (engine === 'neural' ? neural : system());
  const faultOf = (engine: SpeechEngineId): string | null => engineFault(engine, runner, models);

  return {
    speak(text: string, options: SpeakOptions) {
      const find = () => speakerOf(options.engine ?? 'system');
      return speaking.admit(options.signal, (signal) => speak(text, { ...options, signal }, { find, pool: speaking }));
    },
    engines: async () => [
      engineRow('system', 'System voice', { fault: faultOf('system'), detail: 'The voice of this system; offline.' }),
      engineRow('neural', 'Neural voice', { fault: faultOf('neural'), detail: 'piper on this machine; offline.' }),
    ],
    async voices(engine) {
      if (faultOf(engine) !== null) return [];
      const voices = await speakerOf(engine).voices(closing.signal);
      return voices.map(({ id, name, lang, quality }) => ({ id, name, lang, quality }));
    },
    async select(engine) {
      const fault = faultOf(engine);
      if (fault !== null) throw new SpeechUnavailable(fault);
      return engine === 'neural' ? neuralSidecar(runner, models) : null;
    },
    dropWarm: neural.drop,
    transcribe: (audio: Uint8Array, options: TranscribeOptions) =>
      transcribing.admit(options.signal, (signal) => transcriber.transcribe(audio, { ...options, signal })),
    transcriber: transcriber.first,
    status: cached(
      async (): Promise<SpeechStatus> => ({
        ...(await transcriber.status()),
        // This build has no speech synthesis by a server.
        cloud_tts_configured: false,
        sox_installed: runner.find('sox') !== null,
        ffmpeg_installed: runner.find('ffmpeg') !== null,
      }),
    ),
    async close() {
      const reason = new SpeechUnavailable('The daemon is stopping.');
      closing.abort(reason);
      await Promise.allSettled([speaking.close(reason), transcribing.close(reason), neural.close()]);
      await runner.clear();
    },
  };
}

/**
 * The voice of the system with a cached list of voices. The program is looked for each time: it may be installed later.
 */
function systemSpeakers(runner: ProgramRunner, signal: AbortSignal): () => Speaker {
  const voices = new Map<string, Speaker['voices']>();
  return () => {
    const program = systemProgram(runner);
    if (program === null) throw new SpeechUnavailable(systemHint());
    const speaker = systemSpeaker(runner, program);
    const known = voices.get(program) ?? cached(() => speaker.voices(signal));
    voices.set(program, known);
    return { ...speaker, voices: known };
  };
}

/** Why an engine cannot run here, with how to install it; null when it can. */
function engineFault(engine: SpeechEngineId, runner: ProgramRunner, models: string): string | null {
  if (engine === 'system') return systemProgram(runner) === null ? systemHint() : null;
  return neuralSidecar(runner, models) === null ? neuralHint(models) : null;
}

function engineRow(
  id: SpeechEngineId,
  label: string,
  { fault, detail }: { readonly fault: string | null; readonly detail: string },
): SpeechEngine {
  return { id, label, available: fault === null, detail: fault ?? detail };
}

/** Characters of one call; about twenty minutes of speech. */
const SPOKEN_CHARACTERS_MAX = 20_000;
const CHUNK_CHARACTERS_MAX = 1_000;
/** Sample rate of a text without speakable words. */
const SILENT_RATE = 22_050;

interface SpeakParts {
  /** The engine of the call. Throws `SpeechUnavailable`. */
  readonly find: () => Speaker;
  /** Chunks of all calls share it. */
  readonly pool: WorkPool;
}

/** See `SpeechPort.speak`. */
async function speak(text: string, options: SpeakOptions, { find, pool }: SpeakParts): Promise<Buffer> {
  if (characterCount(text) > SPOKEN_CHARACTERS_MAX) {
    throw new PortError('too_large', `At most ${SPOKEN_CHARACTERS_MAX} characters are spoken at once.`);
  }
  const { signal, sidecar = null } = options;
  const speaker = find();
  const voice = voiceFor(await speaker.voices(signal), options);
  const parts: Pcm[] = [];
  for (const chunk of chunksOf(sentencesOf(text))) {
    parts.push(soundOf(await pool.inSlot(signal, () => speaker.wav(chunk, { voice, sidecar }, signal))));
  }
  return encodeWav(joined(parts));
}

/** Joins neighbouring sentences while they are short. */
function chunksOf(sentences: readonly string[]): readonly string[] {
  const chunks: string[] = [];
  for (const sentence of sentences) {
    const last = chunks.at(-1);
    const fits = last !== undefined && last.length + sentence.length < CHUNK_CHARACTERS_MAX;
    if (fits) chunks[chunks.length - 1] = `${last} ${sentence}`;
    else chunks.push(sentence);
  }
  return chunks;
}

function soundOf(wav: Buffer): Pcm {
  const pcm = decodePcm(wav);
  if (pcm === null) throw new SpeechUnavailable('The voice wrote something that is no sound.');
  return pcm;
}

function joined(parts: readonly Pcm[]): Pcm {
  const rate = parts[0]?.rate ?? SILENT_RATE;
  const samples = new Int16Array(parts.reduce((sum, part) => sum + part.samples.length, 0));
  let at = 0;
  for (const part of parts) {
    samples.set(part.samples, at);
    at += part.samples.length;
  }
  return { rate, samples };
}
