/** Reading a text aloud: markdown in, a WAV file out. Nothing is kept of either. */
import type { FastifyRequest } from 'fastify';
import { BRIEFING_SETTINGS_ID, briefingSettings } from '../../commands/briefing/settings.ts';
import type { SpeechPort } from '../../ports/speech.ts';
import { SpeechTooLong, SpeechUnavailable } from '../../ports/speech.ts';
import type { Views } from '../../projections/views.ts';
import { voiceRow } from '../../projections/voice.ts';
import { spokenText } from '../../queries/voice/spoken-text.ts';
import type { Dispatcher } from '../../streams/dispatch.ts';
import { type Answer, bytes } from '../server/answer.ts';
import { HttpError } from '../server/errors.ts';
import { untilHangUp } from '../server/hang-up.ts';

interface Dependencies {
  readonly views: Views;
  readonly dispatcher: Dispatcher;
  readonly speech: SpeechPort;
}

/** Of markdown; how much is spoken at once is the engine's to say. */
export const TEXT_CHARACTERS_MAX = 100_000;

export async function speak(deps: Dependencies, markdown: string, request: FastifyRequest): Promise<Answer> {
  if (markdown.length > TEXT_CHARACTERS_MAX) {
    throw new HttpError(413, `text must have at most ${TEXT_CHARACTERS_MAX} characters.`);
  }
  const text = await spokenText(markdown);
  if (text === '') throw new HttpError(400, 'text holds nothing to say.');
  const { engine, sidecar, voice } = voiceRow(deps.views);
  const { language } = deps.dispatcher.load(briefingSettings, BRIEFING_SETTINGS_ID).settings;
  try {
    return bytes(
      'audio/wav',
      await untilHangUp(request.raw, (signal) =>
        deps.speech.speak(text, { engine, sidecar, language, signal, ...(voice !== '' && { voice }) }),
      ),
    );
  } catch (error) {
    if (error instanceof SpeechUnavailable) throw new HttpError(503, error.message);
    if (error instanceof SpeechTooLong) throw new HttpError(413, error.message);
    throw request.raw.socket.destroyed ? new HttpError(503, 'The client is gone.') : error;
  }
}
