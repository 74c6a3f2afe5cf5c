/**
 * Maps errors of providers, their packages and the network to `ModelError`.
 *
 * - `transient`: 408, 409, 425, 429, 5xx, no connection, a stream that breaks, ends early or is invalid.
 * - `fatal`: a redirect, a rejected key and every other 4xx, also inside a stream that began with 200.
 * - No message contains a key or is longer than MESSAGE_CHARS_MAX.
 */
import { withEllipsis } from '../../lib/characters.ts';
import { withoutEscapeSequences } from '../../lib/escape-sequences.ts';
import { parsedJson } from '../../lib/json-text.ts';
import { ModelError } from '../../ports/models.ts';
import type { Endpoint } from './endpoint.ts';
import type { Env } from './providers.ts';

export type Scrub = (text: string) => string;

const MESSAGE_CHARS_MAX = 500;
const ADDRESS_CHARACTERS_MAX = 200;
const SECRET_CHARS_MIN = 4;
/** Client errors after which the same request may succeed. */
export const RETRY_STATUSES = new Set([408, 409, 425, 429]);
/** Names of stream errors that a retry does not fix. */
const HOPELESS =
  /invalid_request|invalid_argument|not_found|authentication|permission|too_large|insufficient_quota|billing/i;
/** How providers say that a request has more tokens than their model takes. */
const OUTGROWN =
  /context (?:length|window)|prompt is too long|maximum prompt length|token count .{0,100} exceeds|reduce the length/i;
const OUTGROWN_REMEDY =
  'Runs keep within context_window_fallback of the harness profile (PUT /harness/profile); a chat has to be shorter.';
/** Messages of the packages for a response that could not be read; the `cause` has the reason. */
const UNREAD = /^Failed to process (?:successful|error) response$/;
const SECRET_NAME = /(?:KEY|TOKEN|SECRET|PASSWORD)$/;
const SECRET_SHAPES = [/\bsk-[\w-]{8,}/g, /\bAIza[\w-]{20,}/g, /\bgsk_\w{8,}/g, /\bBearer\s+[\w.~+/-]{8,}=*/gi];

export function createScrub(env: Env): Scrub {
  const secrets = Object.entries(env)
    .filter(([name, value]) => SECRET_NAME.test(name) && (value?.trim().length ?? 0) >= SECRET_CHARS_MIN)
    .map(([, value]) => value!.trim())
    .sort((a, b) => b.length - a.length);
  return (text) => {
    const known = secrets.reduce((left, secret) => left.replaceAll(secret, '[key]'), text);
    return SECRET_SHAPES.reduce((left, shape) => left.replace(shape, '[key]'), known);
  };
}

interface Context {
  readonly endpoint: Endpoint;
  readonly scrub: Scrub;
}

export function toModelError(error: unknown, context: Context): ModelError {
  if (error instanceof ModelError) return error;
  const { provider } = context.endpoint;
  const { cause } = asRecord(error);
  const facts = factsOf(cause instanceof NoStreamError ? cause : error);
  const moved = redirection(context, facts.status, facts.headers.location);
  if (moved !== null) return new ModelError('fatal', moved, { status: facts.status });
  const status = facts.status !== null && facts.status >= 400 ? facts.status : null;
  const refusal = keyRefusal(context.endpoint, status);
  if (refusal !== null) return new ModelError('fatal', refusal, { status });
  const detail = clipped(context.scrub(facts.message), MESSAGE_CHARS_MAX);
  const said = `${provider.name}: ${detail}${status === null ? '' : ` (${status})`}`;
  const kind = isTransient(facts, status) ? 'transient' : 'fatal';
  const message = kind === 'fatal' && OUTGROWN.test(facts.message) ? `${said}. ${OUTGROWN_REMEDY}` : said;
  return new ModelError(kind, message, { status, retryAfterMs: retryAfterMs(facts) });
}

/** The sentence for a status that is about the key; null for other ones. */
export function keyRefusal({ provider, key }: Endpoint, status: number | null): string | null {
  if (status !== 401 && status !== 403) return null;
  const why = key === null ? `asks for a key: set ${provider.keys[0]}` : `rejected the key in ${provider.keys[0]}`;
  return `${provider.name} ${why} (${status}).`;
}

/**
 * The sentence for a redirect; null for other statuses. No redirect is followed, so that key and texts are sent to the
 * configured address only.
 */
export function redirection(
  { endpoint: { provider, url }, scrub }: Context,
  status: number | null,
  location: string | null | undefined,
): string | null {
  if (status === null || status < 300 || status > 399) return null;
  const to = URL.parse(location ?? '', url);
  const where = location == null || to === null ? 'an unknown address' : scrub(to.origin + to.pathname);
  const shown = clipped(where, ADDRESS_CHARACTERS_MAX);
  return `${provider.name} redirects to ${shown} (${status}), which is not followed: set ${provider.urlVariable} to the final address.`;
}

/**
 * The message in the JSON body of an error, empty without one: `error`, `detail`, `message` or `msg`, which may contain
 * each other and lists.
 */
export function messageIn(body: string): string {
  return wordsIn(parsedJson(body));
}

const LEVELS_MAX = 6;

function wordsIn(value: unknown, levels = LEVELS_MAX): string {
  if (typeof value === 'string') return value;
  if (levels === 0) return '';
  if (Array.isArray(value)) return wordsIn(value[0], levels - 1);
  const { error, detail, message, msg } = asRecord(value);
  for (const inner of [error, detail, message, msg]) {
    const words = wordsIn(inner, levels - 1);
    if (words !== '') return words;
  }
  return '';
}

/** A response with status 200 that is a document, not a stream of events. */
export class NoStreamError extends Error {
  readonly responseBody: string;

  constructor(body: string) {
    super(messageIn(body) || 'its answer is a document, not a stream of events; its address may be wrong');
    this.responseBody = body;
  }
}

interface Facts {
  readonly message: string;
  readonly status: number | null;
  /** Type, code and status of an error inside a stream. */
  readonly words: string;
  readonly headers: { readonly [name: string]: string | undefined };
  readonly body: string;
  /** The request could not be built from its input. */
  readonly isInvalid: boolean;
}

function isTransient(facts: Facts, status: number | null): boolean {
  if (facts.isInvalid) return false;
  if (status === null || status >= 500) return !HOPELESS.test(facts.words);
  return RETRY_STATUSES.has(status);
}

function factsOf(error: unknown): Facts {
  const record = asRecord(error);
  const name = String(record.name ?? '');
  const body = typeof record.responseBody === 'string' ? record.responseBody : '';
  const { type, code, status } = inStream(record, body);
  return {
    message: messageIn(body) || messageOf(record),
    status: typeof record.statusCode === 'number' ? record.statusCode : statusIn(record),
    words: [type, code, status].filter((word) => typeof word === 'string').join(' '),
    headers: asRecord(record.responseHeaders) as Facts['headers'],
    body,
    isInvalid: /Unsupported|InvalidPrompt|InvalidArgument|NoSuchModel/.test(name),
  };
}

/**
 * The error inside a response with status 200, which has only words; empty for a response with the status of an error.
 * The Anthropic package reports an error inside a stream as a body with an invented status 500.
 */
function inStream(record: Record<string, unknown>, body: string): Record<string, unknown> {
  if (body === '') return record;
  const envelope = asRecord(parsedJson(body));
  if (record.statusCode === undefined) return asRecord(envelope.error);
  return envelope.error === undefined ? envelope : {};
}

/** A stream error may carry the status that it would have as a response. */
function statusIn(record: Record<string, unknown>): number | null {
  const code = record.code;
  return typeof code === 'number' && code >= 400 && code < 600 ? code : null;
}

function messageOf(record: Record<string, unknown>): string {
  if (/JSONParse|TypeValidation/.test(String(record.name ?? ''))) {
    return wordsIn(record.value) || 'the stream held something that is not a valid message of this provider';
  }
  if (typeof record.message === 'string' && UNREAD.test(record.message)) {
    return `its answer could not be read: ${messageOf(asRecord(record.cause))}`;
  }
  if (typeof record.message === 'string' && record.message !== '') return record.message;
  return 'the provider reported an error without saying which';
}

/** The delay that a provider asks for, in its headers or in the body of its error. */
export function retryAfterMs({ headers, body }: Pick<Facts, 'headers' | 'body'>): number | null {
  const ms = headers['retry-after-ms']?.trim() ?? '';
  if (DECIMAL.test(ms)) return wholeMs(Number(ms));
  const after = headers['retry-after']?.trim() ?? '';
  if (DECIMAL.test(after)) return wholeMs(Number(after) * 1_000);
  const date = Date.parse(after);
  // By the clock of the provider, which wrote both.
  const present = Date.parse(headers.date ?? '') || Date.now();
  if (Number.isFinite(date)) return Math.max(0, date - present);
  const inBody = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/.exec(body)?.[1];
  return inBody === undefined ? null : wholeMs(Number(inBody) * 1_000);
}

const DECIMAL = /^\d+(?:\.\d+)?$/;

/** Caps a delay with too many digits. */
function wholeMs(ms: number): number {
  return Math.min(Math.round(ms), Number.MAX_SAFE_INTEGER);
}

/** The text as one line without control characters and escape sequences, cut after so many code points. */
export function clipped(text: string, charactersMax: number): string {
  const line = withoutEscapeSequences(text.toWellFormed())
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return withEllipsis(line, charactersMax);
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
