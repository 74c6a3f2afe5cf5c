/** What one engine does for us, and which of its voices is meant. */
import type { Sidecar, Voice } from '../../ports/speech.ts';

/** A few sentences at most: more would mean that the engine hangs. */
export const SYNTHESIS_SECONDS_MAX = 60;
/** What a few sentences cannot fill: five minutes at 48 kHz. */
export const WAV_BYTES_MAX = 32 * 1024 * 1024;

export interface SpeakSettings {
  /** undefined: the engine's own choice. */
  readonly voice: Voice | undefined;
  /** What the owner's settings hold; null for an engine without. */
  readonly sidecar: Sidecar | null;
}

export interface Speaker {
  voices(signal: AbortSignal): Promise<readonly Voice[]>;
  /** One short text as a WAV file. */
  wav(text: string, manner: SpeakSettings, signal: AbortSignal): Promise<Buffer>;
}

/** `en` of `en-US`, `en_us` or `EN`; undefined for what is no code of a language. */
export function primaryLanguage(code: string | undefined): string | undefined {
  return /^([a-z]{2,3})(?:$|[-_])/i.exec(code?.trim() ?? '')?.[1]?.toLowerCase();
}

/** The wanted voice while it speaks the language; else one that does; else the wanted one all the same. */
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

/** Of several that speak a language: the one of its largest region, as far as the names tell. */
function preferred(voices: readonly Voice[]): Voice | undefined {
  return (
    voices.find(({ lang }) => /^en[-_]us$/i.test(lang)) ?? voices.find(({ lang }) => !/[-_]/.test(lang)) ?? voices[0]
  );
}
