/** WAV files of every kind are converted to 16 kHz mono; other data is refused. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SPEECH_RATE, speechSamples } from '../../src/integrations/speech/audio.ts';
import { createProgramRunner } from '../../src/integrations/speech/program-runner.ts';
import { decodePcm, encodeWav, parseWav } from '../../src/lib/wav.ts';
import { SpeechUnavailable } from '../../src/ports/speech.ts';
import { pitchOf, tone } from './sound.ts';

/** A machine without a single program. */
const BARE = createProgramRunner({ home: '/nowhere', env: { PATH: '' }, newId: () => 'id' });

interface Kind {
  readonly bits: number;
  readonly float?: boolean;
  readonly channels?: number;
  readonly rate: number;
  readonly extensible?: boolean;
}

const WRITERS: Readonly<Record<string, (file: Buffer, at: number, value: number) => void>> = {
  '8': (file, at, value) => file.writeUInt8(Math.round(value * 127 + 128), at),
  '16': (file, at, value) => file.writeInt16LE(Math.round(value * 32_767), at),
  '24': (file, at, value) => file.writeIntLE(Math.round(value * 8_388_607), at, 3),
  '32': (file, at, value) => file.writeInt32LE(Math.round(value * 2_147_483_647), at),
  'float 32': (file, at, value) => file.writeFloatLE(value, at),
  'float 64': (file, at, value) => file.writeDoubleLE(value, at),
};

/** 400 ms of 440 Hz at half of full scale, with a chunk before the sound that has an odd size. */
function wavFile({ bits, float = false, channels = 1, rate, extensible = false }: Kind): Buffer {
  const frames = Math.round(rate * 0.4);
  const width = bits / 8;
  const data = Buffer.alloc(frames * channels * width);
  for (let at = 0; at < frames * channels; at += 1) {
    const value = 0.5 * Math.sin((2 * Math.PI * 440 * Math.floor(at / channels)) / rate);
    WRITERS[`${float ? 'float ' : ''}${bits}`]!(data, at * width, value);
  }
  const format = Buffer.alloc(extensible ? 40 : 16);
  format.writeUInt16LE(extensible ? 0xfffe : float ? 3 : 1, 0);
  format.writeUInt16LE(channels, 2);
  format.writeUInt32LE(rate, 4);
  format.writeUInt32LE(rate * channels * width, 8);
  format.writeUInt16LE(channels * width, 12);
  format.writeUInt16LE(bits, 14);
  if (extensible) format.writeUInt16LE(float ? 3 : 1, 24);
  const chunk = (id: string, body: Buffer): Buffer => {
    const size = Buffer.alloc(4);
    size.writeUInt32LE(body.length);
    return Buffer.concat([Buffer.from(id), size, body, Buffer.alloc(body.length % 2)]);
  };
  const body = Buffer.concat([
    Buffer.from('WAVE'),
    chunk('fmt ', format),
    chunk('LIST', Buffer.from('odd')),
    chunk('data', data),
  ]);
  return chunk('RIFF', body);
}

const recording = (bytes: Buffer) => ({ bytes, mime: 'audio/wav' });
const never = new AbortController().signal;

describe('a WAV file', () => {
  const kinds: readonly Kind[] = [
    { bits: 8, rate: 8_000 },
    { bits: 16, rate: 16_000 },
    { bits: 16, rate: 44_100, channels: 2 },
    { bits: 24, rate: 48_000 },
    { bits: 24, rate: 96_000, channels: 6, extensible: true },
    { bits: 32, rate: 22_050 },
    { bits: 32, rate: 48_000, float: true },
    { bits: 64, rate: 11_025, float: true, channels: 2 },
  ];
  it.each(kinds)('of $bits bits at $rate Hz is converted without loss of pitch and length', async (kind) => {
    const samples = await speechSamples(BARE, recording(wavFile(kind)), never);
    expect(Math.abs(samples.length - SPEECH_RATE * 0.4)).toBeLessThanOrEqual(2);
    expect(pitchOf(samples, SPEECH_RATE)).toBeGreaterThan(430);
    expect(pitchOf(samples, SPEECH_RATE)).toBeLessThan(445);
    const loudest = Math.max(...samples.slice(1_000, -1_000));
    expect(loudest / 32_768).toBeGreaterThan(0.47);
    expect(loudest / 32_768).toBeLessThan(0.52);
  });

  it('loses what 16 kHz cannot hold instead of folding it back', async () => {
    const bytes = encodeWav({ rate: 48_000, samples: tone(400, { hertz: 15_000, rate: 48_000 }) });
    const samples = await speechSamples(BARE, recording(bytes), never);
    expect(Math.max(...samples.slice(500, -500))).toBeLessThan(400);
  });

  it('is written as it is read', () => {
    const samples = tone(50);
    expect(decodePcm(encodeWav({ rate: 22_050, samples }))).toEqual({ rate: 22_050, samples });
  });

  it.each([0x7fff_f000, 0xffff_ffff, 0])('of unknown size, written as %d, has the samples that are there', (size) => {
    const file = encodeWav({ rate: 22_050, samples: tone(50) });
    file.writeUInt32LE(size, 4);
    file.writeUInt32LE(size, 40);
    expect(decodePcm(file)?.samples).toEqual(tone(50));
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['text', Buffer.from('RIFF is what this text begins with, and WAVE is in it too')],
    ['a header', encodeWav({ rate: 16_000, samples: tone(10) }).subarray(0, 30)],
  ])('is not %s', (_name, bytes) => {
    expect(parseWav(bytes)).toBeNull();
  });
});

it.each([
  ['that is called WAV', Buffer.from('this is no sound at all'), 'audio/wav'],
  ['of a few bytes', Buffer.from([1, 2, 3]), 'audio/wav'],
  ['with another name than RIFF', Buffer.from('RIFX\0\0\0\0WAVEfmt '), 'audio/wav'],
])('garbage: %s is not a WAV file, with ffmpeg or without', async (_what, bytes, mime) => {
  const failure = speechSamples(BARE, { bytes, mime }, never);
  await expect(failure).rejects.toThrow(/^The audio is not a WAV file\.$/);
});

it.each([
  ['other audio', Buffer.from('OggS and so on')],
  ['a rate nobody records at', wavFile({ bits: 16, rate: 1_000 })],
])('without ffmpeg: %s is refused with what to do', async (_name, bytes) => {
  await expect(speechSamples(BARE, { bytes, mime: 'audio/ogg' }, never)).rejects.toThrow(/ffmpeg.*audio\/wav/);
});

it('no bytes at all break the reader', async () => {
  const file = wavFile({ bits: 16, rate: 16_000 }).subarray(0, 400);
  const damage = fc.array(fc.tuple(fc.nat(file.length - 1), fc.nat(255)), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(damage, fc.nat(file.length), async (changes, end) => {
      const bytes = Buffer.from(file.subarray(0, end));
      for (const [at, byte] of changes) if (at < bytes.length) bytes[at] = byte;
      const heard = await speechSamples(BARE, recording(bytes), never).catch((error: unknown) => error);
      expect(heard instanceof Int16Array || heard instanceof SpeechUnavailable).toBe(true);
    }),
    { numRuns: 500 },
  );
});

it('a caller that disconnects ends the conversion of a long file', async () => {
  const bytes = encodeWav({ rate: 48_000, samples: new Int16Array(48_000 * 60) });
  const hangUp = new AbortController();
  const work = speechSamples(BARE, recording(bytes), hangUp.signal);
  hangUp.abort(new Error('gone'));
  await expect(work).rejects.toThrow('gone');
});
