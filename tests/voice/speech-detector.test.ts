/** Speech and silence by energy, one character per frame of 20 ms: `#` is loud, `.` is quiet. */
import { describe, expect, it } from 'vitest';
import {
  createFramer,
  createSpeechDetector,
  FRAME_SAMPLES,
  type SpeechEvent,
  UTTERANCE_SECONDS_MAX,
} from '../../src/live/voice/speech-detector.ts';
import { tone } from './sound.ts';

const LOUD = tone(20);
const QUIET = new Int16Array(FRAME_SAMPLES);

/** The events, by the number of the frame after which it is known. */
function detect(picture: string): Record<number, string> {
  const detector = createSpeechDetector();
  const detected: Record<number, string> = {};
  [...picture].forEach((frame, at) => {
    const sound = detector.push(frame === '#' ? LOUD : QUIET);
    if (sound !== null) detected[at + 1] = named(sound);
  });
  return detected;
}

function named(sound: SpeechEvent): string {
  if (sound.kind !== 'utterance') return sound.kind;
  return `utterance of ${sound.samples.length / FRAME_SAMPLES}, quiet for ${sound.quietFrames}`;
}

describe('an onset', () => {
  it('is 200 ms of speech in a row', () => {
    expect(detect('#########')).toEqual({});
    expect(detect('##########')).toEqual({ 10: 'onset' });
    expect(detect('#########.#########')).toEqual({});
    expect(detect('...####.##########')).toEqual({ 18: 'onset' });
  });

  it.each([
    { decibels: -46, detected: {} },
    { decibels: -44, detected: { 10: 'onset' } },
  ])('of $decibels dBFS is heard above -45', ({ decibels, detected }) => {
    // A square wave has its amplitude as its root mean square.
    const amplitude = Math.round(32_768 * 10 ** (decibels / 20));
    const frame = new Int16Array(FRAME_SAMPLES).map((_, at) => (at % 2 === 0 ? amplitude : -amplitude));
    const detector = createSpeechDetector();
    const known = Array.from({ length: 12 }, (_, at) => [at + 1, detector.push(frame)?.kind] as const);
    expect(Object.fromEntries(known.filter(([, kind]) => kind !== undefined))).toEqual(detected);
  });
});

describe('an utterance', () => {
  it('ends after 600 ms of silence and keeps 300 ms from before', () => {
    const before = '.'.repeat(40);
    const speech = '#'.repeat(20);
    const after = '.'.repeat(30);
    expect(detect(`${before}${speech}${after}`)).toEqual({ 50: 'onset', 90: 'utterance of 65, quiet for 30' });
  });

  it('goes on over a pause of 580 ms', () => {
    const pause = '.'.repeat(29);
    expect(detect(`${'#'.repeat(10)}${pause}#${'.'.repeat(30)}`)).toEqual({
      10: 'onset',
      70: 'utterance of 70, quiet for 30',
    });
  });

  it('of no more than 3200 samples is noise, and one of a frame more is not', () => {
    expect(detect(`${'#'.repeat(10)}${'.'.repeat(30)}`)).toEqual({ 10: 'onset', 40: 'noise' });
    expect(detect(`.${'#'.repeat(10)}${'.'.repeat(30)}`)).toEqual({ 11: 'onset', 41: 'utterance of 41, quiet for 30' });
  });

  it('without an end is heard in parts', () => {
    const frames = UTTERANCE_SECONDS_MAX * 50;
    expect(detect('#'.repeat(frames + 10))).toEqual({
      10: 'onset',
      [frames]: `utterance of ${frames}, quiet for 0`,
      [frames + 10]: 'onset',
    });
  });

  it('holds the samples in order', () => {
    const detector = createSpeechDetector();
    const frames = Array.from({ length: 50 }, (_, at) => new Int16Array(FRAME_SAMPLES).fill(at < 20 ? 1_000 + at : 0));
    const sounds = frames.map((frame) => detector.push(frame)).filter((sound) => sound !== null);
    const last = sounds.at(-1);
    expect(last?.kind === 'utterance' && [...last.samples.filter((_, at) => at % FRAME_SAMPLES === 0)]).toEqual(
      frames.map((frame) => frame[0]),
    );
  });
});

it.each([1, 3, 639, 640, 641, 5_000])('bytes of any length come as the same frames in pieces of %i', (size) => {
  const samples = tone(200, { hertz: 300 });
  const bytes = Buffer.from(samples.buffer);
  const framer = createFramer();
  const frames: Int16Array[] = [];
  for (let at = 0; at < bytes.length; at += size) frames.push(...framer(bytes.subarray(at, at + size)));
  expect(frames.every((frame) => frame.length === FRAME_SAMPLES)).toBe(true);
  expect(frames.flatMap((frame) => [...frame])).toEqual([...samples]);
});
