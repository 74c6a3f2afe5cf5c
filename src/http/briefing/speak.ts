/** `POST /briefing/speak`: markdown in, a WAV file out. Neither is stored. */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { BRIEFING_SETTINGS_ID, briefingSettings } from '../../commands/briefing/settings.ts';
import { characterCount } from '../../lib/characters.ts';
import { type SpeechPort, SpeechTooLong, SpeechUnavailable } from '../../ports/speech.ts';
import type { Views } from '../../projections/views.ts';
import { voiceRow } from '../../projections/voice.ts';
import { spokenText } from '../../queries/voice/spoken-text.ts';
import type { CommandHandler } from '../../streams/command-handler.ts';
import { unlessDisconnected, whileConnected } from '../server/disconnect.ts';
import { HttpError } from '../server/errors.ts';
import { type Answer, bytes, type RouteSpec, routesOf } from '../server/route.ts';

const { post } = routesOf({ tag: 'briefing' });

interface Dependencies {
  readonly views: Views;
  readonly commandHandler: CommandHandler;
  readonly speech: SpeechPort;
}

/** Characters of markdown. The engine has a limit of its own for one utterance. */
const TEXT_CHARACTERS_MAX = 100_000;

export function speakRoute(deps: Dependencies): RouteSpec {
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
  try {
    return bytes(
      'audio/wav',
      await whileConnected(request.raw, (signal) =>
        deps.speech.speak(text, { engine, sidecar, language, signal, ...(voice !== '' && { voice }) }),
      ),
    );
  } catch (error) {
    if (error instanceof SpeechUnavailable) throw new HttpError(503, error.message);
    if (error instanceof SpeechTooLong) throw new HttpError(413, error.message);
    throw unlessDisconnected(request.raw, error);
  }
}
