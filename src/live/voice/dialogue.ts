/**
 * The turns of a spoken conversation: sound, transcripts, sentences and failures in, frames and work out. Pure: whoever
 * calls brings the time and does the work.
 *
 * - Speech ends whatever turn goes on. A turn that made no sound yet carries its words into the next one; one that did
 *   is remembered as interrupted. Neither gets a reply.
 * - What comes in for a turn that is over changes nothing, but for its transcript: that is always shown.
 * - Sound is sent faster than it is heard. Who speaks while an answer is still played interrupts it all the same: what
 *   is remembered of it is what can have been heard.
 */
import { createEar, FRAME_SAMPLES, SAMPLE_RATE } from './speech-detector.ts';

export type DuplexState = 'listening' | 'hearing' | 'thinking' | 'speaking';

export type ServerFrame =
  | { readonly type: 'state'; readonly state: DuplexState }
  | { readonly type: 'transcript'; readonly text: string; readonly asr_ms: number; readonly lang: string | null }
  | { readonly type: 'speaking'; readonly text: string }
  | { readonly type: 'flush' }
  | { readonly type: 'carried'; readonly text: string }
  | { readonly type: 'latency'; readonly first_audio_ms: number }
  | {
      readonly type: 'reply';
      readonly text: string;
      readonly asr_ms: number;
      readonly first_audio_ms: number | null;
      readonly llm_ttft_ms: number;
      readonly total_ms: number;
    }
  | { readonly type: 'error'; readonly message: string };

export interface Exchange {
  readonly user: string;
  readonly assistant: string;
}

export type Input =
  /** `FRAME_SAMPLES` of sound. `at` is in milliseconds, here and everywhere. */
  | { readonly type: 'sound'; readonly frame: Int16Array; readonly at: number }
  | {
      readonly type: 'heard';
      readonly turn: number;
      readonly text: string;
      readonly lang: string | null;
      readonly ms: number;
    }
  | { readonly type: 'unheard'; readonly turn: number; readonly message: string }
  | { readonly type: 'sentence'; readonly turn: number; readonly text: string }
  /** The sound of the last sentence is there, so many milliseconds of it. */
  | { readonly type: 'spoken'; readonly turn: number; readonly at: number; readonly ms: number }
  | {
      readonly type: 'answered';
      readonly turn: number;
      readonly text: string;
      readonly ttftMs: number;
      readonly at: number;
    }
  | { readonly type: 'failed'; readonly turn: number; readonly message: string };

export type Effect =
  | { readonly type: 'send'; readonly frame: ServerFrame }
  /** Write it down, after what was given out before. */
  | { readonly type: 'recognise'; readonly turn: number; readonly samples: Int16Array }
  /** Ask the model, and speak sentence by sentence. */
  | {
      readonly type: 'answer';
      readonly turn: number;
      readonly words: string;
      readonly lang: string | null;
      readonly history: readonly Exchange[];
    }
  /** Make the sound of a sentence. */
  | { readonly type: 'speak'; readonly turn: number; readonly text: string }
  /** Send the sound that was made. */
  | { readonly type: 'play'; readonly turn: number }
  /** Nobody wants the answer any more. */
  | { readonly type: 'stop'; readonly turn: number };

export const EXCHANGES_MAX = 6;
/** So that what nobody answers does not grow. */
const CARRIED_CHARACTERS_MAX = 8_000;
const INTERRUPTED = '… [interrupted by the user]';
const NOTHING_SAID = 'The model said nothing that can be spoken.';

interface Turn {
  readonly id: number;
  /** When the last of it was said. */
  readonly endedAt: number;
  readonly words: string;
  readonly asrMs: number;
  readonly said: readonly Said[];
  readonly firstAudioMs: number | null;
  /** When the last of its sound will have been played. */
  readonly playedAt: number;
}

interface Said {
  readonly text: string;
  /** When it begins to be heard; null while it has no sound. */
  readonly heardAt: number | null;
}

export function createTurns(): (input: Input) => readonly Effect[] {
  const ear = createEar();
  let turn: Turn | null = null;
  let lastId = 0;
  /** Words that still wait for an answer. */
  let carried = '';
  let history: readonly Exchange[] = [];
  /** The answer that is complete and may still be played. */
  let complete: Turn | null = null;

  const current = (id: number): Turn | null => (turn?.id === id ? turn : null);
  const remember = (exchange: Exchange): void => {
    history = [...history, exchange].slice(-EXCHANGES_MAX);
  };
  const carry = (words: string): Effect => {
    carried = joined(carried, words).slice(-CARRIED_CHARACTERS_MAX);
    return send({ type: 'carried', text: words });
  };

  function bargeIn(at: number): readonly Effect[] {
    const over = turn;
    turn = null;
    if (complete !== null && at < complete.playedAt) history = [...history.slice(0, -1), interrupted(complete, at)];
    complete = null;
    const begin = [send({ type: 'flush' }), state('hearing')];
    // One that is still being written down is carried when its words are known.
    if (over === null || over.words === '') return begin;
    const stop = { type: 'stop', turn: over.id } as const;
    if (over.firstAudioMs === null) return [...begin, stop, carry(over.words)];
    remember(interrupted(over, at));
    return [...begin, stop];
  }

  function hear(frame: Int16Array, at: number): readonly Effect[] {
    const sound = ear.hear(frame);
    switch (sound?.kind) {
      case undefined:
        return [];
      case 'onset':
        return bargeIn(at);
      case 'noise':
        return [state('listening')];
      case 'utterance': {
        lastId += 1;
        const endedAt = at - (sound.quietFrames * FRAME_SAMPLES * 1_000) / SAMPLE_RATE;
        turn = { id: lastId, endedAt, words: '', asrMs: 0, said: [], firstAudioMs: null, playedAt: 0 };
        return [state('thinking'), { type: 'recognise', turn: lastId, samples: sound.samples }];
      }
    }
  }

  function heard({ turn: id, text, lang, ms }: Extract<Input, { type: 'heard' }>): readonly Effect[] {
    const mine = current(id);
    if (text.trim() === '') return mine === null ? [] : rest();
    const transcript = send({ type: 'transcript', text, asr_ms: ms, lang });
    if (mine === null) return [transcript, carry(text)];
    const words = joined(carried, text);
    carried = '';
    turn = { ...mine, words, asrMs: ms };
    return [transcript, { type: 'answer', turn: id, words, lang, history }];
  }

  function rest(): readonly Effect[] {
    turn = null;
    return [state('listening')];
  }

  function spoken(mine: Turn, { at, ms }: Extract<Input, { type: 'spoken' }>): readonly Effect[] {
    const play = { type: 'play', turn: mine.id } as const;
    const heardAt = Math.max(at, mine.playedAt);
    const said = mine.said.map((each, index) => (index === mine.said.length - 1 ? { ...each, heardAt } : each));
    const first_audio_ms = mine.firstAudioMs ?? since(mine, at);
    turn = { ...mine, said, firstAudioMs: first_audio_ms, playedAt: heardAt + ms };
    if (mine.firstAudioMs !== null) return [play];
    return [state('speaking'), play, send({ type: 'latency', first_audio_ms })];
  }

  function answered(mine: Turn, { text, ttftMs, at }: Extract<Input, { type: 'answered' }>): readonly Effect[] {
    if (mine.said.length === 0) {
      turn = null;
      return [send({ type: 'error', message: NOTHING_SAID })];
    }
    remember({ user: mine.words, assistant: text });
    complete = mine;
    const times = { asr_ms: mine.asrMs, first_audio_ms: mine.firstAudioMs, llm_ttft_ms: ttftMs };
    return [send({ type: 'reply', text, ...times, total_ms: since(mine, at) }), ...rest()];
  }

  return (input) => {
    if (input.type === 'sound') return hear(input.frame, input.at);
    if (input.type === 'heard') return heard(input);
    const mine = current(input.turn);
    switch (input.type) {
      case 'unheard':
        return [send({ type: 'error', message: input.message }), ...(mine === null ? [] : rest())];
      case 'sentence':
        if (mine === null) return [];
        turn = { ...mine, said: [...mine.said, { text: input.text, heardAt: null }] };
        return [send({ type: 'speaking', text: input.text }), { type: 'speak', turn: mine.id, text: input.text }];
      case 'spoken':
        return mine === null ? [] : spoken(mine, input);
      case 'answered':
        return mine === null ? [] : answered(mine, input);
      case 'failed':
        if (mine === null) return [];
        if (mine.said.length > 0) remember({ user: mine.words, assistant: `${textOf(mine.said)}…` });
        return [send({ type: 'error', message: input.message }), ...rest()];
    }
  };
}

function interrupted({ words, said }: Turn, at: number): Exchange {
  const heard = said.filter(({ heardAt }) => heardAt !== null && heardAt <= at);
  return { user: words, assistant: `${textOf(heard)}${INTERRUPTED}` };
}

function textOf(said: readonly Said[]): string {
  return said.map(({ text }) => text).join(' ');
}

function send(frame: ServerFrame): Effect {
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
