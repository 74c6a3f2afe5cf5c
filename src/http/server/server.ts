/**
 * Builds the Fastify server: hooks in front of every route, one plugin for each resource, and the handlers of errors
 * and unknown paths.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { FastifySSEPlugin } from 'fastify-sse-v2';
import type { Config } from '../../config.ts';
import { openFilesMax } from '../../lib/open-files.ts';
import type { Timers } from '../../lib/timers.ts';
import type { Clock } from '../../ports/clock.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import type { EventLog } from '../../storage/event-log.ts';
import type { CommandHandler } from '../../streams/command-handler.ts';
import type { Positions } from '../../streams/positions.ts';
import { AnswerTurns } from './answer-turns.ts';
import { AuthGuard, type RequestInfo, requestInfo } from './auth-guard.ts';
import { type Connections, limitConnections, lingering, refuseGarbage, trackConnections } from './connections.ts';
import { announceCause, errorReply, HttpError, notAllowed, retryLater } from './errors.ts';
import { errorBody, JSON_TYPE, SECURITY_HEADERS } from './headers.ts';
import { createIdempotency } from './idempotency.ts';
import { createPositionHeaders } from './position-headers.ts';
import { createReadModelGuard } from './read-model-guard.ts';
import { BODY_BYTES_MAX, parseBodies } from './request-body.ts';
import type { ClaimLeases } from './request-claims.ts';
import type { RouteSpec } from './route.ts';
import { fixedSiblings, routePlugin, zodSerializer, zodValidator } from './route-plugin.ts';
import { encryptedServer, type Tls } from './tls.ts';
import { isWebSocketPath, isWebSocketUpgrade } from './websocket-server.ts';

/** A client that has not sent its headers, or its whole request, within this time is answered 408 and disconnected. */
const HEADERS_MS_MAX = 10_000;
const REQUEST_MS_MAX = 60_000;
/** A connection that is idle for this long is closed; the header `Keep-Alive` announces it. */
const IDLE_CONNECTION_MS_MAX = 72_000;
/** Bytes that a socket buffers for a slow reader. Low, because there may be many of them. */
const SOCKET_BUFFER_BYTES = 16_384;
/** The next chunk of a stream is requested when the socket has taken the previous one. */
const SSE_READ_AHEAD = 1;

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const CORS_METHODS = [...METHODS, 'OPTIONS'].join(', ');
const CORS_HEADERS =
  'content-type, authorization, accept, last-event-id, idempotency-key, daybook-min-position, mcp-protocol-version, ' +
  'mcp-session-id, x-voice-language, x-voice-prefer-local';
const EXPOSED_HEADERS = 'retry-after, daybook-position, mcp-session-id, x-daybook-session-id, content-disposition';

interface ServerDependencies {
  readonly config: Pick<Config, 'allowed_hosts' | 'allowed_origins' | 'rate_authenticated' | 'rate_public'>;
  readonly token: string;
  readonly clock: Clock;
  readonly ids: Pick<IdGenerator, 'uuid'>;
  readonly log: Pick<EventLog, 'readStream' | 'streamVersion' | 'onAppended'>;
  readonly commandHandler: CommandHandler;
  /** Absent for a log that is not shared. */
  readonly leases?: ClaimLeases;
  readonly positions: Positions;
  /** Absent for HTTP without encryption. */
  readonly tls?: Tls | undefined;
  readonly timers: Timers;
  /** Aborts when the daemon stops, shortly before it closes the connections. */
  readonly closing: AbortSignal;
  /** Null, or why the read models cannot be read. */
  viewsUnavailable(): string | null;
  /** A line on the daemon's stderr. */
  announce(line: string): void;
}

export interface HttpServer {
  readonly app: FastifyInstance;
  readonly guard: AuthGuard;
  readonly connections: Connections;
}

function unused(): never {
  throw new Error('Schemas here are zod schemas.');
}

/** One list of routes for each resource. */
export function createServer(
  dependencies: ServerDependencies,
  resources: readonly (readonly RouteSpec[])[],
): HttpServer {
  const { config, token, clock, ids, commandHandler, announce } = dependencies;
  const sendError = errorSender(announce);
  const guard = new AuthGuard({
    token,
    allowedHosts: config.allowed_hosts,
    allowedOrigins: config.allowed_origins,
    rateAuthenticated: config.rate_authenticated,
    ratePublic: config.rate_public,
    now: () => clock.now(),
  });
  const gate = createGate(guard);
  const app = createFastify({ gate, sendError, tls: dependencies.tls });
  const connections = trackConnections(app.server);
  const filesMax = openFilesMax();
  if (filesMax !== null) limitConnections(app.server, { filesMax, announce });
  refuseExpectations(app, gate);
  app.register(FastifySSEPlugin, { retryDelay: false, highWaterMark: SSE_READ_AHEAD });
  app.setValidatorCompiler(zodValidator);
  app.setSerializerCompiler(zodSerializer);
  app.removeAllContentTypeParsers();
  app.decorateRequest('sentBody', undefined);
  app.decorate('closing', dependencies.closing);
  addHooks(app, gate);
  app.setNotFoundHandler((request) => {
    throw notFound(app, request);
  });
  app.setErrorHandler((error, request, reply) => {
    sendError(reply, request.is404 && isFrameworkError(error) ? notFound(app, request) : error);
  });
  const services = {
    commandHandler,
    ids,
    idempotency: createIdempotency(dependencies),
    positions: createPositionHeaders(dependencies.positions, dependencies.timers),
    readModels: createReadModelGuard(() => dependencies.viewsUnavailable()),
    turns: new AnswerTurns(),
    siblings: fixedSiblings(resources.flat()),
  };
  app.register(async (scope) => {
    parseBodies(scope);
    for (const routes of resources) scope.register(routePlugin(routes, services));
  });
  return { app, guard, connections };
}

interface FastifyParts {
  readonly gate: Gate;
  sendError(reply: FastifyReply, error: unknown): void;
  readonly tls: Tls | undefined;
}

const HTTP_OPTIONS = {
  headersTimeout: HEADERS_MS_MAX,
  connectionsCheckingInterval: 1_000,
  highWaterMark: SOCKET_BUFFER_BYTES,
  // The auth guard refuses requests without a Host header, with the common shape of errors.
  requireHostHeader: false,
  shouldUpgradeCallback: isWebSocketUpgrade,
  optimizeEmptyRequests: true,
};

const TIMEOUTS = { keepAliveTimeout: IDLE_CONNECTION_MS_MAX, requestTimeout: REQUEST_MS_MAX };

/** Fastify with the limits of the daemon, and nothing registered. */
function createFastify({ gate, sendError, tls }: FastifyParts): FastifyInstance {
  return fastify({
    ...(tls !== undefined && {
      serverFactory: (handler: RequestListener) => encryptedServer(tls, { ...HTTP_OPTIONS, ...TIMEOUTS }, handler),
    }),
    logger: false,
    bodyLimit: BODY_BYTES_MAX,
    routerOptions: { maxParamLength: 4_096, ignoreDuplicateSlashes: false },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    ...TIMEOUTS,
    http: HTTP_OPTIONS,
    // Without these, Fastify loads its JSON Schema compilers, which are replaced later: 20 ms of each start.
    schemaController: { compilersFactory: { buildValidator: unused, buildSerializer: unused } },
    // The plugins of the resources register HEAD with GET: two routes for one would be 15 ms of each start.
    exposeHeadRoutes: false,
    frameworkErrors: (error, request, reply) => {
      reply.headers(SECURITY_HEADERS);
      sendError(reply as FastifyReply, gate.refusal(request.raw) ?? error);
    },
    clientErrorHandler: refuseGarbage,
  });
}

interface Gate {
  readonly guard: AuthGuard;
  readonly publicPaths: Set<string>;
  /** The error with which the guard refuses a request that does not reach the router; undefined when it admits it. */
  refusal(request: IncomingMessage): unknown;
  /** Unknown paths need a credential, too, so that callers without one cannot learn which paths exist. */
  authenticateUnrouted(info: RequestInfo): void;
}

function createGate(guard: AuthGuard): Gate {
  const publicPaths = new Set<string>();
  const authenticateUnrouted = (info: RequestInfo): void => {
    const path = pathOf(info.target);
    const auth = path.startsWith('/ws/') ? 'query-token' : publicPaths.has(path) ? 'public' : 'bearer';
    guard.authenticate(auth, info);
  };
  return {
    guard,
    publicPaths,
    authenticateUnrouted,
    refusal(request) {
      try {
        const info = requestInfo(request);
        guard.checkOrigin(info);
        authenticateUnrouted(info);
        return undefined;
      } catch (error) {
        return error;
      }
    },
  };
}

function addHooks(app: FastifyInstance, gate: Gate): void {
  let isClosing = false;
  app.addHook('preClose', (done) => {
    isClosing = true;
    done();
  });
  app.addHook('onRoute', ({ url, config }) => {
    if (config?.auth === 'public') gate.publicPaths.add(url);
  });
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(SECURITY_HEADERS);
    if (isClosing) throw retryLater('The daemon is going down.');
    if (request.method === 'OPTIONS') answerPreflight(gate.guard, request, reply);
    else {
      authenticate(gate, request, reply);
      done();
    }
  });
}

function answerPreflight(guard: AuthGuard, request: FastifyRequest, reply: FastifyReply): void {
  const origin = guard.preflightOrigin(requestInfo(request.raw));
  if (origin !== null) allowOrigin(reply, origin);
  reply.header('allow', CORS_METHODS).code(200).send();
}

function authenticate({ guard, authenticateUnrouted }: Gate, request: FastifyRequest, reply: FastifyReply): void {
  const info = requestInfo(request.raw);
  const origin = guard.checkOrigin(info);
  if (origin !== null) allowOrigin(reply, origin);
  const { auth, limiter, challenge } = request.routeOptions.config;
  if (auth === undefined) authenticateUnrouted(info);
  else guard.authenticate(auth, info, { limiter, challenge });
}

function allowOrigin(reply: FastifyReply, origin: string): void {
  reply.headers({
    'access-control-allow-origin': origin,
    'access-control-allow-methods': CORS_METHODS,
    'access-control-allow-headers': CORS_HEADERS,
    'access-control-expose-headers': EXPOSED_HEADERS,
    vary: 'Origin',
  });
}

const UNMET = new HttpError(417, 'The only expectation this daemon meets is 100-continue.');

/** Node emits requests with an unknown expectation as an event of their own, which bypasses the router. */
function refuseExpectations(app: FastifyInstance, gate: Gate): void {
  app.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const { status, message, headers } = errorReply(gate.refusal(request) ?? UNMET);
    const all = { ...SECURITY_HEADERS, 'content-type': JSON_TYPE, ...headers, connection: 'close' };
    response.writeHead(status, all).end(errorBody(message, headers));
  });
}

function errorSender(announce: (line: string) => void) {
  return (reply: FastifyReply, error: unknown): void => {
    const { status, message, headers } = errorReply(error);
    announceCause(error, announce);
    if (reply.raw.headersSent) return void reply.raw.destroy();
    const body = errorBody(message, headers);
    reply
      .code(status)
      .headers({ 'content-type': JSON_TYPE, 'content-length': Buffer.byteLength(body), ...headers })
      .send(lingering(reply.raw, body));
  };
}

const NO_HANDSHAKE = new HttpError(
  426,
  'Here are WebSockets only: the request needs the headers Connection: Upgrade and Upgrade: websocket.',
  { connection: 'close, Upgrade', upgrade: 'websocket' },
);

/**
 * 426 where only WebSockets are, 405 for a path that has other methods, else 404. A fixed path takes precedence over
 * one with parameters.
 */
function notFound(app: FastifyInstance, request: FastifyRequest): HttpError {
  const url = pathOf(request.url);
  if (isWebSocketPath(url)) return NO_HANDSHAKE;
  const candidates = METHODS.flatMap((method) => {
    const route = app.findRoute({ method, url });
    return route === null ? [] : [{ method, parameters: Object.keys(route.params ?? {}).length }];
  });
  if (candidates.length === 0) return new HttpError(404, 'Not found');
  const fewest = Math.min(...candidates.map(({ parameters }) => parameters));
  const methods = candidates.flatMap(({ method, parameters }) => (parameters === fewest ? [method] : []));
  return notAllowed(request.method, methods);
}

/** Whether Fastify itself raised the error, for an unreadable content type for example. */
function isFrameworkError(error: unknown): boolean {
  return String((error as { readonly code?: unknown } | null)?.code).startsWith('FST_');
}

function pathOf(target: string): string {
  return target.split('?', 1)[0] ?? '';
}
