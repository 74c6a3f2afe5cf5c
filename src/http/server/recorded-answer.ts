/** The record of an answer to a request with an `Idempotency-Key`, and the answer that is read from it. */
import { hash } from 'node:crypto';
import { decodeEvents } from '../../events/decode.ts';
import { type RequestEvent, requestEvents } from '../../events/request.ts';
import { canonicalJson } from '../../storage/canonical-json.ts';
import type { EventLog, Json } from '../../storage/event-log.ts';
import type { Origin } from '../../streams/command-handler.ts';
import { HttpError } from './errors.ts';
import type { Answer, AnswerSeal, Method, RouteSpec } from './route.ts';

/** These statuses depend on the caller and the time, not on the request. */
const NOT_RECORDED = new Set([401, 403, 429]);

/** One mutation with a key. */
export interface KeyedRequest {
  readonly method: Method;
  /** Path and query. Only the path is recorded: a query may hold a secret. */
  readonly url: string;
  readonly key: string;
  /** The body as it was sent, before validation. */
  readonly body: unknown;
  readonly origin: Origin;
  readonly route: Pick<RouteSpec, 'secretAnswer' | 'answerSeal' | 'dispatchOnly'>;
}

type RequestRecord = RequestEvent['data'];

/** The record of an answer; null for an answer that is not recorded. */
export function answerRecord(
  id: string,
  { method, url, body, route }: KeyedRequest,
  answer: Answer,
): RequestRecord | null {
  if (answer.kind === 'sse' || answer.kind === 'stream' || answer.kind === 'web') return null;
  if (answer.kind === 'value' && answer.isSecret === true) return null;
  if (answer.kind !== 'empty' && (answer.status >= 500 || NOT_RECORDED.has(answer.status))) return null;
  const facts = { method, path: url.split('?', 1)[0]!, ...contentOf(answer) };
  const seal = route.answerSeal;
  if (seal === undefined) return { ...facts, body_hash: bodyHash(body) };
  const sealed = seal.seal({ body: facts.body }, `request-${id}`);
  return { ...facts, body: null, body_hash: seal.exact(canonical(body)), sealed };
}

function contentOf(answer: Exclude<Answer, { kind: 'sse' | 'stream' | 'web' }>) {
  const { status } = answer;
  switch (answer.kind) {
    case 'bytes':
      return { status, content_type: answer.type, body: null };
    case 'empty':
      return { status, content_type: '', body: null };
    case 'value':
      return { status, content_type: '', body: JSON.parse(JSON.stringify(answer.value ?? null)) as Json };
    case 'text':
      return { status, content_type: answer.type, ...withHeaders(answer.headers), body: answer.text };
  }
}

/** The field of the record; it is absent for an answer without further headers. */
function withHeaders(headers: Readonly<Record<string, string>> = {}): { readonly headers?: Record<string, string> } {
  return Object.keys(headers).length === 0 ? {} : { headers: { ...headers } };
}

/** The recorded answer to a request, or null when there is none to repeat. Throws 409 when the key had another body. */
export function recordedAnswer(log: Pick<EventLog, 'readStream'>, id: string, request: KeyedRequest): Answer | null {
  const [event] = log.readStream(`request-${id}`, { limit: 1 });
  if (event === undefined) return null;
  if (event.erased === true) throw new HttpError(409, 'The answer to this Idempotency-Key was erased.');
  const [decoded] = decodeEvents(requestEvents, [event]);
  if (decoded === undefined) return null;
  const recorded = decoded.data;
  const seal = recorded.sealed === undefined ? undefined : request.route.answerSeal;
  // Without the cipher the route itself refuses the request.
  if (recorded.sealed !== undefined && seal === undefined) return null;
  const text = canonical(request.body);
  if (recorded.body_hash !== (seal === undefined ? hash('sha256', text) : seal.exact(text))) throw otherBody();
  const { status, content_type: type, headers = {} } = recorded;
  const body = seal === undefined ? recorded.body : openedBody(seal, recorded.sealed!, id);
  if (type === '') return body === null ? { kind: 'empty', status } : { kind: 'value', status, value: body };
  // Bytes are not recorded; the route computes them again.
  return body === null ? null : { kind: 'text', status, type, text: String(body), headers };
}

function openedBody(seal: AnswerSeal, sealed: string, id: string): Json {
  return (seal.open(sealed, `request-${id}`) as { readonly body: Json }).body;
}

export function otherBody(): HttpError {
  return new HttpError(409, 'This Idempotency-Key was used with another body.');
}

export function bodyHash(body: unknown): string {
  return hash('sha256', canonical(body));
}

/** Bytes count as the text of their codes, which records on the disk are made of. */
function canonical(body: unknown): string {
  return canonicalJson((Buffer.isBuffer(body) ? body.toString('latin1') : (body ?? null)) as Json);
}
