/** Speech synthesis and recognition by programs of this machine or by servers. */
import { z } from 'zod';
import type { Sidecar } from '../events/voice.ts';
import { PortError } from './port-error.ts';

export const SPEECH_ENGINES = ['system', 'neural'] as const;
export type SpeechEngineId = (typeof SPEECH_ENGINES)[number];

export const zSpeechEngine = z.object({
  id: z.string().describe('Name for `engine`.'),
  label: z.string().describe('Name for people.'),
  available: z.boolean().describe('Whether it can run here.'),
  detail: z.string().describe('A description, or why it cannot run and how to install it.'),
});
export interface SpeechEngine extends Readonly<z.infer<typeof zSpeechEngine>> {
  readonly id: SpeechEngineId;
}

export const zVoice = z.object({
  id: z.string().describe('Name for `voice`.'),
  name: z.string().describe('Name for people.'),
  lang: z.string().describe('Its language, such as `en-US`.'),
  quality: z.string().describe('Quality of the voice: default, enhanced, premium or neural.'),
});
export interface Voice extends Readonly<z.infer<typeof zVoice>> {
  readonly quality: 'default' | 'enhanced' | 'premium' | 'neural';
}

export interface SpeakOptions {
  /** Default: `system`. */
  readonly engine?: SpeechEngineId | undefined;
  /** For `neural`; looked for when it is missing. */
  readonly sidecar?: Sidecar | null | undefined;
  /** A voice of the engine; ignored when the engine does not have it. */
  readonly voice?: string | undefined;
  /** Language of the text. A voice of another language is replaced by one of this language. */
  readonly language?: string | undefined;
  readonly signal: AbortSignal;
}

/** The place of transcription: this machine, or a server to which the audio was uploaded. */
export type TranscriptionEngine = 'local_asr' | 'cloud_asr';

export interface TranscribeOptions {
  /** One of `AUDIO_TYPES`. */
  readonly mime: string;
  /** A language code, or `auto`. */
  readonly language: string;
  readonly preferLocal: boolean;
  readonly signal: AbortSignal;
}

export interface Transcript {
  readonly text: string;
  readonly engine: TranscriptionEngine;
  /** The recognised language; null when the engine does not report it. */
  readonly language: string | null;
}

export const zSpeechStatus = z.object({
  cloud_stt_configured: z
    .boolean()
    .describe('Whether a provider with a transcription service has its key (OpenAI, else Groq).'),
  cloud_tts_configured: z.boolean().describe('Always false: this build asks no service to speak.'),
  local_model: z
    .string()
    .describe('Name of the Whisper model for this machine, such as `base`: the setting `voice_local_model`.'),
  local_model_size_mb: z
    .number()
    .describe(
      'Size of the file of the model in MiB: as published for known models, else of the file that is there, 0 without one.',
    ),
  local_model_downloaded: z
    .boolean()
    .describe('Whether a file of the model is there, for an installed recogniser if one is.'),
  asr_cpp_installed: z.boolean().describe('Whether `whisper-cli` or `whisper-cpp` (whisper.cpp) is on the PATH.'),
  asr_python_installed: z.boolean().describe('Whether `python3` is on the PATH and has the package `whisper`.'),
  sox_installed: z.boolean().describe('Whether the program `sox` is on the PATH.'),
  ffmpeg_installed: z.boolean().describe('Whether the program `ffmpeg` is on the PATH.'),
  can_transcribe: z
    .boolean()
    .describe('Whether speech can be written down: by a service, or here with a recogniser and its model.'),
});
export type SpeechStatus = Readonly<z.infer<typeof zSpeechStatus>>;

/** Media types that can be transcribed, without parameters. */
export const AUDIO_TYPES = [
  'audio/webm',
  'audio/wav',
  'audio/mp4',
  'audio/mpeg',
  'audio/ogg',
  'audio/flac',
  'audio/aac',
] as const;
export type AudioType = (typeof AUDIO_TYPES)[number];

/** No engine is available. The message is guidance for the user. */
export class SpeechUnavailable extends PortError {
  override readonly name: string = 'SpeechUnavailable';

  constructor(message: string) {
    super('unavailable', message);
  }
}

export interface SpeechPort {
  /**
   * Speaks a text: a WAV file, 16-bit PCM, mono. Throws `SpeechUnavailable`, `PortError` for a text that is too long,
   * or the signal's reason.
   */
  speak(text: string, options: SpeakOptions): Promise<Buffer>;
  /** All engines of this build, including those that cannot run here. */
  engines(): Promise<readonly SpeechEngine[]>;
  /** The voices of an engine; none when it cannot be asked. */
  voices(engine: SpeechEngineId): Promise<readonly Voice[]>;
  /** The settings to store when the engine is selected. Throws `SpeechUnavailable` when it cannot run here. */
  select(engine: SpeechEngineId): Promise<Sidecar | null>;
  /** Ends an idle engine process that stays loaded for the next sentence. */
  dropWarm(): void;
  /**
   * Transcribes audio. Throws `SpeechUnavailable` when there is no engine or all of them failed, or the signal's
   * reason.
   */
  transcribe(audio: Uint8Array, options: TranscribeOptions): Promise<Transcript>;
  /** The engine that `transcribe` would ask first. Throws `SpeechUnavailable` when there is none. */
  transcriber(preferLocal: boolean): Promise<TranscriptionEngine>;
  /** The installed and configured engines, at most a minute old. */
  status(): Promise<SpeechStatus>;
  close(): Promise<void>;
}
