/** The routes of a resource as a Fastify plugin, built from their declarations. */
import { Readable } from 'node:stream';
import type {
  FastifyInstance,
  FastifyPluginCallback,
  FastifyReply,
  FastifyRequest,
  FastifySchemaCompiler,
  onRequestHookHandler,
  preHandlerHookHandler,
  preValidationHookHandler,
} from 'fastify';
import type { FastifySerializerCompiler } from 'fastify/types/schema.js';
import type { z } from 'zod';
import { faultOf } from '../../events/fault.ts';
import { ownTurn } from '../../lib/slices.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import type { CommandHandler, Origin } from '../../streams/command-handler.ts';
import type { AnswerTurns } from './answer-turns.ts';
import type { AuthClass } from './auth-guard.ts';
import { errorReply, HttpError, notAllowed, validationMessage } from './errors.ts';
import { JSON_TYPE } from './headers.ts';
import { type CallerCommands, callerCommands, type Idempotency, isKeyed } from './idempotency.ts';
import type { PositionHeaders } from './position-headers.ts';
import { createRateLimiter, type RateLimiter } from './rate-limit.ts';
import type { ReadModelGuard } from './read-model-guard.ts';
import type { Answer, Method, RouteSpec } from './route.ts';
import { sendSse } from './sse.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Absent for unknown paths. */
    auth?: AuthClass;
    /** Present for a route with a rate limit of its own. */
    limiter?: RateLimiter;
    challenge?: boolean;
  }
  interface FastifyRequest {
    /** The body before validation, which replaces `body`. An Idempotency-Key is bound to this. */
    sentBody: unknown;
  }
}

interface RouteServices {
  readonly commandHandler: CommandHandler;
  readonly ids: Pick<IdGenerator, 'uuid'>;
  readonly idempotency: Idempotency;
  readonly positions: PositionHeaders;
  readonly readModels: ReadModelGuard;
  readonly turns: AnswerTurns;
  readonly siblings: FixedSiblings;
}

/** The routes without parameters, by the folder of their path. */
type FixedSiblings = ReadonlyMap<string, readonly RouteSpec[]>;

export function fixedSiblings(routes: readonly RouteSpec[]): FixedSiblings {
  const fixed = routes.filter(({ path }) => !path.includes('{'));
  return Map.groupBy(fixed, ({ path }) => folderOf(path));
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

export function routePlugin(routes: readonly RouteSpec[], services: RouteServices): FastifyPluginCallback {
  return (app, _options, done) => {
    for (const spec of routes) addRoute(app, spec, services);
    done();
  };
}

function addRoute(app: FastifyInstance, spec: RouteSpec, services: RouteServices): void {
  const others = otherPaths(spec, services.siblings);
  app.route({
    method: spec.method === 'GET' ? ['GET', 'HEAD'] : spec.method,
    url: spec.path.replace(/\{(\w+)\}/g, ':$1'),
    config: {
      auth: spec.auth,
      rawBody: spec.rawBody !== undefined,
      challenge: spec.challenge === true,
      ...(spec.requestsPerMinute !== undefined && { limiter: createRateLimiter(spec.requestsPerMinute) }),
    },
    schema: schemasOf(spec),
    ...(spec.bodyBytesMax !== undefined && { bodyLimit: spec.bodyBytesMax }),
    ...(others.size > 0 && { onRequest: refuseOthers(others) }),
    preValidation: [waitForPosition(services), prepare(spec, services)],
    ...(spec.admit && { preHandler: admission(spec.admit) }),
    handler: (request, reply) => handle({ spec, services, request, reply }),
  });
}

/** The paths of routes with other methods that the last parameter of this route matches, too, with those methods. */
function otherPaths({ path, method }: RouteSpec, siblings: FixedSiblings): ReadonlyMap<string, readonly Method[]> {
  const fixed = path.endsWith('}') ? (siblings.get(folderOf(path)) ?? []) : [];
  const methods = Map.groupBy(fixed, (sibling) => sibling.path);
  const others = [...methods].map(([other, specs]) => [other, specs.map((spec) => spec.method)] as const);
  return new Map(others.filter(([, allowed]) => !allowed.includes(method)));
}

function refuseOthers(others: ReadonlyMap<string, readonly Method[]>): onRequestHookHandler {
  return ({ url, method }, _reply, done) => {
    const allowed = others.get(url.split('?', 1)[0]!);
    if (allowed !== undefined) throw notAllowed(method, allowed);
    done();
  };
}

function waitForPosition({ positions }: RouteServices): preValidationHookHandler {
  return (request, _reply, done) => {
    const waiting = positions.admit(request);
    if (waiting === undefined) done();
    else waiting.then(() => done(), done);
  };
}

function prepare(spec: RouteSpec, { readModels }: RouteServices): preValidationHookHandler {
  return (request, _reply, done) => {
    readModels.check(spec);
    request.sentBody = request.body;
    if (spec.body !== undefined && request.body === undefined) request.body = NO_BODY;
    done();
  };
}

function admission(admit: NonNullable<RouteSpec['admit']>): preHandlerHookHandler {
  return (request, _reply, done) => {
    admit({ body: request.body, request });
    done();
  };
}

function schemasOf({ params, query, body, responses }: RouteSpec) {
  return {
    ...(params && { params }),
    ...(query && { querystring: query }),
    ...(body && { body }),
    response: Object.fromEntries(responseSchemas(responses)),
  };
}

/** By status, or by a class such as `4xx` whose statuses have the same schema (see `RouteSpec.responses`). */
function responseSchemas(responses: RouteSpec['responses']): [key: string, schema: z.ZodType][] {
  const classes = Map.groupBy(responses, ([status]) => `${String(status).charAt(0)}xx`);
  return [...classes].flatMap(([name, members]) => {
    const schemas = members.flatMap(([status, { schema }]) => (schema ? [[String(status), schema] as const] : []));
    const [shared, ...others] = new Set(schemas.map(([, schema]) => schema));
    return shared !== undefined && others.length === 0
      ? [[name, shared]]
      : schemas.map(([key, schema]) => [key, schema]);
  });
}

interface Exchange {
  readonly spec: RouteSpec;
  readonly services: RouteServices;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

async function handle(exchange: Exchange): Promise<unknown> {
  const { spec, services, request, reply } = exchange;
  const origin = new CallerOrigin(services.ids);
  if (spec.method === 'GET' && spec.auth !== 'asset') services.positions.read(reply, spec);
  const key = request.headers['idempotency-key'];
  if (isKeyed(spec) && typeof key === 'string') {
    const keyed = { method: spec.method, url: request.url, key, body: request.sentBody, origin, route: spec };
    const work = (commands: CallerCommands): Promise<Answer> => answerOf(exchange, commands);
    return services.idempotency.answer(keyed, work, (answer) => send(exchange, origin, answer));
  }
  const answer = await answerOf(exchange, callerCommands(services.commandHandler, origin));
  return send(exchange, origin, answer);
}

/** The answer of the route's handler; throws 503 when the read models became unreadable meanwhile. */
async function answerOf({ spec, services, request }: Exchange, commands: CallerCommands): Promise<Answer> {
  try {
    if (spec.isLong === true) await ownTurn();
    const answer = await spec.handle({
      params: spec.params && request.params,
      query: spec.query && request.query,
      body: spec.body && request.body,
      request,
      peer: request.ip,
      ...commands,
    });
    services.readModels.checkAfter(spec);
    return answer;
  } catch (error) {
    // The handler's own 503 is more precise: nothing could be appended.
    if (errorReply(error).status !== 503) services.readModels.checkAfter(spec);
    throw error;
  }
}

/** The payload for Fastify, or a promise of it at the end of the turn (answer-turns.ts). */
function send(exchange: Exchange, origin: CallerOrigin, answer: Answer): unknown {
  const end = exchange.services.turns.end();
  return end === undefined ? respond(exchange, origin, answer) : end.then(() => respond(exchange, origin, answer));
}

/**
 * The events that a request causes share a correlation. It is created on first use, because most requests cause none.
 */
class CallerOrigin implements Origin {
  readonly actor = 'owner';
  readonly #ids: Pick<IdGenerator, 'uuid'>;
  #correlation: string | undefined;

  constructor(ids: Pick<IdGenerator, 'uuid'>) {
    this.#ids = ids;
  }

  get correlation(): string {
    this.#correlation ??= this.#ids.uuid();
    return this.#correlation;
  }

  /** A GET may dispatch commands, too: the offer of a pairing token, for example. */
  get hasDispatched(): boolean {
    return this.#correlation !== undefined;
  }
}

/** The payload for Fastify, which serializes values with the schema of their status. For SSE, a promise of the end. */
function respond({ spec, services, reply }: Exchange, origin: CallerOrigin, answer: Answer): unknown {
  if (spec.method !== 'GET' || origin.hasDispatched) services.positions.wrote(reply);
  if (answer.kind === 'sse') return sendSse(reply, answer.source);
  if (answer.kind === 'web') return withOpeningComment(answer.response);
  reply.code(answer.status);
  if (answer.kind === 'empty') return undefined;
  if (answer.kind === 'value') {
    reply.type(JSON_TYPE);
    return answer.value;
  }
  if (answer.kind === 'stream') {
    reply.type(answer.type);
    return Readable.from(answer.chunks, { highWaterMark: 1 });
  }
  reply.headers({ ...answer.headers, 'content-type': answer.type });
  return answer.kind === 'text' ? answer.text : answer.bytes;
}

/** Sends a comment at once: headers go out with the first bytes, so the client would wait for the first message. */
function withOpeningComment(response: Response): Response {
  if (response.headers.get('content-type') !== 'text/event-stream' || response.body === null) return response;
  const opened = new TransformStream<Uint8Array, Uint8Array>({
    start: (controller) => controller.enqueue(STREAM_OPENED),
  });
  return new Response(response.body.pipeThrough(opened), response);
}

const STREAM_OPENED = new TextEncoder().encode(': open\n\n');

/** Stands for a missing body, for which Fastify would validate null, a valid JSON value. */
const NO_BODY = Symbol('no body');

const PARTS: Readonly<Record<string, string>> = { params: 'path', querystring: 'query', body: 'body' };

export const zodValidator: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart = '' }) => {
  const part = PARTS[httpPart] ?? httpPart;
  return (value: unknown) => {
    const parsed = schema.safeParse(value === NO_BODY ? undefined : value, { error: faultOf });
    if (parsed.success) return { value: parsed.data };
    return { error: new HttpError(400, validationMessage(parsed.error, part)) };
  };
};

/** Fields that the schema does not declare are removed from the response. */
export const zodSerializer: FastifySerializerCompiler<z.ZodType> =
  ({ schema }) =>
  (value) =>
    JSON.stringify(schema.parse(value));
