/** The log itself: envelopes by page and as a stream, its head, and the proofs that make it checkable from outside. */
import { z } from 'zod';
import { zEnvelope } from '../events/envelope.ts';
import type { EventLog, RecordedEvent } from '../storage/event-log.ts';
import { envelopeJson } from '../streams/envelope.ts';
import type { Projector } from '../streams/project.ts';
import type { Subscriptions } from '../streams/subscriptions.ts';
import { json, sse, value } from './server/answer.ts';
import { cursorOf, zCursor } from './server/cursor.ts';
import { HttpError, zError } from './server/errors.ts';
import { queryNumber } from './server/query-number.ts';
import { type RouteSpec, route } from './server/route.ts';
import { frameSource } from './server/sse.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly log: EventLog;
  readonly projector: Projector;
  readonly subscriptions: Subscriptions;
  viewsUnavailable(): string | null;
  rebuildViews(): Promise<void>;
  announce(line: string): void;
}

const EVENTS_LIMIT_DEFAULT = 500;
const EVENTS_LIMIT_MAX = 5_000;
/** Events looked at for one filtered page; `next` goes on from there. */
const SCANNED_MAX = 50_000;
/** Characters of one page: it ends with the event that goes past them. */
const PAGE_CHARACTERS_MAX = 16_777_216;
const STREAM_BYTES_MAX = 255;

const zHash = z.string().length(64);

const zEventsQuery = z.object({
  after: zCursor.default(0),
  limit: queryNumber({ min: 1, max: EVENTS_LIMIT_MAX }).default(EVENTS_LIMIT_DEFAULT),
  /** Left empty, as left out: all of them. */
  stream: z.string().default(''),
  type: z.string().default(''),
});

const badRange = { 400: { description: 'A position the log does not have.', schema: zError } };

export function logRoutes(deps: Dependencies): readonly RouteSpec[] {
  const common = { tag: 'log', auth: 'bearer', withoutViews: true } as const;
  return [
    route({
      ...common,
      method: 'GET',
      path: '/v1/events',
      summary: 'Envelopes after a position, by stream and type if asked; `next` is where to go on, null at the head.',
      query: zEventsQuery,
      responses: {
        200: {
          description: 'A page.',
          schema: z.object({ events: z.array(zEnvelope), next: z.int().nullable(), head: z.int() }),
        },
      },
      handle: ({ query }) => json(page(deps, query)),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/v1/events/stream',
      summary: 'The same envelopes as SSE, `id:` = position: history, then live, for ever.',
      query: z.object({ after: zCursor.optional() }),
      responses: { 200: { description: 'The stream.', type: 'text/event-stream' } },
      handle: ({ query, request }) => {
        const after = cursorOf(request, query.after) ?? 0;
        return sse(frameSource((demand$) => deps.subscriptions.events({ after, demand$ })));
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/v1/log/head',
      summary: 'Position, RFC 9162 tree hash and time of the newest event.',
      responses: {
        200: {
          description: 'The head.',
          schema: z.object({ position: z.int(), tree_hash: zHash, at: z.int().nullable() }),
        },
      },
      handle() {
        const { position, treeHash, at } = deps.log.head();
        return value({ position, tree_hash: treeHash, at });
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/v1/log/proof',
      summary: 'Proof that the event at a position is in the tree of a size.',
      query: z.object({ position: zCursor, size: zCursor.optional() }),
      responses: {
        200: {
          description: 'The audit path, leaf first.',
          schema: z.object({
            position: z.int(),
            size: z.int(),
            leaf_hash: zHash,
            path: z.array(zHash),
            tree_hash: zHash,
          }),
        },
        ...badRange,
      },
      handle({ query }) {
        const size = query.size ?? deps.log.head().position;
        const range = `position must be from 1 to size, and size from 1 to ${deps.log.head().position}.`;
        const proof = inRange(range, () => deps.log.inclusionProof(query.position, size));
        const { position, leafHash: leaf_hash, path, treeHash: tree_hash } = proof;
        return value({ position, size, leaf_hash, path, tree_hash });
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/v1/log/consistency',
      summary: 'Proof that the tree of one size is a beginning of the tree of another.',
      query: z.object({ from: zCursor, to: zCursor.optional() }),
      responses: {
        200: {
          description: 'The consistency path.',
          schema: z.object({ from: z.int(), to: z.int(), path: z.array(zHash), from_hash: zHash, to_hash: zHash }),
        },
        ...badRange,
      },
      handle({ query }) {
        const to = query.to ?? deps.log.head().position;
        const range = `from must be from 0 to "to", and "to" from 0 to ${deps.log.head().position}.`;
        const proof = inRange(range, () => deps.log.consistencyProof(query.from, to));
        return value({ from: query.from, to, path: proof.path, from_hash: proof.fromHash, to_hash: proof.toHash });
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/v1/views/rebuild',
      summary: 'Forgets every view and folds the log again; other routes answer 503 until it is done.',
      responses: {
        200: { description: 'Rebuilt.', schema: z.object({ position: z.int(), seconds: z.number() }) },
        503: { description: 'The views cannot be written; says what to do.', schema: zError },
      },
      async handle() {
        const before = performance.now();
        await deps.rebuildViews().catch((error: Error) => {
          deps.announce(`The views could not be rebuilt: ${error.message}`);
          throw new HttpError(503, deps.viewsUnavailable() ?? error.message);
        });
        return value({ position: deps.projector.position(), seconds: (performance.now() - before) / 1000 });
      },
    }),
  ];
}

function page(deps: Dependencies, { after, limit, stream, type }: z.infer<typeof zEventsQuery>): string {
  const head = deps.log.head().position;
  const found: string[] = [];
  let next: number | null = null;
  let characters = 0;
  let scanned = 0;
  for (const event of candidates(deps, after, stream)) {
    scanned += 1;
    if (type === '' || event.type === type) characters += found[found.push(envelopeJson(event)) - 1]!.length;
    if (found.length < limit && scanned < SCANNED_MAX && characters < PAGE_CHARACTERS_MAX) continue;
    next = event.position < head ? event.position : null;
    break;
  }
  return `{"events":[${found.join(',')}],"next":${next},"head":${head}}`;
}

function* candidates(deps: Dependencies, after: number, stream: string): Iterable<RecordedEvent> {
  if (stream === '') {
    yield* deps.log.readAll({ after });
    return;
  }
  // The log holds no such name and refuses to look for it.
  if (Buffer.byteLength(stream) > STREAM_BYTES_MAX || /\p{Cc}/u.test(stream)) return;
  for (const event of deps.log.readStream(stream)) if (event.position > after) yield event;
}

function inRange<Result>(range: string, prove: () => Result): Result {
  try {
    return prove();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new HttpError(400, range);
  }
}
