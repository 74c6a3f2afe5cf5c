/**
 * The turns of a spoken conversation: sound, transcripts, sentences and failures in, frames and effects out. Pure: the
 * caller passes the time and performs the effects.
 *
 * - Speech ends the current turn. A turn without sound carries its words into the next one; a turn with sound is
 *   remembered as interrupted. Neither gets a reply.
 * - Input for an ended turn is ignored, except its transcript, which is always shown.
 * - Sound is sent faster than it is played. Speech during playback also interrupts a complete answer: only the
 *   sentences that can have been played are remembered.
 */
import type { DuplexState, TurnFrame } from './frames.ts';
import { createSpeechDetector, SILENCE_FRAMES } from './speech-detector.ts';

export interface Exchange {
  readonly user: string;
  readonly assistant: string;
}

/** Times (`at`) and durations (`ms`) are in milliseconds. */
export type Input =
  /** `FRAME_SAMPLES` of sound. */
  | { readonly type: 'sound'; readonly frame: Int16Array; readonly at: number }
  | {
      readonly type: 'transcribed';
      readonly turn: number;
      readonly text: string;
      readonly lang: string | null;
      readonly ms: number;
    }
  | { readonly type: 'transcription_failed'; readonly turn: number; readonly message: string }
  /** The model completed a sentence. */
  | { readonly type: 'sentence'; readonly turn: number; readonly text: string }
  /** The newest sentence has its sound, `ms` long. */
  | { readonly type: 'synthesised'; readonly turn: number; readonly at: number; readonly ms: number }
  | {
      readonly type: 'answered';
      readonly turn: number;
      readonly text: string;
      readonly ttftMs: number;
      readonly at: number;
    }
  | { readonly type: 'failed'; readonly turn: number; readonly message: string };

export type Effect =
  | { readonly type: 'send'; readonly frame: TurnFrame }
  /** Transcribe the samples, after all earlier ones. */
  | { readonly type: 'transcribe'; readonly turn: number; readonly samples: Int16Array }
  /** Ask the model, and report its answer sentence by sentence. */
  | {
      readonly type: 'answer';
      readonly turn: number;
      readonly words: string;
      readonly lang: string | null;
      readonly history: readonly Exchange[];
    }
  | { readonly type: 'synthesise'; readonly turn: number; readonly text: string }
  /** Send the sound of the newest sentence. */
  | { readonly type: 'play'; readonly turn: number }
  /** Abort the answer. */
  | { readonly type: 'cancel'; readonly turn: number };

export const EXCHANGES_MAX = 6;
/** Limit of carried words; the newest are kept. */
const CARRIED_CHARACTERS_MAX = 8_000;
const INTERRUPTED = '… [interrupted by the user]';
const NOTHING_SAID = 'The model said nothing that can be spoken.';

interface Turn {
  readonly id: number;
  /** When the last sound of the user's speech arrived. */
  readonly endedAt: number;
  readonly words: string;
  readonly asrMs: number;
  readonly sentences: readonly Sentence[];
  readonly firstAudioMs: number | null;
  /** When the playback of its sound ends. */
  readonly playedAt: number;
}

interface Sentence {
  readonly text: string;
  /** When its playback begins; null while it has no sound. */
  readonly heardAt: number | null;
}

export class Dialogue {
  readonly #detector = createSpeechDetector();
  #turn: Turn | null = null;
  #lastId = 0;
  /** Words of interrupted turns that still wait for an answer. */
  #carried = '';
  #history: readonly Exchange[] = [];
  /** The answer that is complete and may still be played. */
  #complete: Turn | null = null;
  /** Arrival times of the newest frames, oldest first: sound may arrive faster or slower than it was spoken. */
  #arrivals: readonly number[] = [];

  /** Returns the frames to send and the effects to perform, in order. */
  accept(input: Input): readonly Effect[] {
    if (input.type === 'sound') return this.#sound(input.frame, input.at);
    if (input.type === 'transcribed') return this.#transcribed(input);
    const turn = this.#turn?.id === input.turn ? this.#turn : null;
    if (input.type === 'transcription_failed') {
      return [send({ type: 'error', message: input.message }), ...(turn === null ? [] : this.#listen())];
    }
    if (turn === null) return [];
    switch (input.type) {
      case 'sentence':
        this.#turn = { ...turn, sentences: [...turn.sentences, { text: input.text, heardAt: null }] };
        return [send({ type: 'speaking', text: input.text }), { type: 'synthesise', turn: turn.id, text: input.text }];
      case 'synthesised':
        return this.#synthesised(turn, input);
      case 'answered':
        return this.#answered(turn, input);
      case 'failed':
        if (turn.sentences.length > 0) this.#remember({ user: turn.words, assistant: `${textOf(turn.sentences)}…` });
        return [send({ type: 'error', message: input.message }), ...this.#listen()];
    }
  }

  #sound(frame: Int16Array, at: number): readonly Effect[] {
    const event = this.#detector.push(frame);
    this.#arrivals = [...this.#arrivals, at].slice(-SILENCE_FRAMES - 1);
    switch (event?.kind) {
      case undefined:
        return [];
      case 'onset':
        return this.#interrupt(at);
      case 'noise':
        return [state('listening')];
      case 'utterance': {
        this.#lastId += 1;
        const id = this.#lastId;
        const endedAt = this.#arrivals.at(-1 - event.quietFrames) ?? at;
        this.#turn = { id, endedAt, words: '', asrMs: 0, sentences: [], firstAudioMs: null, playedAt: 0 };
        return [state('thinking'), { type: 'transcribe', turn: id, samples: event.samples }];
      }
    }
  }

  #interrupt(at: number): readonly Effect[] {
    const turn = this.#turn;
    this.#turn = null;
    if (this.#complete !== null && at < this.#complete.playedAt) {
      this.#history = [...this.#history.slice(0, -1), interrupted(this.#complete, at)];
    }
    this.#complete = null;
    const begin = [send({ type: 'flush' }), state('hearing')];
    // The words of a turn that is still being transcribed are carried once they are known.
    if (turn === null || turn.words === '') return begin;
    const cancel = { type: 'cancel', turn: turn.id } as const;
    if (turn.firstAudioMs === null) return [...begin, cancel, this.#carry(turn.words)];
    this.#remember(interrupted(turn, at));
    return [...begin, cancel];
  }

  #transcribed({ turn: id, text, lang, ms }: Extract<Input, { type: 'transcribed' }>): readonly Effect[] {
    const turn = this.#turn?.id === id ? this.#turn : null;
    if (text.trim() === '') return turn === null ? [] : this.#listen();
    const transcript = send({ type: 'transcript', text, asr_ms: ms, lang });
    if (turn === null) return [transcript, this.#carry(text)];
    const words = joined(this.#carried, text);
    this.#carried = '';
    this.#turn = { ...turn, words, asrMs: ms };
    return [transcript, { type: 'answer', turn: id, words, lang, history: this.#history }];
  }

  #synthesised(turn: Turn, { at, ms }: Extract<Input, { type: 'synthesised' }>): readonly Effect[] {
    const play = { type: 'play', turn: turn.id } as const;
    const heardAt = Math.max(at, turn.playedAt);
    const newest = turn.sentences.length - 1;
    const sentences = turn.sentences.map((each, index) => (index === newest ? { ...each, heardAt } : each));
    const first_audio_ms = turn.firstAudioMs ?? since(turn, at);
    this.#turn = { ...turn, sentences, firstAudioMs: first_audio_ms, playedAt: heardAt + ms };
    if (turn.firstAudioMs !== null) return [play];
    return [state('speaking'), play, send({ type: 'latency', first_audio_ms })];
  }

  #answered(turn: Turn, { text, ttftMs, at }: Extract<Input, { type: 'answered' }>): readonly Effect[] {
    if (turn.sentences.length === 0) {
      this.#turn = null;
      return [send({ type: 'error', message: NOTHING_SAID })];
    }
    this.#remember({ user: turn.words, assistant: text });
    this.#complete = turn;
    const times = { asr_ms: turn.asrMs, first_audio_ms: turn.firstAudioMs, llm_ttft_ms: ttftMs };
    return [send({ type: 'reply', text, ...times, total_ms: since(turn, at) }), ...this.#listen()];
  }

  #listen(): readonly Effect[] {
    this.#turn = null;
    return [state('listening')];
  }

  #remember(exchange: Exchange): void {
    this.#history = [...this.#history, exchange].slice(-EXCHANGES_MAX);
  }

  #carry(words: string): Effect {
    this.#carried = joined(this.#carried, words).slice(-CARRIED_CHARACTERS_MAX);
    return send({ type: 'carried', text: words });
  }
}

function interrupted({ words, sentences }: Turn, at: number): Exchange {
  const heard = sentences.filter(({ heardAt }) => heardAt !== null && heardAt <= at);
  return { user: words, assistant: `${textOf(heard)}${INTERRUPTED}` };
}

function textOf(sentences: readonly Sentence[]): string {
  return sentences.map(({ text }) => text).join(' ');
}

function send(frame: TurnFrame): Effect {
  return { type: 'send', frame };
}

function state(of: DuplexState): Effect {
  return send({ type: 'state', state: of });
}

function joined(before: string, after: string): string {
  return before === '' ? after : `${before} ${after}`;
}

function since(turn: Turn, at: number): number {
  return Math.max(0, Math.round(at - turn.endedAt));
}
