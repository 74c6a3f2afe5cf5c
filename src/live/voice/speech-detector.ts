/**
 * Distinguishes speech from silence by energy, frame by frame. Pure: time is counted in frames.
 *
 * - Speech begins after ONSET_FRAMES loud frames in a row; the frames just before belong to it.
 * - It ends after SILENCE_FRAMES quiet frames. Speech of NOISE_SAMPLES_MAX or less is noise.
 */

/** The format of clients: 16 kHz, one channel, 16 bit. */
export const SAMPLE_RATE = 16_000;
/** 20 ms. */
export const FRAME_SAMPLES = 320;
const FRAMES_A_SECOND = SAMPLE_RATE / FRAME_SAMPLES;
const ONSET_FRAMES = 0.2 * FRAMES_A_SECOND;
export const SILENCE_FRAMES = 0.6 * FRAMES_A_SECOND;
const PREROLL_FRAMES = 0.3 * FRAMES_A_SECOND;
/** Shorter speech is noise; the silence at its end is not counted. */
const NOISE_SAMPLES_MAX = 3_200;
/** A longer utterance is split. */
export const UTTERANCE_SECONDS_MAX = 60;
const LOUD_DECIBELS = -45;
const LOUD = 32_768 * 10 ** (LOUD_DECIBELS / 20);

export type SpeechEvent =
  /** Speech began. */
  | { readonly kind: 'onset' }
  | {
      readonly kind: 'utterance';
      readonly samples: Int16Array;
      /** Number of frames since the last loud one. */
      readonly quietFrames: number;
    }
  /** The speech was too short. */
  | { readonly kind: 'noise' };

interface SpeechDetector {
  /** Takes the next frame of FRAME_SAMPLES samples. */
  push(frame: Int16Array): SpeechEvent | null;
}

export function createSpeechDetector(): SpeechDetector {
  let isSpeech = false;
  /** Before the onset, the newest frames that may belong to the utterance; then all its frames. */
  let captured: Int16Array[] = [];
  let loudRun = 0;
  let quietRun = 0;

  function listen(frame: Int16Array, loud: boolean): SpeechEvent | null {
    captured.push(frame);
    if (captured.length > PREROLL_FRAMES + ONSET_FRAMES) captured.shift();
    loudRun = loud ? loudRun + 1 : 0;
    if (loudRun < ONSET_FRAMES) return null;
    isSpeech = true;
    quietRun = 0;
    return { kind: 'onset' };
  }

  function capture(frame: Int16Array, loud: boolean): SpeechEvent | null {
    captured.push(frame);
    quietRun = loud ? 0 : quietRun + 1;
    if (quietRun < SILENCE_FRAMES && captured.length < UTTERANCE_SECONDS_MAX * FRAMES_A_SECOND) return null;
    const frames = captured;
    isSpeech = false;
    captured = [];
    loudRun = 0;
    if ((frames.length - quietRun) * FRAME_SAMPLES <= NOISE_SAMPLES_MAX) return { kind: 'noise' };
    return { kind: 'utterance', samples: joined(frames), quietFrames: quietRun };
  }

  return {
    push(frame) {
      const loud = energy(frame) > LOUD;
      return isSpeech ? capture(frame, loud) : listen(frame, loud);
    },
  };
}

/** Root mean square. */
function energy(frame: Int16Array): number {
  let sum = 0;
  for (const sample of frame) sum += sample * sample;
  return Math.sqrt(sum / frame.length);
}

function joined(frames: readonly Int16Array[]): Int16Array {
  const all = new Int16Array(frames.length * FRAME_SAMPLES);
  frames.forEach((frame, at) => void all.set(frame, at * FRAME_SAMPLES));
  return all;
}

/** Cuts bytes of any length into whole frames; the rest waits for the next bytes. */
export function createFramer(): (bytes: Buffer) => readonly Int16Array[] {
  const frameBytes = FRAME_SAMPLES * 2;
  let rest = Buffer.alloc(0);
  return (bytes) => {
    const all = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    const whole = Math.floor(all.length / frameBytes);
    rest = Buffer.from(all.subarray(whole * frameBytes));
    return Array.from({ length: whole }, (_, at) => samplesOf(all, at * frameBytes));
  };
}

function samplesOf(bytes: Buffer, from: number): Int16Array {
  const samples = new Int16Array(FRAME_SAMPLES);
  for (let at = 0; at < FRAME_SAMPLES; at += 1) samples[at] = bytes.readInt16LE(from + at * 2);
  return samples;
}
