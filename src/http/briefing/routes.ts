/** The morning briefing: settings, history, and making a briefing on request. */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { briefing } from '../../commands/briefing/decide.ts';
import { nextDueTime } from '../../commands/briefing/schedule.ts';
import { BRIEFING_SETTINGS_ID, briefingSettings, settingsWith } from '../../commands/briefing/settings.ts';
import { BRIEFING_LOCK_KEY, BRIEFING_TURN_ID, briefingPolicy, briefingTurn } from '../../commands/briefing/turn.ts';
import { Refusal, Refused } from '../../commands/refusal.ts';
import {
  BRIEFING_LENGTHS,
  BRIEFING_SECTIONS,
  BRIEFING_WRITERS,
  type BriefingChanges,
  WEEKDAYS,
  zBriefingSettings,
} from '../../events/briefing/events.ts';
import { characterCount } from '../../lib/characters.ts';
import type { Timers } from '../../lib/timers.ts';
import type { Clock } from '../../ports/clock.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import type { SpeechPort } from '../../ports/speech.ts';
import { briefingRow } from '../../projections/briefing.ts';
import type { Views } from '../../projections/views.ts';
import { voiceRow } from '../../projections/voice.ts';
import { briefingDetail, briefingOverview, zDetail, zOverview } from '../../queries/briefing/overview.ts';
import { spokenText } from '../../queries/voice/spoken-text.ts';
import { untilBriefingEnded } from '../../reactors/briefing/ended.ts';
import type { CommandHandler } from '../../streams/command-handler.ts';
import type { CommittedEvents } from '../../streams/committed-events.ts';
import { whileConnected } from '../server/disconnect.ts';
import { HttpError, notFound, zError } from '../server/errors.ts';
import { queryNumber } from '../server/query-params.ts';
import { type Answer, bytes, type Call, json, ok, type RouteSpec, routesOf, value } from '../server/route.ts';

const PATH_CHARACTERS_MAX = 4_096;
const zPath = z.string().max(PATH_CHARACTERS_MAX);
const { shape } = zBriefingSettings;

const oneOf = <const Names extends readonly string[]>(names: Names) =>
  z.enum(names, { error: `must be one of ${names.join(', ')}` });

/** The settings in a request: any of the fields. The decider checks their combinations. */
const zSettingsBody = z.strictObject({
  enabled: shape.enabled.exactOptional(),
  time: shape.time.exactOptional(),
  days: z.array(oneOf(WEEKDAYS)).exactOptional(),
  timezone: z.string().max(100).nullable().exactOptional(),
  sections: z.array(oneOf(BRIEFING_SECTIONS)).exactOptional(),
  writer: oneOf(BRIEFING_WRITERS).exactOptional().describe(shape.writer.description!),
  provider: shape.provider.exactOptional(),
  model: shape.model.exactOptional(),
  language: shape.language.exactOptional(),
  length: oneOf(BRIEFING_LENGTHS).exactOptional().describe(shape.length.description!),
  workspace: zPath.nullable().exactOptional(),
  repositories: z.array(zPath).exactOptional(),
  hours: shape.hours.exactOptional(),
  keep: shape.keep.exactOptional(),
});
z.globalRegistry.add(zSettingsBody, { examples: [{ enabled: true, time: '07:30', sections: ['runs', 'goals'] }] });

const { get, post, put } = routesOf({ tag: 'briefing' });

export interface Dependencies {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly ids: IdGenerator;
  readonly views: Views;
  readonly commandHandler: CommandHandler;
  readonly committed: CommittedEvents;
  readonly speech: SpeechPort;
}

const WAIT_MS_MAX = 20_000;

const zBody = zSettingsBody.optional();

const INVALID = 'An unknown field, a value that is not allowed, or only one of provider and model.';

export function briefingRoutes(deps: Dependencies): readonly RouteSpec[] {
  return [overviewRoute(deps), settingsRoute(), generateRoute(deps), detailRoute(deps.views), speakRoute(deps)];
}

function overviewRoute(deps: Dependencies): RouteSpec {
  return get('/briefing', {
    operation: 'list',
    summary:
      'Settings, the briefings so far, newest first, and the schedule; `wait` delays the answer until none is made.',
    query: z.object({
      limit: queryNumber({ min: 0, max: 365 }).optional(),
      wait: queryNumber({ min: 0, max: WAIT_MS_MAX })
        .default(0)
        .describe('The answer comes once the running briefing has ended, or after so many milliseconds.'),
    }),
    responses: ok('As of now.', zOverview, { 400: INVALID }),
    async handle({ query: { limit, wait }, request }) {
      if (wait > 0) await whileConnected(request, (signal) => untilBriefingEnded(deps, { ms: wait, signal }));
      const { settings, scheduleSince: since } = deps.commandHandler.load(briefingSettings, BRIEFING_SETTINGS_ID);
      const { taken } = deps.commandHandler.load(briefingTurn, BRIEFING_TURN_ID);
      const nextRunAt = settings.enabled ? nextDueTime(deps.clock.now(), settings, { since, taken }) : null;
      return value(briefingOverview(deps.views, { settings, nextRunAt, limit }));
    },
  });
}

function settingsRoute(): RouteSpec {
  return put('/briefing/settings', {
    operation: 'updateSettings',
    summary: 'Changes the given fields, for every briefing from now on.',
    body: zBody,
    responses: ok('The settings as they are now.', zBriefingSettings, { 400: INVALID }),
    async handle({ body, answerAfter }) {
      const command = { type: 'ChangeBriefingSettings', changes: (body ?? {}) as BriefingChanges } as const;
      return answerAfter(briefingSettings, BRIEFING_SETTINGS_ID, command, ({ settings }) => value(settings));
    },
  });
}

function generateRoute(deps: Dependencies): RouteSpec {
  return post('/briefing/generate', {
    operation: 'generate',
    summary: 'Starts a briefing now; the settings in the body apply to this one only.',
    body: zBody,
    responses: ok(
      'It is being made.',
      {
        id: z.string().describe('Id of the briefing.'),
        running: z.literal(true).describe('It is being made.'),
      },
      {
        400: INVALID,
        409: {
          description: 'One is being made already: `id` names it. Or the Idempotency-Key was used with another body.',
          schema: zError.extend({ id: z.string().optional().describe('Id of the briefing that is being made.') }),
        },
      },
    ),
    handle: (call) => generate(deps, call),
  });
}

function detailRoute(views: Views): RouteSpec {
  return get('/briefing/{id}', {
    operation: 'get',
    summary: 'One briefing whole: its text, the facts behind it, and what the facts alone say.',
    params: z.object({ id: z.string().max(100) }),
    responses: ok('The briefing.', zDetail, { 404: 'There is none with this id in the history.' }),
    handle({ params: { id } }) {
      const row = briefingRow(views, id);
      if (row === undefined) throw notFound('Briefing', id);
      return value(briefingDetail(row));
    },
  });
}

async function generate(
  deps: Dependencies,
  { body, answerAfter }: Pick<Call<unknown, unknown, z.infer<typeof zBody>>, 'body' | 'answerAfter'>,
): Promise<Answer> {
  const saved = deps.commandHandler.load(briefingSettings, BRIEFING_SETTINGS_ID).settings;
  const settings = settingsWith(saved, (body ?? {}) as BriefingChanges);
  if (settings instanceof Refusal) throw new Refused(settings);
  const id = deps.ids.uuid();
  const answer = (): Answer => value({ id, running: true });
  const command = { type: 'RequestBriefing', scheduled_for: null, settings } as const;
  try {
    return await answerAfter(briefing, id, command, { answer, policy: briefingPolicy, lockKey: BRIEFING_LOCK_KEY });
  } catch (error) {
    if (!(error instanceof Refused) || error.refusal.kind !== 'conflict') throw error;
    const { last } = deps.commandHandler.load(briefingTurn, BRIEFING_TURN_ID);
    return json(JSON.stringify({ error: error.message, id: last }), 409);
  }
}

/** Characters of markdown. The engine has a limit of its own for one utterance. */
const TEXT_CHARACTERS_MAX = 100_000;

/** `POST /briefing/speak`: markdown in, a WAV file out. Neither is stored. */
function speakRoute(deps: Dependencies): RouteSpec {
  return post('/briefing/speak', {
    operation: 'speak',
    summary: 'Reads markdown aloud, with the engine and the voice of the voice settings.',
    body: z.object({ text: z.string().describe('The markdown to speak.') }),
    responses: {
      200: { description: 'A WAV file.', type: 'audio/wav' },
      400: 'The text holds nothing to speak.',
      413: `More than ${TEXT_CHARACTERS_MAX} characters, or more than is spoken at once.`,
      503: 'The chosen engine cannot speak; the error says what to install.',
    },
    handle: ({ body, request }) => speak(deps, body.text, request),
  });
}

async function speak(deps: Dependencies, markdown: string, request: FastifyRequest): Promise<Answer> {
  if (characterCount(markdown) > TEXT_CHARACTERS_MAX) {
    throw new HttpError(413, `text must have at most ${TEXT_CHARACTERS_MAX} characters.`);
  }
  const text = await spokenText(markdown);
  if (text === '') throw new HttpError(400, 'text holds nothing to say.');
  const { engine, sidecar, voice } = voiceRow(deps.views);
  const { language } = deps.commandHandler.load(briefingSettings, BRIEFING_SETTINGS_ID).settings;
  const wav = await whileConnected(request, (signal) =>
    deps.speech.speak(text, { engine, sidecar, language, signal, ...(voice !== '' && { voice }) }),
  );
  return bytes('audio/wav', wav);
}
