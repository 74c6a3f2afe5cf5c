/** The voice settings. Appended by `PUT /voice/settings` to the one stream `settings-voice`. */
import { z } from 'zod';
import { define, type EventIn } from './define.ts';

/** Program and fixed arguments of the neural voice. */
export interface Sidecar {
  readonly command: string;
  readonly args: readonly string[];
}

/** The settings; language, provider and model are null before they are set. */
export interface VoiceSettings {
  readonly engine: 'system' | 'neural';
  readonly sidecar: Sidecar | null;
  readonly voice: string;
  readonly language: string | null;
  readonly provider: string | null;
  readonly model: string | null;
}

export const UNSET_VOICE: VoiceSettings = {
  engine: 'system',
  sidecar: null,
  voice: '',
  language: null,
  provider: null,
  model: null,
};

export const voiceEvents = {
  /** `sidecar` is the program of the neural voice, which was present at the time; null for the system voice. */
  VoiceEngineSelected: define(
    'VoiceEngineSelected',
    z.object({
      engine: z.enum(['system', 'neural']),
      sidecar: z.object({ args: z.array(z.string()), command: z.string() }).nullable(),
    }),
  ),
  /** A voice of the engine by its id; an empty one leaves the choice to the engine. */
  VoiceSelected: define('VoiceSelected', z.object({ voice: z.string() })),
  /** A language code, or `auto`. */
  VoiceLanguageSet: define('VoiceLanguageSet', z.object({ language: z.string() })),
  /** The model that answers spoken turns, whatever model a client asks for. */
  VoiceModelSet: define('VoiceModelSet', z.object({ model: z.string(), provider: z.string() })),
  VoiceModelCleared: define('VoiceModelCleared', z.object({})),
} as const;

export type VoiceEvent = EventIn<typeof voiceEvents>;
