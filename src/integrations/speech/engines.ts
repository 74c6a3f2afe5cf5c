/**
 * The engines behind `SpeechPort`: which can run here, who is asked first, and what is said when nobody can.
 *
 * - Nothing is started before it is asked for, and what is found out about the machine holds for a minute.
 * - At most `RUNNING_MAX` of each kind run and `WAITING_MAX` wait; who comes then is told so.
 */
import { join } from 'node:path';
import { sentencesOf } from '../../ports/sentences.ts';
import {
  type SpeakOptions,
  type SpeechEngine,
  type SpeechEngineId,
  type SpeechPort,
  type SpeechStatus,
  SpeechTooLong,
  SpeechUnavailable,
  type TranscribeOptions,
  type Transcript,
  type TranscriptionEngine,
  type Voice,
} from '../../ports/speech.ts';
import { type Pcm, pcmOf, wavOf } from '../../ports/wav.ts';
import { createSlots, type Slots } from '../documents/slots.ts';
import { cloudServer, recogniseThere } from './cloud-asr.ts';
import { transcriptionHint } from './guidance.ts';
import {
  cppProgram,
  hasModel,
  type LocalEngine,
  type LocalModel,
  localEngine,
  modelMegabytes,
  pythonProgram,
  type Runtimes,
  recogniseHere,
} from './local-asr.ts';
import { neuralHint, neuralSidecar, neuralSpeaker } from './neural-voice.ts';
import { createWorkshop } from './programs.ts';
import { type Speaker, voiceFor } from './speaker.ts';
import { systemHint, systemProgram, systemSpeaker } from './system-voice.ts';

/** Of all the text of one call; about twenty minutes of speech. */
export const SPOKEN_CHARACTERS_MAX = 20_000;
/** Of the sentences that an engine gets at once. */
const CHUNK_CHARACTERS_MAX = 1_000;
const KNOWN_MS = 60_000;
const RUNNING_MAX = 2;
const WAITING_MAX = 16;
/** Of an answer without a sound. */
const SILENT_RATE = 22_050;

export interface SpeechParts {
  /** DAYBOOK_HOME; models lie in its `models` folder, work is done in `voice`. */
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly now: () => number;
  readonly newId: () => string;
  /** Name of the local recogniser's model. */
  readonly localModel: string;
}

export function createEngines({ home, env, now, newId, localModel }: SpeechParts): SpeechPort {
  const workshop = createWorkshop({ home, env, newId });
  const models = join(home, 'models');
  const model: LocalModel = { name: localModel, folder: models };
  const closing = new AbortController();
  const speaking = createSlots({ runningMax: RUNNING_MAX, waitingMax: WAITING_MAX });
  const hearing = createSlots({ runningMax: RUNNING_MAX, waitingMax: WAITING_MAX });
  const working = new Set<Promise<unknown>>();
  const neural = neuralSpeaker(workshop, models);
  const runtimes = remembered(now, KNOWN_MS, async (): Promise<Runtimes> => {
    const python = await pythonProgram(workshop, closing.signal);
    return { cpp: cppProgram(workshop), python };
  });
  const systemVoices = new Map<string, () => Promise<readonly Voice[]>>();

  function speakerOf(engine: SpeechEngineId): Speaker {
    if (engine === 'neural') return neural;
    const program = systemProgram(workshop);
    if (program === null) throw new SpeechUnavailable(systemHint());
    const speaker = systemSpeaker(workshop, program);
    const known = systemVoices.get(program) ?? remembered(now, KNOWN_MS, () => speaker.voices(closing.signal));
    systemVoices.set(program, known);
    return { ...speaker, voices: known };
  }

  function faultOf(engine: SpeechEngineId): string | null {
    if (engine === 'system') return systemProgram(workshop) === null ? systemHint() : null;
    return neuralSidecar(workshop, models) === null ? neuralHint(models) : null;
  }

  async function speak(text: string, options: SpeakOptions): Promise<Buffer> {
    if (text.length > SPOKEN_CHARACTERS_MAX) {
      throw new SpeechTooLong(`At most ${SPOKEN_CHARACTERS_MAX} characters are spoken at once.`);
    }
    const engine = options.engine ?? 'system';
    const signal = AbortSignal.any([options.signal, closing.signal]);
    const speaker = speakerOf(engine);
    const voice = voiceFor(await speaker.voices(signal), options);
    const manner = { voice, sidecar: options.sidecar ?? null };
    const parts: Pcm[] = [];
    for (const chunk of chunksOf(sentencesOf(text))) {
      const release = await speaking.run(signal);
      try {
        parts.push(soundOf(await speaker.wav(chunk, manner, signal)));
      } finally {
        release();
      }
    }
    return wavOf(joined(parts));
  }

  async function ears(preferLocal: boolean): Promise<readonly Ear[]> {
    const local =
      localEngine({ cpp: cppProgram(workshop), python: null }, model) ?? localEngine(await runtimes(), model);
    const server = cloudServer(env);
    const here: Ear[] = local === null ? [] : [{ kind: 'local_asr', local }];
    const there: Ear[] = server === null ? [] : [{ kind: 'cloud_asr', server }];
    return preferLocal ? [...here, ...there] : [...there, ...here];
  }

  async function transcribe(audio: Uint8Array, options: TranscribeOptions): Promise<Transcript> {
    const signal = AbortSignal.any([options.signal, closing.signal]);
    const asked = await ears(options.preferLocal);
    if (asked.length === 0) throw new SpeechUnavailable(transcriptionHint(await runtimes(), model));
    const release = await hearing.run(signal);
    const failures: string[] = [];
    try {
      for (const ear of asked) {
        try {
          const job = { recording: { bytes: audio, mime: options.mime }, language: options.language };
          const heard = await ('local' in ear
            ? recogniseHere(workshop, { ...job, engine: ear.local }, signal)
            : recogniseThere(env, { ...job, server: ear.server }, signal));
          return { ...heard, engine: ear.kind };
        } catch (error) {
          signal.throwIfAborted();
          if (!(error instanceof SpeechUnavailable)) throw error;
          failures.push(error.message);
        }
      }
    } finally {
      release();
    }
    throw new SpeechUnavailable(failures.join(' '));
  }

  /** Work is waited for when the daemon stops. */
  function tracked<Result>(work: Promise<Result>): Promise<Result> {
    const settled = Promise.allSettled([work]).finally(() => working.delete(settled));
    working.add(settled);
    return work;
  }

  return {
    speak: (text, options) => tracked(inside(speaking, () => speak(text, options))),
    async engines() {
      return [
        engineRow('system', 'System voice', { fault: faultOf('system'), detail: 'The voice of this system; offline.' }),
        engineRow('neural', 'Neural voice', { fault: faultOf('neural'), detail: 'piper on this machine; offline.' }),
      ];
    },
    async voices(engine) {
      if (faultOf(engine) !== null) return [];
      const voices = await speakerOf(engine).voices(closing.signal);
      return voices.map(({ id, name, lang, quality }) => ({ id, name, lang, quality }));
    },
    async select(engine) {
      const fault = faultOf(engine);
      if (fault !== null) throw new SpeechUnavailable(fault);
      return engine === 'neural' ? neuralSidecar(workshop, models) : null;
    },
    dropWarm: neural.drop,
    transcribe: (audio, options) => tracked(inside(hearing, () => transcribe(audio, options))),
    async transcriber(preferLocal) {
      const [first] = await ears(preferLocal);
      if (first === undefined) throw new SpeechUnavailable(transcriptionHint(await runtimes(), model));
      return first.kind;
    },
    status: remembered(now, KNOWN_MS, async (): Promise<SpeechStatus> => {
      const found = await runtimes();
      const cloud = cloudServer(env) !== null;
      return {
        cloud_stt_configured: cloud,
        // No server is asked to speak by this build.
        cloud_tts_configured: false,
        local_model: model.name,
        local_model_size_mb: modelMegabytes(model),
        local_model_downloaded: hasModel(found, model),
        asr_cpp_installed: found.cpp !== null,
        asr_python_installed: found.python !== null,
        sox_installed: workshop.find('sox') !== null,
        ffmpeg_installed: workshop.find('ffmpeg') !== null,
        can_transcribe: cloud || localEngine(found, model) !== null,
      };
    }),
    async close() {
      closing.abort(new SpeechUnavailable('The daemon is stopping.'));
      await Promise.allSettled([...working, neural.close()]);
      await workshop.clear();
    },
  };
}

type Ear =
  | { readonly kind: Extract<TranscriptionEngine, 'local_asr'>; readonly local: LocalEngine }
  | { readonly kind: Extract<TranscriptionEngine, 'cloud_asr'>; readonly server: { provider: string; model: string } };

function engineRow(
  id: SpeechEngineId,
  label: string,
  { fault, detail }: { readonly fault: string | null; readonly detail: string },
): SpeechEngine {
  return { id, label, available: fault === null, detail: fault ?? detail };
}

/** What was found out lately; who asks meanwhile waits for the same answer, and a failure is forgotten. */
function remembered<Result>(now: () => number, ms: number, ask: () => Promise<Result>): () => Promise<Result> {
  let known: { readonly at: number; readonly answer: Promise<Result> } | undefined;
  return () => {
    if (known !== undefined && now() - known.at < ms) return known.answer;
    const answer = ask();
    const mine = { at: now(), answer };
    known = mine;
    answer.catch(() => {
      if (known === mine) known = undefined;
    });
    return answer;
  };
}

async function inside<Result>(slots: Slots, work: () => Promise<Result>): Promise<Result> {
  const leave = slots.enter();
  if (leave === null) throw new SpeechUnavailable('Too much is being spoken or written down; try again later.');
  try {
    return await work();
  } finally {
    leave();
  }
}

/** Neighbouring sentences together, as long as they are short. */
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
  const pcm = pcmOf(wav);
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
