/** `POST /voice/transcribe`: the text of one recording. Nothing is recorded in the log. */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { faultOf } from '../../events/fault.ts';
import { AUDIO_TYPES, type AudioType, type SpeechPort } from '../../ports/speech.ts';
import type { Views } from '../../projections/views.ts';
import { spokenLanguage } from '../../queries/voice/spoken-language.ts';
import { whileConnected } from '../server/disconnect.ts';
import { HttpError, validationMessage } from '../server/errors.ts';
import { jsonBody, zBytes } from '../server/request-body.ts';
import { type Answer, ok, type RouteSpec, routesOf, value } from '../server/route.ts';

const { post } = routesOf({ tag: 'voice' });

export interface Dependencies {
  readonly config: { readonly voice_language: string; readonly voice_prefer_local: boolean };
  readonly views: Views;
  readonly speech: SpeechPort;
}

export const UPLOAD_BYTES_MAX = 16_777_216;

const zJson = z.object({
  audio_base64: z.string(),
  mime_type: z.string().nullish(),
  language: z.string().nullish().describe('Language code of the speech; absent: the one of the settings.'),
  prefer_local: z.boolean().nullish(),
});

/** Other names of the supported types. */
const ALIASES: Readonly<Record<string, AudioType>> = {
  'video/webm': 'audio/webm',
  'audio/wave': 'audio/wav',
  'audio/x-wav': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'audio/m4a': 'audio/mp4',
  'audio/x-m4a': 'audio/mp4',
  'video/mp4': 'audio/mp4',
  'audio/mp3': 'audio/mpeg',
  'application/ogg': 'audio/ogg',
  'audio/x-flac': 'audio/flac',
};

const zHeaders = {
  'X-Voice-Language': z.string().optional().describe('Of a body of audio: the spoken language, or `auto`.'),
  'X-Voice-Prefer-Local': z.boolean().optional().describe('Of a body of audio: keep it on this machine if possible.'),
};

export function transcribeRoute(deps: Dependencies): RouteSpec {
  return post('/voice/transcribe', {
    operation: 'transcribe',
    summary:
      'Transcribes a recording: JSON with base64, or the audio itself with X-Voice-Language, X-Voice-Prefer-Local.',
    rawBody: { json: zJson, types: AUDIO_TYPES },
    headers: zHeaders,
    body: zBytes,
    bodyBytesMax: UPLOAD_BYTES_MAX,
    // With an Idempotency-Key the text stays in memory.
    secretAnswer: true,
    responses: ok(
      'What was said, and whether the audio stayed on this machine.',
      {
        text: z.string().describe('The transcript.'),
        engine: z.enum(['local_asr', 'cloud_asr']).describe('The recogniser: a program of this machine, or a service.'),
      },
      {
        400: 'The body is empty, no JSON, or no base64.',
        413: 'The body has more than 16 MB.',
        415: 'The audio is of none of the seven types.',
        503: 'No engine, or none that succeeded; the error tells the user what to do.',
      },
    ),
    handle: ({ body, request }) => transcribe(deps, recordingOf(request, body), request),
  });
}

interface Recording {
  readonly audio: Buffer;
  readonly type: AudioType;
  readonly language: string | undefined;
  readonly preferLocal: boolean | undefined;
}

async function transcribe(deps: Dependencies, recording: Recording, request: FastifyRequest): Promise<Answer> {
  const { audio, type: mime } = recording;
  const language = recording.language ?? spokenLanguage(deps);
  const preferLocal = recording.preferLocal ?? deps.config.voice_prefer_local;
  const { text, engine } = await whileConnected(request, (signal) =>
    deps.speech.transcribe(audio, { mime, language, preferLocal, signal }),
  );
  return value({ text, engine });
}

/** Checks in this order: JSON, base64, not empty, a known type. */
function recordingOf({ headers }: FastifyRequest, body: Buffer): Recording {
  if (body.length === 0) throw empty();
  const type = essence(headers['content-type'] ?? '');
  if (!isJson(type, body)) {
    return {
      audio: body,
      type: audioType(type),
      language: notBlank(headers['x-voice-language']),
      preferLocal: isSwitchedOn(headers['x-voice-prefer-local']),
    };
  }
  const parsed = zJson.safeParse(jsonBody(body), { error: faultOf });
  if (!parsed.success) throw new HttpError(400, validationMessage(parsed.error, 'body'));
  const { audio_base64, mime_type, language, prefer_local } = parsed.data;
  const audio = decoded(audio_base64);
  if (audio.length === 0) throw empty();
  const recorded = audioType(essence(mime_type ?? 'audio/webm'));
  return { audio, type: recorded, language: notBlank(language), preferLocal: prefer_local ?? undefined };
}

/** Types that HTTP clients send by default; a body with such a type is JSON when it begins like an object. */
const DEFAULT_TYPES = new Set(['', 'text/plain', 'application/x-www-form-urlencoded']);

function isJson(type: string, body: Buffer): boolean {
  if (DEFAULT_TYPES.has(type)) return /^\s*\{/.test(body.toString('latin1'));
  return /^application\/(?:[\w.-]+\+)?json$/.test(type);
}

/** A media type without its parameters, in lower case. */
function essence(type: string): string {
  return type.split(';', 1)[0]!.trim().toLowerCase();
}

function audioType(type: string): AudioType {
  const known = ALIASES[type] ?? AUDIO_TYPES.find((each) => each === type);
  if (known !== undefined) return known;
  throw new HttpError(415, `This type of audio is not supported; send one of ${AUDIO_TYPES.join(', ')}.`);
}

function decoded(base64: string): Buffer {
  if (base64.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return Buffer.from(base64, 'base64');
  throw new HttpError(400, 'audio_base64 is not valid base64.');
}

function empty(): HttpError {
  return new HttpError(400, 'There is no audio in the body.');
}

function notBlank(text: unknown): string | undefined {
  return typeof text === 'string' && text.trim() !== '' ? text.trim() : undefined;
}

function isSwitchedOn(header: string | readonly string[] | undefined): boolean | undefined {
  return typeof header === 'string' ? /^(?:1|true|yes)$/i.test(header.trim()) : undefined;
}
