/** The interface of speech engines, and the choice of a voice. */
import type { Sidecar } from '../../events/voice.ts';
import type { Voice } from '../../ports/speech.ts';

/** Limit for a few sentences; a slower engine hangs. */
export const SYNTHESIS_SECONDS_MAX = 60;
/** Limit for a few sentences: five minutes at 48 kHz. */
export const WAV_BYTES_MAX = 32 * 1024 * 1024;

export interface SpeakSettings {
  /** Undefined selects the engine's default. */
  readonly voice: Voice | undefined;
  /** The sidecar of the settings; null for engines without one. */
  readonly sidecar: Sidecar | null;
}

export interface Speaker {
  voices(signal: AbortSignal): Promise<readonly Voice[]>;
  /** Speaks a short text: a WAV file. */
  wav(text: string, settings: SpeakSettings, signal: AbortSignal): Promise<Buffer>;
}

/** `en` of `en-US`, `en_us` or `EN`; undefined for other texts. */
export function primaryLanguage(code: string | undefined): string | undefined {
  return /^([a-z]{2,3})(?:$|[-_])/i.exec(code?.trim() ?? '')?.[1]?.toLowerCase();
}

/** The requested voice if it speaks the language; else a voice that does; else the requested voice. */
export function voiceFor(
  voices: readonly (Voice & { readonly also?: readonly string[] })[],
  { voice, language }: { readonly voice?: string | undefined; readonly language?: string | undefined },
): Voice | undefined {
  const primary = primaryLanguage(language);
  const speaks = ({ lang, also = [] }: (typeof voices)[number]): boolean =>
    [lang, ...also].some((code) => primaryLanguage(code) === primary);
  const known = voices.find(({ id }) => id === voice);
  if (primary === undefined || (known !== undefined && speaks(known))) return known;
  const exact = voices.find(({ lang }) => lang.toLowerCase() === language?.trim().toLowerCase().replace('_', '-'));
  return exact ?? preferred(voices.filter(speaks)) ?? known;
}

/** The voice of a language's most common region, as far as the names tell. */
function preferred(voices: readonly Voice[]): Voice | undefined {
  return (
    voices.find(({ lang }) => /^en[-_]us$/i.test(lang)) ?? voices.find(({ lang }) => !/[-_]/.test(lang)) ?? voices[0]
  );
}
