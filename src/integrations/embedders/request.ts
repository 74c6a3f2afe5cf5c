/**
 * One HTTP request for vectors: no redirects, limits on time and size, and errors that tell whether a retry may help.
 * No message contains a key.
 */
import { readBody } from '../../lib/read-body.ts';
import { EmbedderError } from '../../ports/embedder.ts';
import type { Endpoint } from '../models/endpoint.ts';
import { clipped, RETRY_STATUSES, retryAfterMs, type Scrub } from '../models/failures.ts';
import type { Wire, WireRequest } from './wire.ts';

export interface EmbeddingTarget {
  readonly endpoint: Endpoint;
  readonly wire: Wire;
  readonly scrub: Scrub;
}

/** A failed request, with the facts that decide about a retry. */
export class AttemptError extends EmbedderError {
  /** Whether a retry may succeed. */
  readonly again: boolean;
  /** The provider refused the size of the batch; halves may succeed. */
  readonly tooLarge: boolean;
  readonly waitMs: number | null;

  constructor(
    reason: EmbedderError['reason'],
    message: string,
    facts: { readonly again: boolean; readonly tooLarge?: boolean; readonly waitMs?: number | null },
  ) {
    super(reason, message);
    this.again = facts.again;
    this.tooLarge = facts.tooLarge ?? false;
    this.waitMs = facts.waitMs ?? null;
  }
}

/** Loading a model may take a minute. */
const REQUEST_SECONDS_MAX = 120;
const ANSWER_BYTES_MAX = 128 * 1024 * 1024;
const ERROR_BYTES_MAX = 64 * 1024;
const MESSAGE_CHARACTERS_MAX = 300;
const TOO_LARGE = /too (?:large|long|many)|max(?:imum)? (?:allowed )?(?:tokens|context|batch|number)|exceed/i;

export async function requestVectors(
  target: EmbeddingTarget,
  request: WireRequest,
  signal: AbortSignal,
): Promise<readonly (readonly number[])[]> {
  const { endpoint } = target;
  const limited = AbortSignal.any([signal, AbortSignal.timeout(REQUEST_SECONDS_MAX * 1_000)]);
  const response = await reach(target, request, { signal, limited });
  if (!response.ok) throw await refusal(target, response);
  let answer: unknown;
  try {
    answer = JSON.parse(await readBody(response, ANSWER_BYTES_MAX));
  } catch (error) {
    signal.throwIfAborted();
    const isBrokenOff = !(error instanceof SyntaxError) && !(error instanceof RangeError);
    const what = isBrokenOff ? 'broke off its answer' : 'sent something that is not a list of vectors';
    throw new AttemptError(isBrokenOff ? 'unreachable' : 'bad_output', `${endpoint.provider.name} ${what}.`, {
      again: isBrokenOff,
    });
  }
  return vectorsOf(target, request, answer);
}

async function reach(
  { endpoint, wire, scrub }: EmbeddingTarget,
  request: WireRequest,
  { signal, limited }: { readonly signal: AbortSignal; readonly limited: AbortSignal },
): Promise<Response> {
  try {
    return await fetch(endpoint.url + wire.path(request.choice), {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...wire.headers(endpoint.key) },
      body: JSON.stringify(wire.body(request)),
      signal: limited,
      redirect: 'error',
    });
  } catch (error) {
    signal.throwIfAborted();
    const cause = (error as { cause?: { code?: string; message?: string } }).cause;
    const why = limited.aborted
      ? `no answer in ${REQUEST_SECONDS_MAX} s`
      : (cause?.code ?? cause?.message ?? 'no connection');
    throw new AttemptError(
      'unreachable',
      `${endpoint.provider.name} cannot be reached: ${clipped(scrub(why), MESSAGE_CHARACTERS_MAX)}.`,
      {
        again: !limited.aborted,
      },
    );
  }
}

function vectorsOf(
  { endpoint, wire }: EmbeddingTarget,
  request: WireRequest,
  answer: unknown,
): readonly (readonly number[])[] {
  const name = endpoint.provider.name;
  const bad = (what: string): AttemptError => new AttemptError('bad_output', `${name} ${what}.`, { again: false });
  let vectors: readonly (readonly number[])[];
  try {
    vectors = wire.read(answer);
  } catch {
    throw bad('sent something that is not a list of vectors');
  }
  if (vectors.length !== request.texts.length) {
    throw bad(`sent ${vectors.length} vectors for ${request.texts.length} texts`);
  }
  return vectors;
}

async function refusal({ endpoint, scrub }: EmbeddingTarget, response: Response): Promise<AttemptError> {
  const { status } = response;
  const { provider, key } = endpoint;
  const reported = messageIn(await readBody(response, ERROR_BYTES_MAX).catch(() => ''));
  if (status === 401 || status === 403) {
    const why = key === null ? `asks for a key: set ${provider.keys[0]}` : `rejected the key in ${provider.keys[0]}`;
    return new AttemptError('refused', `${provider.name} ${why} (${status}).`, { again: false });
  }
  const words = reported === '' ? 'refused the request' : clipped(scrub(reported), MESSAGE_CHARACTERS_MAX);
  return new AttemptError('refused', `${provider.name}: ${words} (${status})`, {
    again: status >= 500 || RETRY_STATUSES.has(status),
    tooLarge: status === 413 || (status === 400 && TOO_LARGE.test(reported)),
    waitMs: retryAfterMs({ headers: Object.fromEntries(response.headers), body: '' }),
  });
}

/** The text of an error body: `error` or `error.message`, `detail`, `message`. */
function messageIn(text: string): string {
  try {
    const body = JSON.parse(text) as Record<string, unknown> | null;
    const error = body?.error;
    const inner = typeof error === 'object' && error !== null ? (error as Record<string, unknown>).message : error;
    for (const each of [inner, body?.detail, body?.message]) if (typeof each === 'string' && each !== '') return each;
  } catch {
    // Not JSON: only the status is reported.
  }
  return '';
}
