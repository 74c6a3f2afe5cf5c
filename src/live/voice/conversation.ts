/**
 * One spoken conversation: does what its turns ask for and tells them what came of it.
 *
 * - One answer at a time; recordings are written down in the order in which they were spoken.
 * - Nothing of it is recorded: neither sound nor words are in the log.
 * - What goes wrong is told as an error; the next utterance begins a new turn.
 */

import type { Clock } from '../../ports/clock.ts';
import type { ModelsPort } from '../../ports/models.ts';
import { sentenceSplitter } from '../../ports/sentences.ts';
import type { SpeechPort } from '../../ports/speech.ts';
import { SpeechUnavailable } from '../../ports/speech.ts';
import { type Pcm, pcmOf, wavOf } from '../../ports/wav.ts';
import type { Views } from '../../projections/views.ts';
import { voiceRow } from '../../projections/voice.ts';
import { chatFailure, chatTokens } from '../../queries/run/chat.ts';
import { spokenText } from '../../queries/voice/spoken-text.ts';
import { createTurns, type Effect, type Input, type ServerFrame } from './dialogue.ts';
import { type Manners, spokenMessages, withControl } from './prompt.ts';
import { createFramer, SAMPLE_RATE } from './speech-detector.ts';

interface Dependencies {
  readonly config: { readonly model_stall_seconds: number; readonly voice_prefer_local: boolean };
  readonly clock: Clock;
  random(): number;
  readonly views: Views;
  readonly models: ModelsPort;
  readonly speech: SpeechPort;
  readonly closing: AbortSignal;
}

/** Utterances that wait to be written down; who talks on and on without a breath is told. */
const UNHEARD_MAX = 4;
/** More than anybody listens to. */
const ANSWER_CHARACTERS_MAX = 20_000;
/** Samples of one binary frame. */
const AUDIO_SAMPLES_MAX = 8_192;

export interface Line {
  send(frame: ServerFrame | { readonly type: 'notice'; readonly message: string }): void;
  /** Resolves when the other side took it. */
  sendAudio(frames: readonly Buffer[]): Promise<void>;
}

export interface Caller {
  /** The pair of the handshake, in force while the owner has set none; half a pair is none. */
  readonly provider: string;
  readonly model: string;
  readonly manners: Manners;
}

export interface Conversation {
  sound(bytes: Buffer): void;
  control(text: string): void;
  end(): void;
}

export function converse(deps: Dependencies, line: Line, caller: Caller): Conversation {
  const turns = createTurns();
  const framer = createFramer();
  const over = new AbortController();
  const answers = new Map<number, AbortController>();
  const now = (): number => deps.clock.now();
  let manners = caller.manners;
  let unheard = 0;
  let written: Promise<void> = Promise.resolve();
  const told = new Set<string>();

  function feed(input: Input, sound?: Pcm): readonly Effect[] {
    if (over.signal.aborted) return [];
    const effects = turns(input);
    for (const effect of effects) perform(effect, sound);
    return effects;
  }

  let played: Promise<void> = Promise.resolve();
  function perform(effect: Effect, sound: Pcm | undefined): void {
    switch (effect.type) {
      case 'send':
        line.send(effect.frame);
        return;
      case 'recognise':
        recognise(effect.turn, effect.samples);
        return;
      case 'answer':
        void answer(effect);
        return;
      case 'stop':
        answers.get(effect.turn)?.abort(new Error('The user spoke.'));
        return;
      case 'play':
        if (sound !== undefined) played = line.sendAudio(audioFrames(sound));
        return;
      case 'speak':
        return;
    }
  }

  function recognise(turn: number, samples: Int16Array): void {
    const began = now();
    if (unheard >= UNHEARD_MAX) {
      const message = 'You speak faster than this machine can write down; please wait for an answer.';
      feed({ type: 'unheard', turn, message });
      return;
    }
    unheard += 1;
    written = written.then(async () => {
      try {
        const heard = await deps.speech.transcribe(wavOf({ rate: SAMPLE_RATE, samples }), {
          mime: 'audio/wav',
          language: manners.language,
          preferLocal: deps.config.voice_prefer_local,
          signal: over.signal,
        });
        const lang = heard.language ?? (manners.language === 'auto' ? null : manners.language);
        feed({ type: 'heard', turn, text: heard.text, lang, ms: Math.round(now() - began) });
      } catch (error) {
        feed({ type: 'unheard', turn, message: guidance(error, 'What was said could not be written down.') });
      } finally {
        unheard -= 1;
      }
    });
  }

  async function answer({ turn, words, lang, history }: Extract<Effect, { type: 'answer' }>): Promise<void> {
    const controller = new AbortController();
    answers.set(turn, controller);
    const signal = AbortSignal.any([controller.signal, over.signal]);
    const began = now();
    const spokenLang = manners.language === 'auto' ? lang : null;
    const messages = spokenMessages({ words, history, context: manners.context, lang: spokenLang });
    let text = '';
    let ttftMs: number | null = null;
    try {
      const sentences = sentenceSplitter();
      for await (const token of chatTokens(deps, { messages, ...answeringModel(deps, caller) }, signal)) {
        ttftMs ??= now() - began;
        text += token;
        for (const sentence of sentences.push(token)) await say({ turn, sentence, lang: spokenLang }, signal);
        if (text.length > ANSWER_CHARACTERS_MAX) break;
      }
      for (const sentence of sentences.end()) await say({ turn, sentence, lang: spokenLang }, signal);
      feed({ type: 'answered', turn, text: text.trim(), ttftMs: Math.round(ttftMs ?? 0), at: now() });
    } catch (error) {
      if (!signal.aborted) feed({ type: 'failed', turn, message: guidance(error, chatFailure(error, text !== '')) });
    } finally {
      answers.delete(turn);
    }
  }

  interface Saying {
    readonly turn: number;
    readonly sentence: string;
    readonly lang: string | null;
  }

  async function say({ turn, sentence, lang }: Saying, signal: AbortSignal): Promise<void> {
    const wanted = feed({ type: 'sentence', turn, text: sentence }).some(({ type }) => type === 'speak');
    if (!wanted) return;
    const words = await spokenText(sentence);
    const sound = words === '' ? null : await soundOf(words, lang, signal);
    if (sound === null) return;
    const ms = (sound.samples.length * 1_000) / sound.rate;
    feed({ type: 'spoken', turn, at: now(), ms }, sound);
    await played;
  }

  /** The owner's engine; when that makes no sound, the voice of the system; when neither does, the words are all. */
  async function soundOf(words: string, lang: string | null, signal: AbortSignal): Promise<Pcm | null> {
    const { engine, sidecar, voice: stored } = voiceRow(deps.views);
    const voice = manners.voice || stored;
    // A voice that was chosen speaks, unless another language was heard than its own.
    const inLanguage = lang ?? (manners.language === 'auto' ? undefined : manners.language);
    const language = lang === null && voice !== '' ? undefined : inLanguage;
    try {
      return pcmOf(await deps.speech.speak(words, { engine, sidecar, voice, language, signal }));
    } catch (error) {
      if (signal.aborted || !(error instanceof SpeechUnavailable)) throw error;
      if (engine === 'system') return tellOnce('error', error.message);
      tellOnce('notice', `${error.message} The voice of the system speaks instead.`);
    }
    try {
      return pcmOf(await deps.speech.speak(words, { language: inLanguage, signal }));
    } catch (error) {
      if (signal.aborted || !(error instanceof SpeechUnavailable)) throw error;
      return tellOnce('error', error.message);
    }
  }

  function tellOnce(type: 'notice' | 'error', message: string): null {
    if (!told.has(message)) line.send({ type, message });
    told.add(message);
    return null;
  }

  return {
    sound(bytes) {
      for (const frame of framer(bytes)) feed({ type: 'sound', frame, at: now() });
    },
    control(text) {
      manners = withControl(manners, text);
    },
    end: () => over.abort(new Error('The client is gone.')),
  };
}

/** The owner's pair, else the caller's, else the daemon's own. */
export function answeringModel(deps: Dependencies, caller: Pick<Caller, 'provider' | 'model'>) {
  const { provider, model } = voiceRow(deps.views);
  return deps.models.choose(provider ?? caller.provider, provider === null ? caller.model : model);
}

/** Messages of ours are for the user; anything else is not. */
function guidance(error: unknown, otherwise: string): string {
  return error instanceof SpeechUnavailable ? error.message : otherwise;
}

/** The sample rate, then samples from -1 to 1. */
function audioFrames({ rate, samples }: Pcm): readonly Buffer[] {
  const count = Math.ceil(samples.length / AUDIO_SAMPLES_MAX);
  return Array.from({ length: count }, (_, at) => {
    const part = samples.subarray(at * AUDIO_SAMPLES_MAX, (at + 1) * AUDIO_SAMPLES_MAX);
    const frame = Buffer.alloc(4 + part.length * 4);
    frame.writeUInt32LE(rate, 0);
    part.forEach((sample, index) => void frame.writeFloatLE(sample / 32_768, 4 + index * 4));
    return frame;
  });
}
