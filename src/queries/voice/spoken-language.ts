/** The language that Daybook speaks and expects: a code, or `auto`. */
import type { Views } from '../../projections/views.ts';
import { voiceRow } from '../../projections/voice.ts';

/** The language in the voice settings, else the one in the daemon's settings; blank counts as not set. */
export function spokenLanguage(
  { views, config }: { readonly config: { readonly voice_language: string }; readonly views: Views },
  { language }: { readonly language: string | null } = voiceRow(views),
): string {
  return language?.trim() || config.voice_language;
}
