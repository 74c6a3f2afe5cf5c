/**
 * `Idempotency-Key` on any POST: the same key and body are answered with the first answer, the same key with another
 * body is 409.
 *
 * - The answer of a command is appended in the same commit as its events, so a crash leaves both or neither.
 * - Other answers below 500 are appended when they are known; a failed request may be tried again.
 * - Requests with one key take turns. Answers with secrets stay in memory: they die with the secret. Answers with texts
 *   that are sealed at rest are sealed too.
 */
import { createHash } from 'node:crypto';
import { idempotentRequest } from '../../commands/request.ts';
import { decodeEvents } from '../../events/decode.ts';
import { type RequestEvent, requestEvents } from '../../events/request.ts';
import { canonicalJson } from '../../storage/canonical-json.ts';
import type { EventLog, Json } from '../../storage/event-log.ts';
import type { Answer } from './answer.ts';
import { HttpError } from './errors.ts';

export const KEY_CHARACTERS_MAX = 255;

export interface KeyedRequest {
  readonly method: string;
  /** Path and query: only the path is recorded, a query may hold what must not be kept. */
  readonly url: string;
  readonly key: string;
  readonly body: unknown;
  readonly seal: () => AnswerSeal | undefined;
}

/** What keeps an answer from whoever reads the log. */
export interface AnswerSeal {
  seal(value: unknown, record: string): string;
  open(sealed: string, record: string): unknown;
  /** The same for the very same text, to who has the key only. */
  exact(text: string): string;
}

/** One keyed request under way. */
export interface Keyed {
  /** Of the request; its stream is `request-<id>`. */
  readonly id: string;
  readonly stream: string;
  /** Asked anew each time: it may come while the request is under way. */
  readonly seal: () => AnswerSeal | undefined;
  /** The record of an answer, or null when the answer cannot be recorded. */
  record(answer: Answer): RequestEvent | null;
}

const NOT_RECORDED = new Set([401, 403, 429]);

export function keyedRequest(request: KeyedRequest): Keyed {
  if (request.key.length > KEY_CHARACTERS_MAX || request.key.trim() === '') {
    throw new HttpError(400, `Idempotency-Key must have 1 to ${KEY_CHARACTERS_MAX} characters.`);
  }
  const { method, url, seal } = request;
  const path = url.split('?', 1)[0]!;
  const id = sha256(`${method} ${url}\n${request.key}`);
  const stream = `${idempotentRequest.category}-${id}`;
  return {
    id,
    stream,
    seal,
    record(answer) {
      if (answer.kind === 'sse') return null;
      if (answer.kind !== 'empty' && (answer.status >= 500 || NOT_RECORDED.has(answer.status))) return null;
      const facts = { method, path, ...recorded(answer) };
      const by = seal();
      if (by === undefined) return { type: 'RequestAnswered', data: { ...facts, body_hash: bodyHash(request.body) } };
      const sealed = by.seal({ body: facts.body }, stream);
      const body_hash = by.exact(canonical(request.body));
      return { type: 'RequestAnswered', data: { ...facts, body: null, body_hash, sealed } };
    },
  };
}

function recorded(answer: Exclude<Answer, { kind: 'sse' }>) {
  switch (answer.kind) {
    case 'bytes':
      return { status: answer.status, content_type: answer.type, body: null };
    case 'empty':
      return { status: answer.status, content_type: '', body: null };
    case 'value':
      return {
        status: answer.status,
        content_type: '',
        body: JSON.parse(JSON.stringify(answer.value ?? null)) as Json,
      };
    case 'text':
      return { status: answer.status, content_type: answer.type, body: answer.text };
  }
}

/** The first answer to this key, or null when it is to be made. Throws 409 when it answered another body. */
export function firstAnswer(log: EventLog, keyed: Keyed, body: unknown): Answer | null {
  const [event] = log.readStream(keyed.stream, { limit: 1 });
  if (event === undefined) return null;
  if (event.erased === true) throw new HttpError(409, 'The answer to this Idempotency-Key was erased.');
  const [decoded] = decodeEvents(requestEvents, [event]);
  if (decoded === undefined) return null;
  const recorded = decoded.data;
  const seal = recorded.sealed === undefined ? null : keyed.seal();
  // Who has no key gets no answer from the route either.
  if (seal === undefined) return null;
  if (recorded.body_hash !== (seal === null ? bodyHash(body) : seal.exact(canonical(body)))) {
    throw new HttpError(409, 'This Idempotency-Key was used with another body.');
  }
  const data = seal === null ? recorded : { ...recorded, ...opened(seal, recorded.sealed!, keyed.stream) };
  // Bytes are not kept: who answers them can make them again.
  if (data.content_type !== '' && data.body === null) return null;
  if (data.content_type !== '') {
    return { kind: 'text', status: data.status, type: data.content_type, text: String(data.body) };
  }
  return data.body === null
    ? { kind: 'empty', status: data.status }
    : { kind: 'value', status: data.status, value: data.body };
}

function opened(seal: AnswerSeal, sealed: string, stream: string): { readonly body: Json } {
  return seal.open(sealed, stream) as { readonly body: Json };
}

export function bodyHash(body: unknown): string {
  return sha256(canonical(body));
}

function canonical(body: unknown): string {
  return canonicalJson((body ?? null) as Json);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
