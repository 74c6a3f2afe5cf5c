/** The voice settings; a field is null until it is first set. */
import { type Sidecar, UNSET_VOICE, type VoiceEvent, type VoiceSettings } from '../events/voice.ts';
import { handlers, type Projection } from './projection.ts';
import type { Views } from './views.ts';

const SET = (column: string): string =>
  `INSERT INTO voice_settings (only, ${column}) VALUES (1, ?) ON CONFLICT (only) DO UPDATE SET ${column} = excluded.${column}`;

export const voice: Projection = {
  name: 'voice',
  version: 1,
  tables: ['voice_settings'],
  create: `CREATE TABLE voice_settings (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    engine TEXT NOT NULL DEFAULT 'system',
    sidecar TEXT,
    voice TEXT NOT NULL DEFAULT '',
    language TEXT,
    provider TEXT,
    model TEXT
  );`,
  on: handlers<VoiceEvent>({
    VoiceEngineSelected(views, { data: { engine, sidecar } }) {
      views.run(SET('engine'), engine);
      views.run(SET('sidecar'), sidecar === null ? null : JSON.stringify(sidecar));
    },
    VoiceSelected: (views, event) => views.run(SET('voice'), event.data.voice),
    VoiceLanguageSet: (views, event) => views.run(SET('language'), event.data.language),
    VoiceModelSet(views, event) {
      views.run(SET('provider'), event.data.provider);
      views.run(SET('model'), event.data.model);
    },
    VoiceModelCleared: (views) => views.run('UPDATE voice_settings SET provider = NULL, model = NULL'),
  }),
};

export function voiceRow(views: Views): VoiceSettings {
  const row = views.get<Omit<VoiceSettings, 'sidecar'> & { sidecar: string | null }>(
    'SELECT engine, sidecar, voice, language, provider, model FROM voice_settings',
  );
  if (row === undefined) return UNSET_VOICE;
  return { ...row, sidecar: row.sidecar === null ? null : (JSON.parse(row.sidecar) as Sidecar) };
}
