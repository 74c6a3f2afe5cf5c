/** Which speech engines work on this machine, and the voice settings: engine, voice, language and answering model. */
import { z } from 'zod';
import { type ChangeVoice, voiceSettings as decider, VOICE_STREAM_ID, type VoiceState } from '../../commands/voice.ts';
import type { ModelsPort } from '../../ports/models.ts';
import type { SpeechPort } from '../../ports/speech.ts';
import { SPEECH_ENGINES, SpeechUnavailable } from '../../ports/speech.ts';
import type { Views } from '../../projections/views.ts';
import { voiceRow } from '../../projections/voice.ts';
import { spokenLanguage } from '../../queries/voice/spoken-language.ts';
import { type Answer, value } from '../server/answer.ts';
import { HttpError, zError } from '../server/errors.ts';
import { type RouteSpec, route } from '../server/route.ts';
import { UPLOAD_BYTES_MAX } from './transcribe.ts';

interface Dependencies {
  readonly config: { readonly voice_language: string; readonly voice_prefer_local: boolean };
  readonly views: Views;
  readonly models: ModelsPort;
  readonly speech: SpeechPort;
}

const zStatus = z.object({
  cloud_stt_configured: z.boolean(),
  cloud_tts_configured: z.boolean(),
  local_model: z.string(),
  local_model_size_mb: z.number(),
  local_model_downloaded: z.boolean(),
  prefer_local: z.boolean(),
  language: z.string(),
  asr_cpp_installed: z.boolean(),
  asr_python_installed: z.boolean(),
  sox_installed: z.boolean(),
  ffmpeg_installed: z.boolean(),
  can_transcribe: z.boolean(),
  upload_limit_bytes: z.int(),
});
z.globalRegistry.add(zStatus, { id: 'VoiceStatus' });

const zStored = z.object({
  engine: z.string(),
  voice: z.string(),
  language: z.string(),
  provider: z.string().nullable(),
  model: z.string().nullable(),
});

const zSettings = zStored.extend({
  engines: z.array(z.object({ id: z.string(), label: z.string(), available: z.boolean(), detail: z.string() })),
  voices: z.array(z.object({ id: z.string(), name: z.string(), lang: z.string(), quality: z.string() })),
  languages: z.array(z.string()),
  models: z.array(
    z.object({
      id: z.string(),
      name: z.string().optional(),
      provider: z.string(),
      active: z.literal(true).optional(),
      size_bytes: z.int().optional(),
    }),
  ),
});
z.globalRegistry.add(zSettings, { id: 'VoiceSettings' });

const zChange = z.object({
  engine: z.string().optional(),
  language: z.string().optional(),
  voice: z.string().optional(),
  provider: z.string().nullable().optional().describe('null means empty: answers show null while there is no pair.'),
  model: z.string().nullable().optional(),
});
z.globalRegistry.add(zChange, { examples: [{ engine: 'system', language: 'en' }] });

type Change = z.infer<typeof zChange>;

export function voiceSettingsRoutes(deps: Dependencies): readonly RouteSpec[] {
  const common = { tag: 'voice', auth: 'bearer' } as const;
  return [
    route({
      ...common,
      method: 'GET',
      path: '/voice/status',
      operation: 'status',
      summary: 'What can write audio down here. What is found out about the machine holds for a minute.',
      responses: { 200: { description: 'can_transcribe is the field to branch on.', schema: zStatus } },
      handle: async () =>
        value({
          ...(await deps.speech.status()),
          prefer_local: deps.config.voice_prefer_local,
          language: spokenLanguage(deps),
          upload_limit_bytes: UPLOAD_BYTES_MAX,
        }),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/voice/settings',
      operation: 'settings',
      summary: 'The engine, its voices and languages, and the models that can answer.',
      responses: { 200: { description: 'The settings.', schema: zSettings } },
      handle: () => settings(deps),
    }),
    route({
      ...common,
      method: 'PUT',
      path: '/voice/settings',
      operation: 'updateSettings',
      summary: 'Changes what is named. provider and model go together; both empty clears them.',
      body: zChange,
      responses: {
        200: { description: 'As now stored.', schema: zStored },
        400: { description: 'Half a pair, an unknown engine, or one that cannot run here.', schema: zError },
      },
      async handle({ body, dispatch }) {
        const { voice, language } = body;
        const engine = body.engine === undefined ? undefined : await selectedEngine(deps, body.engine, body);
        const [provider, model] = [body.provider, body.model].map((text) => (text === null ? '' : text));
        const command = { type: 'ChangeVoice', engine, voice, language, provider, model } as const;
        const before = voiceRow(deps.views);
        const { state } = await dispatch(decider, VOICE_STREAM_ID, command, (after) => value(stored(deps, after)));
        const isSame = (['engine', 'voice', 'language'] as const).every((name) => state[name] === before[name]);
        if (!isSame) deps.speech.dropWarm();
        return value(stored(deps, state));
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

function stored(deps: Dependencies, state: VoiceState) {
  const { engine, voice, provider, model } = state;
  return { engine, voice, language: spokenLanguage(deps, state), provider, model };
}

/**
 * Throws 400 for an engine that cannot run here. The one in force is accepted all the same when a client sends back the
 * settings that it got, without a change.
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

/** Whether the request names several settings, all as they are: `engine` alone asks for that engine. */
function sendsBack(body: Change, settings: z.infer<typeof zStored>): boolean {
  const named = (['engine', 'voice', 'language', 'provider', 'model'] as const).filter(
    (name) => body[name] !== undefined,
  );
  return named.length > 1 && named.every((name) => (body[name] ?? '') === (settings[name] ?? ''));
}
