/** The pure parts of the view Talk: the sample rate of its sound, and the transcript made from frames. */
import { describe, expect, it } from 'vitest';
import { createResampler } from '../../web/lib/resample.ts';
import { type Entry, type Frame, foldFrame } from '../../web/views/voice/transcript.ts';
import { pitchOf, tone } from '../voice/sound.ts';

describe('sound at another rate', () => {
  const floats = (samples: Int16Array): Float32Array => Float32Array.from(samples, (sample) => sample / 0x7fff);

  it.each([48_000, 44_100, 16_000, 8_000])('keeps its length and pitch from %d Hz', (rate) => {
    const input = floats(tone(1_000, { hertz: 500, rate }));
    const output = createResampler(rate, 16_000)(input);
    expect(Math.abs(output.length - 16_000)).toBeLessThanOrEqual(1);
    expect(pitchOf(output, 16_000)).toBeCloseTo(500, -1);
  });

  it('is the same in pieces of any length as at once', () => {
    const input = floats(tone(200, { hertz: 440, rate: 44_100 }));
    const whole = createResampler(44_100, 16_000)(input);
    const resample = createResampler(44_100, 16_000);
    const pieces: number[] = [];
    for (let at = 0; at < input.length; at += 128) pieces.push(...resample(input.slice(at, at + 128)));
    expect(Int16Array.from(pieces)).toEqual(whole);
  });

  it('is cut where it is louder than loudest', () => {
    expect([...createResampler(16_000, 16_000)(Float32Array.of(2, -2, Number.NaN))]).toEqual([32_767, -32_767, 0]);
  });
});

describe('the transcript', () => {
  const said = (...frames: readonly Frame[]): readonly Entry[] =>
    frames.reduce<readonly Entry[]>((entries, frame) => foldFrame(entries, frame), []);

  it('has the question, the answer as it grows, and the whole answer with its times', () => {
    const asked = [
      { type: 'flush' },
      { type: 'state', state: 'hearing' },
      { type: 'transcript', text: 'What time is it?', asr_ms: 120, lang: 'en' },
      { type: 'speaking', text: 'It is nine.' },
      { type: 'latency', first_audio_ms: 850 },
      { type: 'speaking', text: 'Good day.' },
    ];
    const heard = { kind: 'heard', text: 'What time is it?', asrMs: 120, language: 'en' };
    const times = { firstAudioMs: 850, firstWordMs: null, totalMs: null };
    expect(said(...asked)).toEqual([heard, { kind: 'reply', text: 'It is nine. Good day.', status: 'open', ...times }]);
    const reply = { type: 'reply', text: 'It is nine. Good day.', first_audio_ms: 850, llm_ttft_ms: 40, total_ms: 900 };
    expect(said(...asked, reply)).toEqual([
      heard,
      {
        kind: 'reply',
        text: 'It is nine. Good day.',
        status: 'done',
        firstAudioMs: 850,
        firstWordMs: 40,
        totalMs: 900,
      },
    ]);
  });

  it('marks an answer that the person interrupted, and no other', () => {
    const entries = said(
      { type: 'speaking', text: 'One.' },
      { type: 'reply', text: 'One.' },
      { type: 'flush' },
      { type: 'speaking', text: 'Two.' },
      { type: 'flush' },
      { type: 'carried', text: 'and three' },
      { type: 'speaking', text: 'Three.' },
    );
    expect(entries).toMatchObject([
      { text: 'One.', status: 'done' },
      { text: 'Two.', status: 'interrupted' },
      { kind: 'carried', text: 'and three' },
      { text: 'Three.', status: 'open' },
    ]);
  });

  it('keeps an answer in one piece when the daemon tells of a failure in it', () => {
    const entries = said(
      { type: 'speaking', text: 'One.' },
      { type: 'error', message: 'Nothing can speak.' },
      { type: 'speaking', text: 'Two.' },
      { type: 'transcript', text: 'And then?' },
      { type: 'speaking', text: 'Three.' },
    );
    expect(entries).toMatchObject([
      { text: 'One. Two.', status: 'done' },
      { kind: 'error' },
      { kind: 'heard' },
      { text: 'Three.', status: 'open' },
    ]);
  });

  it('says what the daemon says of a failure, and leaves unknown frames out', () => {
    expect(said({ type: 'later' }, { type: 'error', message: 'The model fails.' })).toEqual([
      { kind: 'error', text: 'The model fails.' },
    ]);
  });
});
