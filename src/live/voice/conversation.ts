/**
 * One spoken conversation: performs the effects of its dialogue and reports their outcomes to it.
 *
 * - One answer at a time; recordings are transcribed in the order in which they were spoken.
 * - Neither sound nor words are recorded in the log.
 * - A failure is sent as an error frame; the next utterance begins a new turn.
 */
import { sentenceSplitter } from '../../lib/sentences.ts';
import { decodePcm, encodeWav, type Pcm } from '../../lib/wav.ts';
import type { ModelChoice } from '../../ports/models.ts';
import { type SpeechPort, SpeechUnavailable } from '../../ports/speech.ts';
import { voiceRow } from '../../projections/voice.ts';
import { chatFailure, chatTokens } from '../../queries/run/chat.ts';
import type { ModelCallDependencies } from '../../queries/run/model-calls.ts';
import { spokenText } from '../../queries/voice/spoken-text.ts';
import { Dialogue, type Effect, type Input } from './dialogue.ts';
import type { ServerFrame } from './frames.ts';
import { type SpeechSettings, spokenMessages, withControl } from './prompt.ts';
import { createFramer, SAMPLE_RATE } from './speech-detector.ts';

export interface ConversationParts extends ModelCallDependencies {
  readonly config: { readonly model_stall_seconds: number; readonly voice_prefer_local: boolean };
  readonly speech: SpeechPort;
}

/** Limit of utterances that wait for transcription; more are refused with an error frame. */
const TRANSCRIPTIONS_WAITING_MAX = 4;
const ANSWER_CHARACTERS_MAX = 20_000;
const AUDIO_SAMPLES_MAX = 8_192;

/** The client's side of the connection. */
interface Client {
  send(frame: ServerFrame): void;
  /** Resolves when the socket has taken the frames. */
  sendAudio(frames: readonly Buffer[]): Promise<void>;
}

export interface CallerSettings {
  /** The model of the handshake, used if the owner has set none. Half a pair counts as none. */
  readonly provider: string;
  readonly model: string;
  readonly speech: SpeechSettings;
}

interface SpokenSentence {
  readonly turn: number;
  readonly text: string;
  /** The recognised language; null when the caller set one. */
  readonly lang: string | null;
}

export class Conversation {
  readonly #deps: ConversationParts;
  readonly #client: Client;
  readonly #caller: CallerSettings;
  readonly #dialogue = new Dialogue();
  readonly #framesOf = createFramer();
  readonly #ended = new AbortController();
  /** Answers in progress, by turn. */
  readonly #answers = new Map<number, AbortController>();
  readonly #sentOnce = new Set<string>();
  #settings: SpeechSettings;
  #transcriptionsWaiting = 0;
  #transcribed: Promise<void> = Promise.resolve();
  #played: Promise<void> = Promise.resolve();

  constructor(deps: ConversationParts, client: Client, caller: CallerSettings) {
    this.#deps = deps;
    this.#client = client;
    this.#caller = caller;
    this.#settings = caller.speech;
  }

  /** Accepts 16 kHz mono 16-bit PCM, in pieces of any length. */
  acceptSound(bytes: Buffer): void {
    for (const frame of this.#framesOf(bytes)) this.#feed({ type: 'sound', frame, at: performance.now() });
  }

  acceptControl(text: string): void {
    this.#settings = withControl(this.#settings, text);
  }

  end(): void {
    this.#ended.abort(new Error('The client is gone.'));
  }

  #feed(input: Input, sound?: Pcm): readonly Effect[] {
    if (this.#ended.signal.aborted) return [];
    const effects = this.#dialogue.accept(input);
    for (const effect of effects) this.#perform(effect, sound);
    return effects;
  }

  #perform(effect: Effect, sound: Pcm | undefined): void {
    switch (effect.type) {
      case 'send':
        this.#client.send(effect.frame);
        return;
      case 'transcribe':
        this.#transcribe(effect.turn, effect.samples);
        return;
      case 'answer':
        void this.#answer(effect);
        return;
      case 'cancel':
        this.#answers.get(effect.turn)?.abort(new Error('The user spoke.'));
        return;
      case 'play':
        if (sound !== undefined) this.#played = this.#client.sendAudio(audioFrames(sound));
        return;
      case 'synthesise':
        // `#say` synthesises the newest reported sentence.
        return;
    }
  }

  #transcribe(turn: number, samples: Int16Array): void {
    const began = performance.now();
    if (this.#transcriptionsWaiting >= TRANSCRIPTIONS_WAITING_MAX) {
      const message = 'You speak faster than this machine can write down; please wait for an answer.';
      this.#feed({ type: 'transcription_failed', turn, message });
      return;
    }
    this.#transcriptionsWaiting += 1;
    this.#transcribed = this.#transcribed.then(async () => {
      try {
        const { language } = this.#settings;
        const { text, language: recognised } = await this.#deps.speech.transcribe(
          encodeWav({ rate: SAMPLE_RATE, samples }),
          {
            mime: 'audio/wav',
            language,
            preferLocal: this.#deps.config.voice_prefer_local,
            signal: this.#ended.signal,
          },
        );
        const lang = recognised ?? (this.#settings.language === 'auto' ? null : this.#settings.language);
        this.#feed({ type: 'transcribed', turn, text, lang, ms: Math.round(performance.now() - began) });
      } catch (error) {
        const message = messageFor(error, 'What was said could not be written down.');
        this.#feed({ type: 'transcription_failed', turn, message });
      } finally {
        this.#transcriptionsWaiting -= 1;
      }
    });
  }

  async #answer({ turn, words, lang: recognised, history }: Extract<Effect, { type: 'answer' }>): Promise<void> {
    const controller = new AbortController();
    this.#answers.set(turn, controller);
    const signal = AbortSignal.any([controller.signal, this.#ended.signal]);
    const began = performance.now();
    const lang = this.#settings.language === 'auto' ? recognised : null;
    const messages = spokenMessages({ words, history, context: this.#settings.context, lang });
    let answer = '';
    let ttftMs: number | null = null;
    try {
      const sentences = sentenceSplitter();
      const chat = { messages, ...this.#answeringModel() };
      for await (const token of chatTokens(this.#deps, chat, signal)) {
        ttftMs ??= performance.now() - began;
        answer += token;
        for (const text of sentences.push(token)) await this.#say({ turn, text, lang }, signal);
        if (answer.length > ANSWER_CHARACTERS_MAX) break;
      }
      for (const text of sentences.end()) await this.#say({ turn, text, lang }, signal);
      this.#feed({
        type: 'answered',
        turn,
        text: answer.trim(),
        ttftMs: Math.round(ttftMs ?? 0),
        at: performance.now(),
      });
    } catch (error) {
      if (signal.aborted) return;
      this.#feed({ type: 'failed', turn, message: messageFor(error, chatFailure(error, answer !== '')) });
    } finally {
      this.#answers.delete(turn);
    }
  }

  /** A notice says when it is another one than the owner or the caller wants. */
  #answeringModel(): ModelChoice {
    const wanted = wantedModel(this.#deps, this.#caller);
    const { provider, model } = answeringModel(this.#deps, this.#caller);
    const isOther = provider !== wanted.provider || model !== wanted.model;
    if (wanted.provider !== '' && wanted.model !== '' && isOther) {
      const message = `${wanted.provider}/${wanted.model} cannot be asked; ${provider}/${model} answers instead.`;
      this.#sendOnce('notice', `${message} “daybook doctor” says why.`);
    }
    return { provider, model };
  }

  async #say({ turn, text, lang }: SpokenSentence, signal: AbortSignal): Promise<void> {
    const isCurrent = this.#feed({ type: 'sentence', turn, text }).some(({ type }) => type === 'synthesise');
    if (!isCurrent) return;
    const words = await spokenText(text);
    const sound = words === '' ? null : await this.#soundOf(words, lang, signal);
    if (sound === null) return;
    const ms = (sound.samples.length * 1_000) / sound.rate;
    this.#feed({ type: 'synthesised', turn, at: performance.now(), ms }, sound);
    await this.#played;
  }

  /** The sound of the owner's engine, or of the system's voice if that fails; null if both fail. */
  async #soundOf(words: string, lang: string | null, signal: AbortSignal): Promise<Pcm | null> {
    const { speech, views } = this.#deps;
    const { engine, sidecar, voice: ownersVoice } = voiceRow(views);
    const voice = this.#settings.voice || ownersVoice;
    const spokenLanguage = lang ?? (this.#settings.language === 'auto' ? undefined : this.#settings.language);
    // A configured voice keeps its own language, unless another language is recognised.
    const language = lang === null && voice !== '' ? undefined : spokenLanguage;
    try {
      return decodePcm(await speech.speak(words, { engine, sidecar, voice, language, signal }));
    } catch (error) {
      if (signal.aborted || !(error instanceof SpeechUnavailable)) throw error;
      if (engine === 'system') return this.#sendOnce('error', error.message);
      this.#sendOnce('notice', `${error.message} The voice of the system speaks instead.`);
    }
    try {
      return decodePcm(await speech.speak(words, { language: spokenLanguage, signal }));
    } catch (error) {
      if (signal.aborted || !(error instanceof SpeechUnavailable)) throw error;
      return this.#sendOnce('error', error.message);
    }
  }

  #sendOnce(type: 'notice' | 'error', message: string): null {
    if (!this.#sentOnce.has(message)) this.#client.send({ type, message });
    this.#sentOnce.add(message);
    return null;
  }
}

/** The owner's provider and model, else the caller's, which may be empty. */
function wantedModel({ views }: Pick<ConversationParts, 'views'>, caller: ModelChoice): ModelChoice {
  const { provider, model } = voiceRow(views);
  return provider === null || model === null ? caller : { provider, model };
}

/** The wanted provider and model if they can be asked, else the daemon's default. */
export function answeringModel(parts: Pick<ConversationParts, 'models' | 'views'>, caller: ModelChoice): ModelChoice {
  const { provider, model } = wantedModel(parts, caller);
  return parts.models.choose(provider, model);
}

/** Messages of `SpeechUnavailable` are written for the user; those of other errors are not. */
function messageFor(error: unknown, otherwise: string): string {
  return error instanceof SpeechUnavailable ? error.message : otherwise;
}

/** Each frame: the sample rate (uint32), then samples from -1 to 1 (float32), little-endian. */
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
