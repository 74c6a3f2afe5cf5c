/** Routes of the log: envelopes by page, as a stream and on a socket, its head, and the rebuild of views. */
import { Subject } from 'rxjs';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import { zEnvelope } from '../events/envelope.ts';
import { Moments } from '../queries/as-of/moment.ts';
import { logPage } from '../queries/log.ts';
import type { EventLog } from '../storage/event-log.ts';
import { envelopeJson } from '../streams/envelope.ts';
import type { Projector } from '../streams/projector.ts';
import type { Frame } from '../streams/replay-buffer.ts';
import { FellBehind } from '../streams/shared-frames.ts';
import type { Subscriptions } from '../streams/subscriptions.ts';
import { whileConnected } from './server/disconnect.ts';
import { HttpError } from './server/errors.ts';
import { cursorOf, queryNumber, zCursor } from './server/query-params.ts';
import { json, ok, type RouteSpec, routesOf, type StreamSpec, sse, value } from './server/route.ts';
import type { SocketSpec } from './server/sockets.ts';
import { frameSource, opened } from './server/sse.ts';
import { closeFaulty, pingUntilClosed } from './server/websocket-server.ts';

const { get, post } = routesOf({ tag: 'log', withoutViews: true });

interface RebuildDependencies {
  readonly projector: Pick<Projector, 'position'>;
  viewsUnavailable(): string | null;
  rebuildViews(): Promise<void>;
  announce(line: string): void;
}

export interface Dependencies extends RebuildDependencies {
  readonly log: EventLog;
  readonly subscriptions: Subscriptions;
}

const EVENTS_LIMIT_DEFAULT = 500;
const EVENTS_LIMIT_MAX = 5_000;

export const zHash = z.string().length(64);

/** Empty, like absent: no filter. */
const zFilter = z.string().default('');
const zTypeFilter = zFilter.describe('Only events of this type.');

const zEventsQuery = z.object({
  after: zCursor.default(0),
  limit: queryNumber({ min: 1, max: EVENTS_LIMIT_MAX }).default(EVENTS_LIMIT_DEFAULT),
  stream: zFilter,
  type: zTypeFilter,
  before: zCursor.optional().describe('Only what precedes this position, the newest first.'),
  actor: zFilter,
  correlation: zFilter,
  from: zCursor.optional().describe('Recorded at this time or later, in Unix milliseconds.'),
  to: zCursor.optional().describe('Recorded before this time, in Unix milliseconds.'),
});

const logEvents: StreamSpec = { data: zEnvelope, id: 'The position of the event in the log.', end: 'Never.' };

export function logRoutes(deps: Dependencies): readonly RouteSpec[] {
  const { log, subscriptions } = deps;
  return [eventsRoute(log), streamRoute(subscriptions), headRoute(log), rebuildRoute(deps)];
}

function eventsRoute(log: EventLog): RouteSpec {
  const moments = new Moments(log);
  return get('/v1/events', {
    operation: 'list',
    summary:
      'Envelopes after a position, filtered by stream, type, actor, correlation and time (Unix milliseconds); `next` is ' +
      'where to go on, null at the head. With `before` they are those before that position, the newest first.',
    query: zEventsQuery,
    responses: ok('A page.', {
      events: z.array(zEnvelope).describe('Envelopes, oldest first; newest first with `before`.'),
      next: z.int().nullable(),
      head: z.int().describe('Position of the newest event of the log.'),
    }),
    async handle({ query, request }) {
      const { items, next, head } = await whileConnected(request, (signal) =>
        logPage(log, query, { render: envelopeJson, moments, signal }),
      );
      return json(`{"events":[${items.join(',')}],"next":${next},"head":${head}}`);
    },
  });
}

function streamRoute(subscriptions: Subscriptions): RouteSpec {
  return get('/v1/events/stream', {
    operation: 'events',
    summary:
      'The same envelopes as SSE, `id:` = position: history, then live, without end; `stream` and `type` filter.',
    query: z.object({ after: zCursor.optional(), stream: zFilter, type: zTypeFilter }),
    responses: { 200: { description: 'The stream.', type: 'text/event-stream', events: logEvents } },
    handle: ({ query, request }) => {
      const { stream, type } = query;
      const selection = { ...(stream !== '' && { stream }), ...(type !== '' && { types: [type] }) };
      const after = cursorOf(request, query.after) ?? 0;
      return sse(frameSource(opened(request, (demand$) => subscriptions.events({ ...selection, after, demand$ }))));
    },
  });
}

function headRoute(log: EventLog): RouteSpec {
  return get('/v1/log/head', {
    operation: 'head',
    summary: 'Position, RFC 9162 tree hash and time of the newest event.',
    responses: ok('The head.', { position: z.int(), tree_hash: zHash, at: z.int().nullable() }),
    handle() {
      const { position, treeHash, at } = log.head();
      return value({ position, tree_hash: treeHash, at });
    },
  });
}

function rebuildRoute({ projector, rebuildViews, viewsUnavailable, announce }: RebuildDependencies): RouteSpec {
  return post('/v1/views/rebuild', {
    operation: 'rebuildViews',
    summary: 'Deletes every view and folds the log again; other routes answer 503 meanwhile.',
    responses: ok(
      'Rebuilt.',
      { position: z.int(), seconds: z.number().describe('Duration of the rebuild.') },
      { 503: 'The views cannot be written; says what to do.' },
    ),
    async handle() {
      const before = performance.now();
      await rebuildViews().catch((error: Error) => {
        announce(`The views could not be rebuilt: ${error.message}`);
        throw new HttpError(503, viewsUnavailable() ?? error.message);
      });
      return value({ position: projector.position, seconds: (performance.now() - before) / 1000 });
    },
  });
}

type SocketDependencies = Pick<Dependencies, 'subscriptions' | 'announce'>;

const FRAME_BYTES_MAX = 65_536;
/** While a socket buffers more bytes than this, no events are read from the log for it. */
const BUFFERED_BYTES_MAX = 65_536;

/** A client that falls too far behind is disconnected; its frames wait in the log, never in memory. */
export function logSocket(deps: SocketDependencies): SocketSpec {
  return {
    tag: 'log',
    operation: 'socket',
    path: '/v1/events/ws',
    summary: 'The envelopes of the log: history, then live, without end.',
    auth: 'bearer',
    query: z.object({ after: z.int().nonnegative().default(0).describe('The position to go on after.') }),
    toClient: { text: zEnvelope },
    fromClient: {},
    frameBytesMax: FRAME_BYTES_MAX,
    open({ query, accept }) {
      const [first = '0', ...more] = query.getAll('after');
      const after = zCursor.safeParse(first);
      if (!after.success || more.length > 0) throw new HttpError(400, 'after must be a whole number from 0.');
      accept((client) => sendLog(deps, client, after.data));
    },
  };
}

function sendLog({ subscriptions, announce }: SocketDependencies, client: WebSocket, after: number): undefined {
  const sent$ = new Subject<void>();
  const writes = subscriptions.events({ after, demand$: sent$ }).subscribe({
    next: ({ frames }) => sendAll(client, frames, () => sent$.next()),
    complete: () => client.close(1001, 'The daemon is going down.'),
    error: (error) => (error instanceof FellBehind ? client.terminate() : closeFaulty(client, error, announce)),
  });
  client.on('error', () => client.terminate());
  pingUntilClosed(client, () => writes.unsubscribe());
}

/** Calls `taken` when the socket can take more: at once, or when it has taken the last frame. */
function sendAll(client: WebSocket, frames: readonly Frame[], taken: () => void): void {
  for (const { json } of frames.slice(0, -1)) client.send(json);
  const last = frames.at(-1)!.json;
  if (client.bufferedAmount < BUFFERED_BYTES_MAX) {
    client.send(last);
    taken();
  } else {
    client.send(last, (error) => {
      if (!error) taken();
    });
  }
}
