/**
 * The turns of a spoken conversation, row by row of the contract's state machine: input on the left, output on the
 * right. Frames are written as their type with the relevant fields.
 */
import { describe, expect, it } from 'vitest';
import { Dialogue, type Effect, EXCHANGES_MAX, type Input } from '../../src/live/voice/dialogue.ts';
import { FRAME_SAMPLES } from '../../src/live/voice/speech-detector.ts';
import { tone } from './sound.ts';

const LOUD = tone(20);
const QUIET = new Int16Array(FRAME_SAMPLES);

function conversation() {
  const dialogue = new Dialogue();
  let at = 0;
  const effects: Effect[] = [];
  const feed = (input: Input): readonly string[] => {
    const out = dialogue.accept(input);
    effects.push(...out);
    return out.map(short);
  };
  /** Frames of 20 ms each: `#` loud, `.` quiet. */
  const sound = (picture: string): readonly string[] =>
    [...picture].flatMap((frame) => {
      at += 20;
      return feed({ type: 'sound', frame: frame === '#' ? LOUD : QUIET, at });
    });
  return {
    feed,
    sound,
    effects,
    now: () => at,
    /** Half a second of speech and its end. */
    utter: () => sound(`${'#'.repeat(25)}${'.'.repeat(30)}`),
    transcribed: (turn: number, text: string, lang: string | null = null) =>
      feed({ type: 'transcribed', turn, text, lang, ms: 7 }),
    sentence: (turn: number, text: string) => feed({ type: 'sentence', turn, text }),
    /** Two seconds of sound. */
    synthesised: (turn: number, late = 0) => feed({ type: 'synthesised', turn, at: at + late, ms: 2_000 }),
    answered: (turn: number, text: string) => feed({ type: 'answered', turn, text, ttftMs: 5, at: at + 900 }),
    failed: (turn: number) => feed({ type: 'failed', turn, message: 'no model' }),
  };
}

function short(effect: Effect): string {
  if (effect.type === 'transcribe') return `transcribe ${effect.turn}`;
  if (effect.type === 'answer') return `answer ${effect.turn}: ${effect.words}`;
  if (effect.type === 'synthesise') return `synthesise ${effect.turn}: ${effect.text}`;
  if (effect.type !== 'send') return `${effect.type} ${effect.turn}`;
  const { frame } = effect;
  if (frame.type === 'state') return `[${frame.state}]`;
  if ('text' in frame) return `${frame.type}: ${frame.text}`;
  return frame.type === 'error' ? `error: ${frame.message}` : frame.type;
}

const BEGIN = ['flush', '[hearing]'];

describe('the times of a turn', () => {
  it.each([
    ['as it was spoken', 20, 600 + 250],
    ['all at once', 0, 250],
    ['four times as fast', 5, 150 + 250],
    ['slower than it was spoken', 40, 1_200 + 250],
  ])('count from the arrival of the last loud frame when sound comes %s', (_how, everyMs, firstAudioMs) => {
    const dialogue = new Dialogue();
    let at = 5_000;
    for (const frame of `${'#'.repeat(25)}${'.'.repeat(30)}`) {
      dialogue.accept({ type: 'sound', frame: frame === '#' ? LOUD : QUIET, at });
      at += everyMs;
    }
    // The last frame came one interval ago.
    at += 250 - everyMs;
    dialogue.accept({ type: 'transcribed', turn: 1, text: 'hello', lang: null, ms: 7 });
    dialogue.accept({ type: 'sentence', turn: 1, text: 'Hi.' });
    const told = dialogue.accept({ type: 'synthesised', turn: 1, at, ms: 100 });
    const frame = { type: 'latency', first_audio_ms: firstAudioMs };
    expect(told).toContainEqual({ type: 'send', frame });
    const reply = dialogue.accept({ type: 'answered', turn: 1, text: 'Hi.', ttftMs: 5, at: at + 30 });
    expect(reply[0]).toMatchObject({ frame: { first_audio_ms: firstAudioMs, total_ms: firstAudioMs + 30 } });
  });
});

it('listening: 200 ms of speech → flush, hearing', () => {
  const { sound } = conversation();
  expect(sound('..########')).toEqual([]);
  expect(sound('##')).toEqual(BEGIN);
});

describe('hearing', () => {
  it('600 ms of silence → thinking, and a turn starts', () => {
    const { utter, effects } = conversation();
    expect(utter()).toEqual([...BEGIN, '[thinking]', 'transcribe 1']);
    const work = effects.find((effect) => effect.type === 'transcribe');
    expect(work?.samples.length).toBe(55 * FRAME_SAMPLES);
  });

  it('no more than 200 ms of sound → listening, nothing is sent', () => {
    const { sound } = conversation();
    expect(sound(`##########${'.'.repeat(30)}`)).toEqual([...BEGIN, '[listening]']);
  });
});

describe('thinking', () => {
  it('recogniser error → error, and the socket listens again', () => {
    const { utter, feed } = conversation();
    utter();
    expect(feed({ type: 'transcription_failed', turn: 1, message: 'install one' })).toEqual([
      'error: install one',
      '[listening]',
    ]);
    expect(utter()).toEqual([...BEGIN, '[thinking]', 'transcribe 2']);
  });

  it('recogniser error of a turn that is over → error, and hearing goes on', () => {
    const { utter, sound, feed } = conversation();
    utter();
    sound('##########');
    expect(feed({ type: 'transcription_failed', turn: 1, message: 'broken' })).toEqual(['error: broken']);
    expect(sound(`####${'.'.repeat(30)}`)).toEqual(['[thinking]', 'transcribe 2']);
  });

  it('empty transcript → listening, no transcript', () => {
    const { utter, transcribed } = conversation();
    utter();
    expect(transcribed(1, ' ')).toEqual(['[listening]']);
  });

  it('empty transcript of a turn that is over → nothing', () => {
    const { utter, sound, transcribed } = conversation();
    utter();
    sound('##########');
    expect(transcribed(1, ' ')).toEqual([]);
  });

  it('transcript → shown, then the model is asked', () => {
    const { utter, transcribed, effects } = conversation();
    utter();
    expect(transcribed(1, 'What time is it?', 'en')).toEqual([
      'transcript: What time is it?',
      'answer 1: What time is it?',
    ]);
    expect(effects).toContainEqual({
      type: 'send',
      frame: { type: 'transcript', text: 'What time is it?', asr_ms: 7, lang: 'en' },
    });
  });

  it('superseded while it is written down → transcript all the same, carried, no reply', () => {
    const { utter, sound, transcribed, answered } = conversation();
    utter();
    expect(sound('##########')).toEqual(BEGIN);
    expect(transcribed(1, 'Turn on')).toEqual(['transcript: Turn on', 'carried: Turn on']);
    expect(sound(`####${'.'.repeat(30)}`)).toEqual(['[thinking]', 'transcribe 2']);
    expect(transcribed(2, 'the light')).toEqual(['transcript: the light', 'answer 2: Turn on the light']);
    expect(answered(1, 'Late.')).toEqual([]);
  });

  it('superseded while the model is asked → stopped, carried, words join the next turn', () => {
    const { utter, sound, transcribed, sentence, synthesised } = conversation();
    utter();
    transcribed(1, 'Turn on');
    sentence(1, 'Which one?');
    expect(sound('##########')).toEqual([...BEGIN, 'cancel 1', 'carried: Turn on']);
    expect(synthesised(1)).toEqual([]);
    sound(`####${'.'.repeat(30)}`);
    expect(transcribed(2, 'the light')).toEqual(['transcript: the light', 'answer 2: Turn on the light']);
  });

  it('words are carried over noise and over silence, and only once', () => {
    const { utter, sound, transcribed } = conversation();
    utter();
    transcribed(1, 'Turn on');
    sound('##########');
    sound(`##${'.'.repeat(30)}`);
    expect(transcribed(2, '')).toEqual(['[listening]']);
    utter();
    expect(transcribed(3, 'the light')).toContain('answer 3: Turn on the light');
    utter();
    expect(transcribed(4, 'please')).toContain('answer 4: Turn on the light please');
  });

  it('first sentence → speaking, sound, and once the latency from the end of speech', () => {
    const { utter, transcribed, sentence, synthesised, effects } = conversation();
    utter();
    transcribed(1, 'Hello');
    expect(sentence(1, 'Hi.')).toEqual(['speaking: Hi.', 'synthesise 1: Hi.']);
    expect(synthesised(1, 250)).toEqual(['[speaking]', 'play 1', 'latency']);
    expect(sentence(1, 'Bye.')).toEqual(['speaking: Bye.', 'synthesise 1: Bye.']);
    expect(synthesised(1)).toEqual(['play 1']);
    // 600 ms of silence had to pass before anybody knew.
    expect(effects).toContainEqual({ type: 'send', frame: { type: 'latency', first_audio_ms: 850 } });
  });
});

it('speaking: barge-in → stopped, remembered as interrupted, no reply', () => {
  const { utter, sound, transcribed, sentence, synthesised, answered, effects } = conversation();
  utter();
  transcribed(1, 'Tell me a story');
  sentence(1, 'Once upon a time.');
  synthesised(1);
  expect(sound('##########')).toEqual([...BEGIN, 'cancel 1']);
  expect(sentence(1, 'There was a king.')).toEqual([]);
  expect(answered(1, 'Once upon a time. There was a king.')).toEqual([]);
  sound(`####${'.'.repeat(30)}`);
  expect(transcribed(2, 'Another one')).toContain('answer 2: Another one');
  const asked = effects.filter((effect) => effect.type === 'answer').at(-1);
  expect(asked?.history).toEqual([
    { user: 'Tell me a story', assistant: 'Once upon a time.… [interrupted by the user]' },
  ]);
});

describe('an answer that is complete but still played', () => {
  function answered() {
    const talk = conversation();
    talk.utter();
    talk.transcribed(1, 'Tell me a story');
    for (const text of ['One.', 'Two.', 'Three.']) {
      talk.sentence(1, text);
      talk.synthesised(1);
    }
    expect(talk.answered(1, 'One. Two. Three.')).toContain('[listening]');
    return talk;
  }

  /** Silence for so long, then the next utterance; answers what is remembered. */
  function remembered(talk: ReturnType<typeof conversation>, ms: number) {
    talk.sound('.'.repeat(ms / 20));
    talk.utter();
    talk.transcribed(2, 'Another one');
    return talk.effects.filter((effect) => effect.type === 'answer').at(-1)?.history;
  }

  it('is remembered as far as it can have been played', () => {
    const expected = [{ user: 'Tell me a story', assistant: 'One. Two.… [interrupted by the user]' }];
    expect(remembered(answered(), 2_000)).toEqual(expected);
  });

  it('is interrupted once', () => {
    const talk = answered();
    talk.sound('.'.repeat(50));
    talk.utter();
    talk.transcribed(2, '');
    talk.utter();
    talk.transcribed(3, 'Another one');
    const asked = talk.effects.filter((effect) => effect.type === 'answer').at(-1);
    expect(asked?.history).toEqual([{ user: 'Tell me a story', assistant: 'One.… [interrupted by the user]' }]);
  });

  it('is remembered whole when it has been played', () => {
    expect(remembered(answered(), 6_000)).toEqual([{ user: 'Tell me a story', assistant: 'One. Two. Three.' }]);
  });
});

describe('any', () => {
  it('provider error → error, no reply', () => {
    const { utter, transcribed, failed, answered } = conversation();
    utter();
    transcribed(1, 'Hello');
    expect(failed(1)).toEqual(['error: no model', '[listening]']);
    expect(answered(1, 'Hi.')).toEqual([]);
  });

  it('provider error after a sentence → what was said is remembered', () => {
    const { utter, transcribed, sentence, failed, effects } = conversation();
    utter();
    transcribed(1, 'Tell me a story');
    sentence(1, 'One.');
    failed(1);
    utter();
    transcribed(2, 'Go on');
    const asked = effects.filter((effect) => effect.type === 'answer').at(-1);
    expect(asked?.history).toEqual([{ user: 'Tell me a story', assistant: 'One.…' }]);
  });

  it('nothing that can be spoken → error, no reply, no state', () => {
    const { utter, transcribed, answered } = conversation();
    utter();
    transcribed(1, 'Hello');
    expect(answered(1, '—')).toEqual(['error: The model said nothing that can be spoken.']);
    expect(utter()).toEqual([...BEGIN, '[thinking]', 'transcribe 2']);
  });
});

describe('the end', () => {
  it('answer complete → one reply with its times, then listening', () => {
    const { utter, transcribed, sentence, synthesised, answered, effects } = conversation();
    utter();
    transcribed(1, 'Hello');
    sentence(1, 'Hi.');
    synthesised(1, 100);
    expect(answered(1, 'Hi.')).toEqual(['reply: Hi.', '[listening]']);
    expect(answered(1, 'Hi.')).toEqual([]);
    expect(effects).toContainEqual({
      type: 'send',
      frame: { type: 'reply', text: 'Hi.', asr_ms: 7, first_audio_ms: 700, llm_ttft_ms: 5, total_ms: 1_500 },
    });
  });

  it('words without a sound are a reply too', () => {
    const { utter, transcribed, sentence, answered, effects } = conversation();
    utter();
    transcribed(1, 'Hello');
    sentence(1, 'Hi.');
    answered(1, 'Hi.');
    expect(effects).toContainEqual({ type: 'send', frame: expect.objectContaining({ first_audio_ms: null }) });
  });

  it(`the last ${EXCHANGES_MAX} exchanges are remembered`, () => {
    const { utter, transcribed, sentence, answered, effects } = conversation();
    for (let turn = 1; turn <= EXCHANGES_MAX + 2; turn += 1) {
      utter();
      transcribed(turn, `Question ${turn}`);
      sentence(turn, `Answer ${turn}.`);
      answered(turn, `Answer ${turn}.`);
    }
    const asked = effects.filter((effect) => effect.type === 'answer').at(-1);
    expect(asked?.history.map(({ user }) => user)).toEqual(
      Array.from({ length: EXCHANGES_MAX }, (_, at) => `Question ${at + 2}`),
    );
  });
});
