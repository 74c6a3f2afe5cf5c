/** Sound for tests: tones at 16 kHz that differ in pitch, and silence. */
import { FRAME_SAMPLES, SAMPLE_RATE } from '../../src/live/voice/speech-detector.ts';

export const LOUD = 8_000;
const FRAMES_A_SECOND = SAMPLE_RATE / FRAME_SAMPLES;

/** A sine of a pitch; amplitude 0 is silence. */
export function tone(ms: number, { hertz = 440, amplitude = LOUD, rate = SAMPLE_RATE } = {}): Int16Array {
  const samples = new Int16Array(Math.round((ms * rate) / 1_000));
  return samples.map((_, at) => Math.round(amplitude * Math.sin((2 * Math.PI * hertz * at) / rate)));
}

export function silence(ms: number): Int16Array {
  return tone(ms, { amplitude: 0 });
}

export function framesOf(ms: number): number {
  return (ms * FRAMES_A_SECOND) / 1_000;
}

export function bytesOf(samples: Int16Array): Buffer {
  return Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
}

/** A pitch by its zero crossings, as far as a tone has one. */
export function pitchOf(samples: Int16Array, rate: number): number {
  let crossings = 0;
  for (let at = 1; at < samples.length; at += 1) {
    if (samples[at - 1]! < 0 && samples[at]! >= 0) crossings += 1;
  }
  return (crossings * rate) / samples.length;
}
