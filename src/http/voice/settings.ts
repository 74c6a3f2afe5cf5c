/** Which speech engines work on this machine, and the voice settings: engine, voice, language and answering model. */
import { z } from 'zod';
import { type ChangeVoice, voiceSettings as decider, VOICE_STREAM_ID } from '../../commands/voice.ts';
import type { VoiceSettings } from '../../events/voice.ts';
import type { ModelsPort } from '../../ports/models.ts';
import {
  SPEECH_ENGINES,
  type SpeechPort,
  SpeechUnavailable,
  zSpeechEngine,
  zSpeechStatus,
  zVoice,
} from '../../ports/speech.ts';
import type { Views } from '../../projections/views.ts';
import { voiceRow } from '../../projections/voice.ts';
import { spokenLanguage } from '../../queries/voice/spoken-language.ts';
import { zModelRow } from '../about.ts';
import { HttpError } from '../server/errors.ts';
import { type Answer, ok, type RouteSpec, routesOf, value } from '../server/route.ts';
import { UPLOAD_BYTES_MAX } from './transcribe.ts';

const { get, put } = routesOf({ tag: 'voice' });

export interface Dependencies {
  readonly config: { readonly voice_language: string; readonly voice_prefer_local: boolean };
  readonly views: Views;
  readonly models: ModelsPort;
  readonly speech: SpeechPort;
}

const zStatus = zSpeechStatus.extend({
  prefer_local: z.boolean(),
  language: z.string().describe('Language code in force, or `auto`.'),
  upload_limit_bytes: z.int(),
});
z.globalRegistry.add(zStatus, { id: 'VoiceStatus' });

const zStored = z.object({
  engine: z.string().describe('The engine: `system` or `neural`.'),
  voice: z.string().describe('Id of the voice; empty: the engine chooses.'),
  language: z.string().describe('Language code, or `auto`.'),
  provider: z.string().nullable().describe('Provider of the model that answers spoken turns; null: the selected one.'),
  model: z.string().nullable().describe('The model that answers spoken turns; null: the selected one.'),
});

const zSettings = zStored.extend({
  engines: z.array(zSpeechEngine).describe('Every engine.'),
  voices: z.array(zVoice).describe('Voices of the engine.'),
  languages: z.array(z.string()).describe('Languages of these voices.'),
  models: z.array(zModelRow).describe('Models that can answer spoken turns.'),
});
z.globalRegistry.add(zSettings, { id: 'VoiceSettings' });

const zChange = z.object({
  engine: z.string().optional().describe('The engine: `system` or `neural`.'),
  language: z.string().optional().describe('Language code, or `auto`.'),
  voice: z.string().optional().describe('Id of a voice; empty: the engine chooses.'),
  provider: z.string().nullable().optional().describe('null means empty: answers show null while there is no pair.'),
  model: z.string().nullable().optional().describe('Model of `provider`; null means empty.'),
});
z.globalRegistry.add(zChange, { examples: [{ engine: 'system', language: 'en' }] });

type Change = z.infer<typeof zChange>;

export function voiceSettingsRoutes(deps: Dependencies): readonly RouteSpec[] {
  return [
    get('/voice/status', {
      operation: 'status',
      summary: 'The speech recognition of this machine. What is found out about the machine is kept for a minute.',
      responses: ok('can_transcribe is the field to branch on.', zStatus),
      handle: async () =>
        value({
          ...(await deps.speech.status()),
          prefer_local: deps.config.voice_prefer_local,
          language: spokenLanguage(deps),
          upload_limit_bytes: UPLOAD_BYTES_MAX,
        }),
    }),
    get('/voice/settings', {
      operation: 'settings',
      summary: 'The engine, its voices and languages, and the models that can answer.',
      responses: ok('The settings.', zSettings),
      handle: () => settings(deps),
    }),
    put('/voice/settings', {
      operation: 'updateSettings',
      summary: 'Changes the given fields. provider and model go together; both empty clears them.',
      body: zChange,
      responses: ok('The stored settings.', zStored, {
        400: 'Only one of provider and model, an unknown engine, or one that cannot run here.',
      }),
      async handle({ body, answerAfter }) {
        const { voice, language } = body;
        const engine = body.engine === undefined ? undefined : await selectedEngine(deps, body.engine, body);
        const [provider, model] = [body.provider, body.model].map((text) => (text === null ? '' : text));
        const command = { type: 'ChangeVoice', engine, voice, language, provider, model } as const;
        const before = voiceRow(deps.views);
        const answer = await answerAfter(decider, VOICE_STREAM_ID, command, (state) => value(stored(deps, state)));
        const after = voiceRow(deps.views);
        const isSame = (['engine', 'voice', 'language'] as const).every((name) => after[name] === before[name]);
        if (!isSame) deps.speech.dropWarm();
        return answer;
      },
    }),
  ];
}

async function settings(deps: Dependencies): Promise<Answer> {
  const row = voiceRow(deps.views);
  const [engines, voices, models] = await Promise.all([
    deps.speech.engines(),
    deps.speech.voices(row.engine).catch(() => []),
    deps.models.catalogue(),
  ]);
  const codes = voices.map(({ lang }) => lang.toLowerCase().split(/[-_]/, 1)[0]!);
  const languages = [...new Set(codes)].sort();
  return value({ ...stored(deps, row), engines, voices, languages, models });
}

function stored(deps: Dependencies, state: VoiceSettings) {
  const { engine, voice, provider, model } = state;
  return { engine, voice, language: spokenLanguage(deps, state), provider, model };
}

/**
 * Throws 400 for an engine that cannot run here. The current engine is accepted nevertheless when a client sends all
 * settings back unchanged.
 */
async function selectedEngine(
  deps: Dependencies,
  id: string,
  body: Change,
): Promise<NonNullable<ChangeVoice['engine']>> {
  const engine = SPEECH_ENGINES.find((each) => each === id);
  if (engine === undefined) throw new HttpError(400, `engine must be one of ${SPEECH_ENGINES.join(', ')}.`);
  try {
    return { id: engine, sidecar: await deps.speech.select(engine) };
  } catch (error) {
    if (!(error instanceof SpeechUnavailable)) throw error;
    const row = voiceRow(deps.views);
    if (sendsBack(body, stored(deps, row))) return { id: row.engine, sidecar: row.sidecar };
    throw new HttpError(400, error.message);
  }
}

/** Whether the request holds several settings, all unchanged. `engine` alone is a request for that engine. */
function sendsBack(body: Change, settings: z.infer<typeof zStored>): boolean {
  const present = (['engine', 'voice', 'language', 'provider', 'model'] as const).filter(
    (name) => body[name] !== undefined,
  );
  return present.length > 1 && present.every((name) => (body[name] ?? '') === (settings[name] ?? ''));
}
