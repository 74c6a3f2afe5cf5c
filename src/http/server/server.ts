/**
 * Builds the fastify server: the door in front of every request, and one wrapper that turns a `RouteSpec` into a
 * fastify route. Routes are registered by hand in `routes.ts`; how an answer leaves is in `reply.ts`.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { FastifySSEPlugin } from 'fastify-sse-v2';
import type { z } from 'zod';
import type { Config } from '../../config.ts';
import type { Clock } from '../../ports/clock.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import type { EventLog } from '../../storage/event-log.ts';
import type { CommandHandler } from '../../streams/command-handler.ts';
import { type Answer, JSON_TYPE } from './answer.ts';
import { createDoor, type Door, type Knock } from './door.ts';
import { HttpError, outgoing, validationMessage } from './errors.ts';
import { refuseGarbage } from './garbage.ts';
import { errorBody, SecuredResponse } from './headers.ts';
import { readBody } from './json-body.ts';
import {
  type Commands,
  commandsOf,
  createKeyedRequests,
  hasKey,
  type KeyedRequests,
  type RequestParts,
} from './keyed.ts';
import { deliver, fail, send, sendError } from './reply.ts';
import type { RouteSpec } from './route.ts';
import { asksForSocket } from './socket-server.ts';
import { errorOrLost, refusalWithoutViews, sureAnswer } from './views-gate.ts';
import { type WaitingConnections, waitingConnections } from './waiting-connections.ts';
import { WholeRequest } from './whole-request.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly log: EventLog;
  readonly dispatcher: CommandHandler;
  readonly token: string;
  viewsUnavailable(): string | null;
  announce(line: string): void;
}

/** A connection that has not sent its headers, or its whole request, within these is answered 408 and closed. */
const HEADERS_MS_MAX = 10_000;
const REQUEST_MS_MAX = 60_000;
/** What a socket may hold that its reader has not taken: many slow readers must not cost much. */
const SOCKET_BUFFER_BYTES = 16_384;
/** A stream is asked for its next chunk only when the socket took the last one. */
const SSE_READ_AHEAD = 1;
/** The zod schemas of the routes are the only check; fastify's own compilers would only be loaded for nothing. */
const NO_SCHEMA_COMPILERS = { buildValidator: never, buildSerializer: never };

function never(): never {
  throw new Error('Routes here have no fastify schemas.');
}

/** None of them has one for fastify: `readBody` reads it. */
const METHODS_WITH_BODY = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'];
const METHODS = 'GET, POST, PUT, PATCH, DELETE, OPTIONS';
const ALLOWED_HEADERS =
  'content-type, authorization, accept, last-event-id, idempotency-key, x-voice-language, x-voice-prefer-local';
const QUERY_TOKEN_PATHS = /^\/ws\//;

declare module 'fastify' {
  interface FastifyContextConfig {
    spec?: RouteSpec;
  }
}

export interface HttpServer {
  readonly app: FastifyInstance;
  readonly door: Door;
  readonly waiting: WaitingConnections;
}

export function createServer(deps: Dependencies, routes: readonly RouteSpec[]): HttpServer {
  const app = fastify({
    logger: false,
    routerOptions: { maxParamLength: 4_096, ignoreDuplicateSlashes: false },
    forceCloseConnections: 'idle',
    requestTimeout: REQUEST_MS_MAX,
    http: {
      headersTimeout: HEADERS_MS_MAX,
      connectionsCheckingInterval: 1_000,
      highWaterMark: SOCKET_BUFFER_BYTES,
      // The door says so itself, in our own shape.
      requireHostHeader: false,
      IncomingMessage: WholeRequest,
      ServerResponse: SecuredResponse,
      // A request without a body is no stream to begin with.
      optimizeEmptyRequests: true,
      shouldUpgradeCallback: asksForSocket,
    },
    schemaController: { compilersFactory: NO_SCHEMA_COMPILERS },
    exposeHeadRoutes: true,
    genReqId: () => deps.ids.uuid(),
    frameworkErrors: (error, request, reply) => {
      void sendError(deps, reply as FastifyReply, refusalAtDoor(entrance, request.raw) ?? error);
    },
    clientErrorHandler: refuseGarbage,
  });
  const { config } = deps;
  const door = createDoor({
    token: deps.token,
    allowedHosts: config.allowed_hosts,
    allowedOrigins: config.allowed_origins,
    rateAuthenticated: config.rate_authenticated,
    ratePublic: config.rate_public,
    now: () => deps.clock.now(),
  });
  app.register(FastifySSEPlugin, { retryDelay: false, highWaterMark: SSE_READ_AHEAD });
  for (const method of METHODS_WITH_BODY) app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  const methods = methodTable(routes);
  const publicPaths = new Set(routes.filter((spec) => spec.auth === 'public').map((spec) => spec.path));
  const entrance: Entrance = { door, publicPaths, methods };
  app.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const { status, message, headers } = outgoing(refusalAtDoor(entrance, request) ?? UNMET);
    response.shouldKeepAlive = false;
    response.writeHead(status, { 'content-type': JSON_TYPE, ...headers }).end(errorBody(message, headers));
  });
  app.addHook('onRequest', (request, reply, done) => {
    try {
      if (passDoor(entrance, request, reply) === undefined) done();
    } catch (error) {
      done(error as Error);
    }
  });
  app.setErrorHandler((error, _request, reply) => sendError(deps, reply, error));
  const keyed = createKeyedRequests(deps.log);
  app.register(async (scope) => {
    for (const spec of routes) register(scope, { deps, spec, keyed });
  });
  return { app, door, waiting: waitingConnections(app.server) };
}

/** Nothing is pushed to it: the first host comes in a list of its own. */
const NO_HOSTS: string[] = [];

export function knockOf({ headers, rawHeaders, socket, httpVersion, url = '' }: IncomingMessage): Knock {
  let hosts = NO_HOSTS;
  for (let name = 0; name < rawHeaders.length; name += 2) {
    if (rawHeaders[name]!.length !== 4 || rawHeaders[name]!.toLowerCase() !== 'host') continue;
    const host = rawHeaders[name + 1] ?? '';
    if (hosts.length === 0) hosts = [host];
    else hosts.push(host);
  }
  const { remoteAddress: address = '', localPort: port = 0 } = socket;
  return { headers, hosts, needsHost: httpVersion === '1.1', target: url, address, port };
}

interface Entrance {
  readonly door: Door;
  readonly publicPaths: ReadonlySet<string>;
  readonly methods: readonly PathMethods[];
}

const UNMET = new HttpError(417, 'The only expectation this daemon meets is 100-continue.');

/** What the door says to a request that the router does not get, or undefined: then the request's own fault is told. */
function refusalAtDoor(entrance: Entrance, request: IncomingMessage): unknown {
  try {
    const knock = knockOf(request);
    entrance.door.admitOrigin(knock);
    admitToNowhere(entrance, knock);
    return undefined;
  } catch (error) {
    return error;
  }
}

/** The reply when it is sent already. What goes nowhere is answered here, whatever else is wrong with it. */
function passDoor(entrance: Entrance, request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
  const { door } = entrance;
  const knock = knockOf(request.raw);
  if (request.method === 'OPTIONS') {
    const origin = door.preflightOrigin(knock);
    if (origin !== null) allowOrigin(reply, origin);
    return reply.headers({ allow: METHODS }).code(200).send();
  }
  const origin = door.admitOrigin(knock);
  if (origin !== null) allowOrigin(reply, origin);
  const { spec } = request.routeOptions.config;
  if (spec === undefined) {
    admitToNowhere(entrance, knock);
    throw nowhere(entrance.methods, request);
  }
  door.admit(spec.auth, knock);
  return undefined;
}

/** What is not a route is as closed as what is one: without a credential nobody learns which paths exist. */
function admitToNowhere({ door, publicPaths }: Entrance, knock: Knock): void {
  const { target } = knock;
  const path = target.split('?', 1)[0] ?? '';
  if (QUERY_TOKEN_PATHS.test(path)) door.admit('query-token', knock, queryToken(target));
  else if (!publicPaths.has(path)) door.admit('bearer', knock);
  else door.admit('public', knock);
}

export function queryToken(url: string): string | undefined {
  return new URL(url, 'http://daybook').searchParams.get('token') ?? undefined;
}

function allowOrigin(reply: FastifyReply, origin: string): void {
  reply.headers({
    'access-control-allow-origin': origin,
    'access-control-allow-methods': METHODS,
    'access-control-allow-headers': ALLOWED_HEADERS,
    'access-control-expose-headers': 'retry-after',
    vary: 'Origin',
  });
}

interface Registration {
  readonly deps: Dependencies;
  readonly spec: RouteSpec;
  readonly keyed: KeyedRequests;
}

function register(app: FastifyInstance, { deps, spec, keyed }: Registration): void {
  app.route({
    method: spec.method,
    url: spec.path.replace(/\{(\w+)\}/g, ':$1'),
    config: { spec },
    /** Not an async function: each promise that fastify has to wait for costs a request about a microsecond. */
    handler(request, reply) {
      readBody(request, spec, (error) => {
        try {
          if (error !== null) throw error;
          serve({ deps, spec, request }, keyed, reply);
        } catch (error) {
          fail(reply, error);
        }
      });
    },
  });
}

function serve(parts: RequestParts, keyed: KeyedRequests, reply: FastifyReply): void {
  const { spec, request } = parts;
  const unavailable = refusalWithoutViews(parts);
  if (unavailable !== null) throw unavailable;
  const params = check(spec.params, request.params, 'path');
  const query = check(spec.query, request.query, 'query');
  const body = check(spec.body, request.body, 'body');
  spec.admit?.({ body, request });
  const work = ({ origin, dispatch, remember }: Commands) =>
    spec.handle({ params, query, body, origin, dispatch, remember, request, peer: request.ip });
  if (hasKey(parts)) {
    const sure = (commands: Commands): Promise<Answer> => sureAnswer(parts, () => work(commands));
    keyed.answer(parts, sure, (answer) => send(reply, spec, answer)).catch((error) => fail(reply, error));
    return;
  }
  const answer = work(commandsOf(parts));
  if (answer instanceof Promise) {
    const failed = (error: unknown): void => fail(reply, errorOrLost(parts, error));
    answer.then((known) => deliver(reply, parts, known), failed);
  } else deliver(reply, parts, answer);
}

function check(schema: z.ZodType | undefined, given: unknown, where: string): unknown {
  if (schema === undefined) return undefined;
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new HttpError(400, validationMessage(parsed.error, where));
}

interface PathMethods {
  readonly pattern: RegExp;
  readonly methods: string[];
}

function methodTable(routes: readonly RouteSpec[]): readonly PathMethods[] {
  const byPath = new Map<string, PathMethods>();
  for (const { path, method } of routes) {
    const source = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+');
    const entry = byPath.get(path) ?? { pattern: new RegExp(`^${source}$`), methods: [] };
    entry.methods.push(method);
    byPath.set(path, entry);
  }
  return [...byPath.values()];
}

/** 405 for a path that has other methods, 404 for one that has none. */
function nowhere(table: readonly PathMethods[], request: FastifyRequest): HttpError {
  const path = request.url.split('?', 1)[0] ?? '';
  const methods = table.find(({ pattern }) => pattern.test(path))?.methods;
  if (methods === undefined) return new HttpError(404, 'Not found');
  return new HttpError(405, `${request.method} is not allowed here; allowed: ${methods.join(', ')}.`, {
    allow: methods.join(', '),
  });
}
