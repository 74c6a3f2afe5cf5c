/**
 * Transcribes on servers with OpenAI's transcription API: a form with the file is posted, JSON comes back.
 *
 * - The key is sent to its configured address only, never to a redirect, and is in no message.
 */
import { z } from 'zod';
import { fetchFault, readBody } from '../../lib/fetched.ts';
import { parsedJson } from '../../lib/json-text.ts';
import { SpeechUnavailable } from '../../ports/speech.ts';
import { type Endpoint, endpointOf } from '../models/endpoint.ts';
import { clipped, createScrub, keyRefusal, messageIn, redirection, type Scrub } from '../models/failures.ts';
import { findProvider, isUsable } from '../models/providers.ts';
import type { Recording } from './audio.ts';
import { languageNamed, recognisedLanguage, type Transcribed } from './local-asr.ts';

/** Servers with their model, in the order of preference. */
const SERVERS: readonly (readonly [provider: string, model: string])[] = [
  ['openai', 'whisper-1'],
  ['groq', 'whisper-large-v3-turbo'],
];
const REQUEST_SECONDS_MAX = 120;
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;
const MESSAGE_CHARACTERS_MAX = 300;

export interface CloudServer {
  readonly provider: string;
  readonly model: string;
}

export function cloudServer(env: NodeJS.ProcessEnv): CloudServer | null {
  const found = SERVERS.find(([id]) => {
    const provider = findProvider(id);
    return provider !== undefined && isUsable(provider, env);
  });
  return found === undefined ? null : { provider: found[0], model: found[1] };
}

export async function transcribeRemotely(
  env: NodeJS.ProcessEnv,
  { server, recording, language }: { server: CloudServer; recording: Recording; language: string },
  signal: AbortSignal,
): Promise<Transcribed> {
  const endpoint = reachable(server, env);
  const name = endpoint.provider.name;
  const limited = AbortSignal.any([signal, AbortSignal.timeout(REQUEST_SECONDS_MAX * 1_000)]);
  const scrub = createScrub(env);
  const failed = (what: string): SpeechUnavailable => new SpeechUnavailable(scrub(`${name} ${what}`));
  let isConnected = false;
  try {
    const response = await fetch(`${endpoint.url}/audio/transcriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${endpoint.key}` },
      body: formOf(server, recording, language),
      redirect: 'manual',
      signal: limited,
    });
    isConnected = true;
    const text = await readBody(response, ANSWER_BYTES_MAX);
    if (!response.ok) throw refusalOf(response, text, { endpoint, scrub });
    const transcribed = parseTranscript(text);
    if (transcribed === null) throw failed('sent something that is no transcript.');
    return transcribed;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SpeechUnavailable) throw error;
    if (limited.aborted) throw failed(`did not answer within ${REQUEST_SECONDS_MAX} s.`);
    if (error instanceof RangeError) throw failed(`sent ${error.message}.`);
    throw failed(isConnected ? 'broke off its answer.' : `cannot be reached: ${fetchFault(error)}.`);
  }
}

function reachable({ provider }: CloudServer, env: NodeJS.ProcessEnv): Endpoint {
  try {
    return endpointOf(findProvider(provider)!, env);
  } catch (error) {
    throw new SpeechUnavailable((error as Error).message);
  }
}

/**
 * The request form. Only the verbose answer reports the language, so it is requested when the language is not given.
 */
function formOf({ model }: CloudServer, { bytes, mime }: Recording, language: string): FormData {
  const pinned = recognisedLanguage(language);
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(bytes)], { type: mime }), `speech.${ENDINGS[mime] ?? 'wav'}`);
  form.set('model', model);
  form.set('response_format', pinned === undefined ? 'verbose_json' : 'json');
  if (pinned !== undefined) form.set('language', pinned);
  return form;
}

/** Servers recognise formats by file name. */
const ENDINGS: Readonly<Record<string, string>> = {
  'audio/webm': 'webm',
  'audio/wav': 'wav',
  'audio/mp4': 'm4a',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/flac': 'flac',
  'audio/aac': 'aac',
};

const zTranscript = z.object({ text: z.string(), language: z.string().nullish().catch(null) });

function parseTranscript(text: string): Transcribed | null {
  const { data } = zTranscript.safeParse(parsedJson(text));
  if (data === undefined) return null;
  return {
    text: data.text.trim().toWellFormed(),
    language: data.language == null ? null : languageNamed(data.language),
  };
}

/** The message of the server is scrubbed before it is cut, so that no part of a key is left. */
function refusalOf(
  { status, headers }: Response,
  text: string,
  context: { readonly endpoint: Endpoint; readonly scrub: Scrub },
): SpeechUnavailable {
  const { endpoint, scrub } = context;
  const final = keyRefusal(endpoint, status) ?? redirection(context, status, headers.get('location'));
  if (final !== null) return new SpeechUnavailable(final);
  const reported = messageIn(text);
  const why = reported === '' ? '' : `: ${clipped(scrub(reported), MESSAGE_CHARACTERS_MAX)}`;
  return new SpeechUnavailable(`${endpoint.provider.name} refused the audio (${status})${why}`);
}
