/**
 * One HTTP request for vectors: no redirects, limits on time and size, and errors that tell whether a retry may help.
 * No message contains a key.
 */
import { fetchFault, readBody } from '../../lib/fetched.ts';
import { EmbedderError } from '../../ports/embedder.ts';
import type { Endpoint } from '../models/endpoint.ts';
import {
  clipped,
  keyRefusal,
  messageIn,
  RETRY_STATUSES,
  redirection,
  retryAfterMs,
  type Scrub,
} from '../models/failures.ts';
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
const NO_LIST = 'sent something that is not a list of vectors';
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
  const { name } = endpoint.provider;
  const text = await readBody(response, ANSWER_BYTES_MAX).catch((error: unknown) => {
    signal.throwIfAborted();
    if (error instanceof RangeError) throw new AttemptError('bad_output', `${name} ${NO_LIST}.`, { again: false });
    throw new AttemptError('unreachable', `${name} broke off its answer.`, { again: true });
  });
  return vectorsOf(target, request, text);
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
      redirect: 'manual',
    });
  } catch (error) {
    signal.throwIfAborted();
    const why = limited.aborted ? `no answer in ${REQUEST_SECONDS_MAX} s` : fetchFault(error);
    const message = `${endpoint.provider.name} cannot be reached: ${clipped(scrub(why), MESSAGE_CHARACTERS_MAX)}.`;
    throw new AttemptError('unreachable', message, { again: !limited.aborted });
  }
}

function vectorsOf(
  { endpoint, wire }: EmbeddingTarget,
  request: WireRequest,
  text: string,
): readonly (readonly number[])[] {
  const name = endpoint.provider.name;
  const bad = (what: string): AttemptError => new AttemptError('bad_output', `${name} ${what}.`, { again: false });
  let vectors: readonly (readonly number[])[];
  try {
    vectors = wire.read(JSON.parse(text));
  } catch {
    throw bad(NO_LIST);
  }
  if (vectors.length !== request.texts.length) {
    throw bad(`sent ${vectors.length} vectors for ${request.texts.length} texts`);
  }
  return vectors;
}

async function refusal(target: EmbeddingTarget, response: Response): Promise<AttemptError> {
  const { endpoint, scrub } = target;
  const { status } = response;
  const { provider } = endpoint;
  const body = await readBody(response, ERROR_BYTES_MAX).catch(() => '');
  const reported = messageIn(body);
  const final = keyRefusal(endpoint, status) ?? redirection(target, status, response.headers.get('location'));
  if (final !== null) return new AttemptError('refused', final, { again: false });
  const words = reported === '' ? 'refused the request' : clipped(scrub(reported), MESSAGE_CHARACTERS_MAX);
  return new AttemptError('refused', `${provider.name}: ${words} (${status})`, {
    again: status >= 500 || RETRY_STATUSES.has(status),
    tooLarge: status === 413 || (status === 400 && TOO_LARGE.test(reported)),
    waitMs: retryAfterMs({ headers: Object.fromEntries(response.headers), body }),
  });
}
