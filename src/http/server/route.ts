/**
 * The declaration of a route, and the results of its handler: a value for the route's serializer, finished text or
 * bytes, or a stream. Each part has one zod schema, which is its type, its validator, its serializer and its schema in
 * the OpenAPI document.
 */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Decider } from '../../commands/decider.ts';
import type { Seen } from '../../projections/projection.ts';
import type { Dispatched, DispatchOptions, Origin } from '../../streams/command-handler.ts';
import type { AuthClass } from './auth-guard.ts';
import { zError } from './errors.ts';
import { JSON_TYPE } from './headers.ts';
import type { SseSource } from './sse.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface ResponseSpec {
  readonly description: string;
  /** The meaning of headers that only this route sends, by name. For the API documents only. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Absent for bodies that are not JSON. */
  readonly schema?: z.ZodType;
  readonly type?: string;
  /** Other forms of the body, by content type. For the API documents only. */
  readonly forms?: Readonly<Record<string, z.ZodType>>;
  /** The events of a stream, whose `type` is `text/event-stream`. */
  readonly events?: StreamSpec;
}

/** The events of an SSE stream. */
export interface StreamSpec {
  /** The `data` of the events without a name; text unless `data` is JSON of this schema. */
  readonly data: z.ZodType;
  /** The meaning of the `id` of an event; absent when events have none and the stream cannot be resumed. */
  readonly id?: string;
  /** By the name of an event, the meaning of its `data`. */
  readonly named?: Readonly<Record<string, string>>;
  /** When the stream ends. */
  readonly end: string;
}

export interface RouteSpec<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
> {
  readonly method: Method;
  /** Path with parameters in braces: `/jobs/{id}`. */
  readonly path: string;
  /** The group of the operation in the documents and in the client. */
  readonly tag: string;
  /** A name in lower camel case, unique in its tag: `tag.operation` is the operationId and the method of the client. */
  readonly operation: string;
  readonly summary: string;
  readonly auth: AuthClass;
  readonly params?: Params;
  readonly query?: Query;
  /** Headers that the handler reads. For the API documents only. */
  readonly headers?: Readonly<Record<string, z.ZodType>>;
  /** Absent: a body is ignored. A schema that accepts undefined makes the body optional. */
  readonly body?: Body;
  readonly bodyBytesMax?: number;
  /** Requests of one address in a minute, for a public route with a limit of its own. */
  readonly requestsPerMinute?: number;
  /** A 401 has the header `WWW-Authenticate`, which MCP clients need. */
  readonly challenge?: true;
  /**
   * The body is not parsed, and `body` is `zBytes`. For the API documents: the schema of the JSON, unless it is none,
   * the types of other content, and whether the handler accepts no bytes.
   */
  readonly rawBody?: { readonly json?: z.ZodType; readonly types: readonly string[]; readonly isOptional?: true };
  /**
   * By status. A map, because V8 keeps an object with a key such as 404 as an array of 600 elements, and there are
   * hundreds of routes.
   */
  readonly responses: ReadonlyMap<number, ResponseSpec>;
  /** The route is served even while the read models cannot be read. */
  readonly withoutViews?: boolean;
  /** The handler may take milliseconds without a pause: it begins in a turn of its own (`ownTurn`). */
  readonly isLong?: true;
  /**
   * The answer holds a secret: for an idempotent repeat it is kept in memory, never in the log. `until_erasure`: only
   * until a payload of the log is erased, because it may repeat the payload.
   */
  readonly secretAnswer?: true | 'until_erasure';
  /** Set while the answer holds texts that are encrypted at rest: seals its record for an idempotent repeat. */
  readonly answerSeal?: AnswerSeal | undefined;
  /**
   * The handler makes changes through `dispatch` and `answerAfter` only. Then the daemons of a log need no claim of an
   * idempotency key if the first commit carries the answer.
   */
  readonly dispatchOnly?: true;
  /** An `Idempotency-Key` has no effect: the answer is made by a library and cannot be recorded. */
  readonly keyless?: true;
  /** Checks a credential that depends on the whole request. Throws before the request is used or recorded. */
  admit?(call: { readonly body: z.infer<Body>; readonly request: FastifyRequest }): void;
  handle(call: Call<z.infer<Params>, z.infer<Query>, z.infer<Body>>): Answer | Promise<Answer>;
}

/** Encrypts an answer for the log. */
export interface AnswerSeal {
  seal(value: unknown, record: string): string;
  open(sealed: string, record: string): unknown;
  /** A keyed hash: equal texts have equal hashes, and only the holder of the key can compute them. */
  exact(text: string): string;
}

export interface Call<Params = unknown, Query = unknown, Body = unknown> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly request: FastifyRequest;
  readonly origin: Origin;
  /**
   * Names the request in every repeat with its `Idempotency-Key`; undefined without one. Work of several commits
   * derives the ids of what it stores from it, so that a repeat after a crash stores nothing twice.
   */
  readonly repeatId?: string | undefined;
  /** The caller's address. */
  readonly peer: string;
  /** Dispatches a command on the caller's behalf. Throws `Refused`. */
  dispatch<Command, State>(
    decider: Decider<Command, State>,
    id: string,
    command: Command,
    options?: CommandOptions<State>,
  ): Promise<Dispatched<State>>;
  /**
   * Dispatches a command and resolves with the answer to this request, which `answer` computes from the read models, or
   * from the state after the command and the events of the commit. With an `Idempotency-Key` it is recorded in the same
   * commit. Throws `Refused`.
   */
  answerAfter<Command, State>(
    decider: Decider<Command, State>,
    id: string,
    command: Command,
    answer: AnswerOf<State> | AnswerOptions<State>,
  ): Promise<Answer>;
  /** Records the answer for an idempotent repeat, for a stream whose answer is known only at its end. */
  remember(answer: Answer): Promise<void>;
}

type CommandOptions<State> = Omit<DispatchOptions<State>, 'origin' | 'record'>;

export type AnswerOf<State> = (state: State, events: readonly Seen[]) => Answer;

export interface AnswerOptions<State> extends CommandOptions<State> {
  readonly answer: AnswerOf<State>;
}

/** Settings that the routes of a module share. */
interface SharedSettings {
  readonly tag: string;
  /** Default: `bearer`. */
  readonly auth?: AuthClass;
  readonly withoutViews?: boolean;
  readonly challenge?: true;
  readonly keyless?: true;
  /** Precedes the path of each route. */
  readonly prefix?: string;
  /** Responses that each route has besides its own. */
  readonly responses?: Responses;
}

/** By status. A sentence alone describes an error, whose body is `{error}`. */
export type Responses = Readonly<Record<number, ResponseSpec | string>>;

/** A 200 with a body of this schema, or with an object of these fields, and the meaning of the other statuses. */
export function ok(description: string, body: z.ZodType | z.ZodRawShape, others: Responses = {}): Responses {
  return { 200: { description, schema: body instanceof z.ZodType ? body : z.object(body) }, ...others };
}

/** A route beside its method and path; what it does not set is as the module shares it. */
type Declaration<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType> = Omit<
  RouteSpec<Params, Query, Body>,
  'method' | 'path' | 'tag' | 'auth' | 'responses'
> &
  Partial<Pick<RouteSpec, 'tag' | 'auth'>> & { readonly responses: Responses };

/** Functions that declare routes, one for each method. The types of a handler follow from the schemas of its route. */
export function routesOf({ prefix = '', responses: shared = {}, ...settings }: SharedSettings) {
  const declares =
    (method: Method) =>
    <Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType>(
      path: string,
      spec: Declaration<Params, Query, Body>,
    ): RouteSpec => {
      const responses = documented(shared, spec.responses);
      return { auth: 'bearer', ...settings, ...spec, method, path: prefix + path, responses };
    };
  return {
    get: declares('GET'),
    post: declares('POST'),
    put: declares('PUT'),
    patch: declares('PATCH'),
    del: declares('DELETE'),
  };
}

function documented(...parts: readonly Responses[]): RouteSpec['responses'] {
  const specs = new Map<number, ResponseSpec>();
  for (const responses of parts) {
    for (const [status, response] of Object.entries(responses)) {
      specs.set(Number(status), typeof response === 'string' ? { description: response, schema: zError } : response);
    }
  }
  return specs;
}

export type Answer =
  /** Serialized to JSON with the schema of the status. `isSecret`: as with `secretAnswer` of the route. */
  | { readonly kind: 'value'; readonly status: number; readonly value: unknown; readonly isSecret?: true }
  /**
   * Sent unchanged: JSON that a projection stores as text, HTML, markdown, SVG. The headers are recorded for an
   * idempotent repeat: they hold no secret.
   */
  | {
      readonly kind: 'text';
      readonly status: number;
      readonly type: string;
      readonly text: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Sent unchanged. Recorded for an idempotent repeat without the bytes, which the route computes again. */
  | {
      readonly kind: 'bytes';
      readonly status: number;
      readonly type: string;
      readonly bytes: Uint8Array;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Sent in chunks, as fast as the client reads. Not recorded for an idempotent repeat. */
  | { readonly kind: 'stream'; readonly status: number; readonly type: string; readonly chunks: AsyncIterable<string> }
  | { readonly kind: 'sse'; readonly source: SseSource }
  /** Made by a library, with its status and headers. Not recorded for an idempotent repeat. */
  | { readonly kind: 'web'; readonly response: Response }
  | { readonly kind: 'empty'; readonly status: number };

const HTML_TYPE = 'text/html; charset=utf-8';
export const MARKDOWN_TYPE = 'text/markdown; charset=utf-8';

export function value(of: unknown, status = 200): Answer {
  return { kind: 'value', status, value: of };
}

/** An answer that an idempotent repeat finds in memory, never in the log. */
export function secretValue(of: unknown): Answer {
  return { kind: 'value', status: 200, value: of, isSecret: true };
}

export function json(text: string, status = 200): Answer {
  return { kind: 'text', status, type: JSON_TYPE, text };
}

export function html(text: string, status = 200, headers: Readonly<Record<string, string>> = {}): Answer {
  return { kind: 'text', status, type: HTML_TYPE, text, headers };
}

export function text(type: string, of: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { kind: 'text', status: 200, type, text: of, headers };
}

export function bytes(type: string, of: Uint8Array, headers: Readonly<Record<string, string>> = {}): Answer {
  return { kind: 'bytes', status: 200, type, bytes: of, headers };
}

export function sse(source: SseSource): Answer {
  return { kind: 'sse', source };
}
