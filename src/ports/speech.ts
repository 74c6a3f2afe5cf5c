/**
 * What Daybook needs of speech: text spoken as a WAV file, and audio written down. Engines are programs of this machine
 * or servers; which ones are there is asked when they are needed.
 */

export const SPEECH_ENGINES = ['system', 'neural'] as const;
export type SpeechEngineId = (typeof SPEECH_ENGINES)[number];

/** The program of the neural engine and what it is always started with; kept in the settings when it is selected. */
export interface Sidecar {
  readonly command: string;
  readonly args: readonly string[];
}

export interface SpeechEngine {
  readonly id: SpeechEngineId;
  readonly label: string;
  readonly available: boolean;
  /** What it is, or why it cannot run and how to install it. */
  readonly detail: string;
}

export interface Voice {
  readonly id: string;
  readonly name: string;
  readonly lang: string;
  readonly quality: 'default' | 'enhanced' | 'premium' | 'neural';
}

export interface SpeakOptions {
  /** `system` unless it is given. */
  readonly engine?: SpeechEngineId | undefined;
  /** For `neural`; it is looked for unless it is given. */
  readonly sidecar?: Sidecar | null | undefined;
  /** A voice of the engine; one it does not have is passed over. */
  readonly voice?: string | undefined;
  /** What the text is written in. A voice of another language gives way to one that speaks it. */
  readonly language?: string | undefined;
  readonly signal: AbortSignal;
}

/** The engine that wrote it down: on this machine, or on a server to which the audio was uploaded. */
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
  /** The language that was heard; null when the engine does not say. */
  readonly language: string | null;
}

export interface SpeechStatus {
  readonly cloud_stt_configured: boolean;
  readonly cloud_tts_configured: boolean;
  readonly local_model: string;
  readonly local_model_size_mb: number;
  readonly local_model_downloaded: boolean;
  readonly asr_cpp_installed: boolean;
  readonly asr_python_installed: boolean;
  readonly sox_installed: boolean;
  readonly ffmpeg_installed: boolean;
  readonly can_transcribe: boolean;
}

/** The types of audio that can be written down, without parameters. */
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

/** Nothing can speak or write down now. The message is guidance for the user, to be shown as it is. */
export class SpeechUnavailable extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SpeechUnavailable';
  }
}

/** There is more to say than is said in one go. */
export class SpeechTooLong extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SpeechTooLong';
  }
}

export interface SpeechPort {
  /** A WAV file, 16-bit PCM, mono. Throws `SpeechUnavailable`, `SpeechTooLong`, or the signal's reason. */
  speak(text: string, options: SpeakOptions): Promise<Buffer>;
  /** All engines of this build, also those that cannot run here. */
  engines(): Promise<readonly SpeechEngine[]>;
  /** Of one engine; none when it cannot be asked. */
  voices(engine: SpeechEngineId): Promise<readonly Voice[]>;
  /** What is to be kept when an engine is selected. Throws `SpeechUnavailable` when it cannot run here. */
  select(engine: SpeechEngineId): Promise<Sidecar | null>;
  /** Ends an engine that waits, loaded, for its next sentence. */
  dropWarm(): void;
  /** Throws `SpeechUnavailable` when there is no engine or all of them failed, or the signal's reason. */
  transcribe(audio: Uint8Array, options: TranscribeOptions): Promise<Transcript>;
  /** Which engine would be asked first; throws `SpeechUnavailable` when there is none. */
  transcriber(preferLocal: boolean): Promise<TranscriptionEngine>;
  /** What there is, asked at most once a minute. */
  status(): Promise<SpeechStatus>;
  close(): Promise<void>;
}
