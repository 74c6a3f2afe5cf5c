/**
 * Converts audio to the format of recognisers: 16 kHz, one channel, 16 bit.
 *
 * - WAV files of integers or floats are converted here. Other formats go to ffmpeg, with the format named explicitly: a
 *   file that looks like audio, such as a playlist, must not make it open other files.
 * - Conversion yields to the event loop, so that a long file does not block the daemon.
 */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ownTurn } from '../../lib/slices.ts';
import { decodePcm, parseWav, type WavFormat } from '../../lib/wav.ts';
import { SpeechUnavailable } from '../../ports/speech.ts';
import { ProgramFailed, type ProgramRunner } from './program-runner.ts';

export const SPEECH_RATE = 16_000;
/** Limit of a recording: an hour. */
const SECONDS_MAX = 3_600;
const SAMPLES_MAX = SPEECH_RATE * SECONDS_MAX;
const RATE_MIN = 4_000;
const RATE_MAX = 384_000;
const CHANNELS_MAX = 32;
const CONVERT_SECONDS_MAX = 120;
const SAMPLES_PER_TURN = 16_384;
/** Zero crossings of the filter on each side. */
const LOBES = 8;

export interface Recording {
  readonly bytes: Uint8Array;
  readonly mime: string;
}

/** Samples at `SPEECH_RATE`. Throws `SpeechUnavailable`, naming the missing program or the fault. */
export async function speechSamples(
  runner: ProgramRunner,
  recording: Recording,
  signal: AbortSignal,
): Promise<Int16Array> {
  const ready = decodePcm(recording.bytes);
  if (ready?.rate === SPEECH_RATE) return ready.samples;
  const wav = parseWav(recording.bytes);
  const channel = wav === null ? null : await oneChannel(wav, signal);
  if (wav !== null && channel !== null) return await resampled(channel, wav.rate, signal);
  return await converted(runner, recording, signal);
}

/** The mean of all channels, -1 to 1; null for an unknown encoding. */
async function oneChannel(wav: WavFormat, signal: AbortSignal): Promise<Float32Array | null> {
  const { channels, rate, data } = wav;
  const read = READERS[`${wav.encoding}${wav.bits}`];
  if (read === undefined || channels < 1 || channels > CHANNELS_MAX || rate < RATE_MIN || rate > RATE_MAX) return null;
  const width = wav.bits / 8;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const length = Math.floor(data.byteLength / (width * channels));
  if (length / rate > SECONDS_MAX) throw tooLong();
  const samples = new Float32Array(length);
  for (let at = 0; at < length; at += 1) {
    let sum = 0;
    for (let channel = 0; channel < channels; channel += 1) sum += read(view, (at * channels + channel) * width);
    samples[at] = sum / channels;
    if (at % SAMPLES_PER_TURN === SAMPLES_PER_TURN - 1) await yieldUnlessAborted(signal);
  }
  return samples;
}

type Read = (view: DataView, at: number) => number;

const READERS: Readonly<Record<string, Read>> = {
  integer8: (view, at) => (view.getUint8(at) - 128) / 128,
  integer16: (view, at) => view.getInt16(at, true) / 32_768,
  integer24: (view, at) => (view.getUint16(at, true) + view.getInt8(at + 2) * 65_536) / 8_388_608,
  integer32: (view, at) => view.getInt32(at, true) / 2_147_483_648,
  float32: (view, at) => finite(view.getFloat32(at, true)),
  float64: (view, at) => finite(view.getFloat64(at, true)),
};

function finite(sample: number): number {
  return Number.isFinite(sample) ? sample : 0;
}

/** Resamples with a windowed sinc, which also removes frequencies above the new rate's limit. */
async function resampled(from: Float32Array, rate: number, signal: AbortSignal): Promise<Int16Array> {
  const step = rate / SPEECH_RATE;
  const length = Math.floor(from.length / step);
  if (length > SAMPLES_MAX) throw tooLong();
  const to = new Int16Array(length);
  const scale = Math.min(1, 1 / step);
  const reach = LOBES / scale;
  const fine = scale * KERNEL_STEPS;
  for (let at = 0; at < length; at += 1) {
    const centre = at * step;
    const last = Math.min(from.length - 1, Math.floor(centre + reach));
    let sum = 0;
    let weights = 0;
    for (let near = Math.max(0, Math.ceil(centre - reach)); near <= last; near += 1) {
      const weight = KERNEL[Math.round(Math.abs(near - centre) * fine)]!;
      sum += from[near]! * weight;
      weights += weight;
    }
    to[at] = Math.max(-32_768, Math.min(32_767, Math.round((weights === 0 ? 0 : sum / weights) * 32_767)));
    if (at % SAMPLES_PER_TURN === SAMPLES_PER_TURN - 1) await yieldUnlessAborted(signal);
  }
  return to;
}

/** One side of the filter, `KERNEL_STEPS` values between two zero crossings. */
const KERNEL_STEPS = 1_024;
const KERNEL = Float64Array.from({ length: LOBES * KERNEL_STEPS + 1 }, (_, at) => {
  const angle = (Math.PI * at) / KERNEL_STEPS;
  return at === 0 ? 1 : (Math.sin(angle) / angle) * (0.5 + 0.5 * Math.cos(angle / LOBES));
});

async function yieldUnlessAborted(signal: AbortSignal): Promise<void> {
  await ownTurn();
  signal.throwIfAborted();
}

async function converted(runner: ProgramRunner, { bytes, mime }: Recording, signal: AbortSignal): Promise<Int16Array> {
  const demuxer = demuxerOf(bytes, mime);
  if (demuxer === null) throw new SpeechUnavailable('The audio is not a WAV file.');
  const ffmpeg = runner.find('ffmpeg');
  if (ffmpeg === null) {
    throw new SpeechUnavailable(
      `Audio other than WAV needs ffmpeg to be transcribed on this machine: ${ffmpegHint()}. Or send it as audio/wav.`,
    );
  }
  return await runner.inFolder(async (folder) => {
    const input = join(folder, 'recording');
    await writeFile(input, bytes, { mode: 0o600 });
    const command = [
      ...[ffmpeg, '-nostdin', '-hide_banner', '-loglevel', 'error', '-protocol_whitelist', 'file,pipe'],
      ...['-f', demuxer, '-i', input, '-map', '0:a:0', '-t', String(SECONDS_MAX + 1)],
      ...['-ac', '1', '-ar', String(SPEECH_RATE), '-f', 's16le', 'pipe:1'],
    ];
    const outputBytesMax = (SECONDS_MAX + 2) * SPEECH_RATE * 2;
    const job = { command, folder, timeoutSeconds: CONVERT_SECONDS_MAX, outputBytesMax };
    const sound = await runner.run(job, signal).catch((error: unknown) => {
      if (!(error instanceof ProgramFailed)) throw error;
      const what = demuxer === 'wav' ? 'a WAV file' : mime;
      throw new SpeechUnavailable(`The audio is not ${what} that ffmpeg can read${error.complaint}.`);
    });
    if (sound.length / 2 > SAMPLES_MAX) throw tooLong();
    return new Int16Array(sound.buffer.slice(sound.byteOffset, sound.byteOffset + (sound.length & ~1)));
  });
}

function ffmpegHint(): string {
  return process.platform === 'darwin' ? 'brew install ffmpeg' : 'sudo apt-get install ffmpeg';
}

/** ffmpeg's name of the format: by the first bytes, else by the media type; null for `audio/wav` that is not WAV. */
function demuxerOf(bytes: Uint8Array, mime: string): string | null {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 12)).toString('latin1');
  const magic = MAGIC.find(([pattern]) => pattern.test(start));
  return magic?.[1] ?? BY_TYPE[mime] ?? null;
}

const MAGIC: readonly (readonly [RegExp, string])[] = [
  [/^OggS/, 'ogg'],
  [/^fLaC/, 'flac'],
  [/^.E\xdf\xa3/s, 'matroska'],
  [/^....ftyp/s, 'mov'],
  [/^RIFF....WAVE/s, 'wav'],
  [/^(?:ID3|\xff[\xf2\xf3\xfa\xfb])/, 'mp3'],
  [/^\xff[\xf0\xf1\xf8\xf9]/, 'aac'],
];

const BY_TYPE: Readonly<Record<string, string>> = {
  'audio/webm': 'matroska',
  'audio/mp4': 'mov',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/flac': 'flac',
  'audio/aac': 'aac',
};

function tooLong(): SpeechUnavailable {
  return new SpeechUnavailable(`The audio is longer than ${SECONDS_MAX / 60} minutes; send it in parts.`);
}
