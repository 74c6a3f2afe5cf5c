/**
 * The one place that sends Server-Sent Events. Frames are the same for all subscribers of a sequence: they are encoded
 * once, and each response writes those bytes. Messages made for one client go through fastify-sse-v2, one async
 * iterable per response, which is where that library honours backpressure.
 *
 * - Nothing is read from a source until the socket has taken the previous frames.
 * - A source ends when the socket closes (the library would leave it open) and never throws (it would be an
 *   unhandled rejection).
 * - The head is written here: otherwise the library would open a second, empty source per response.
 * - A lone CR would start a new field: it becomes a line break.
 */
import { addAbortListener, once } from 'node:events';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EventMessage } from 'fastify-sse-v2';
import { fromEvent, interval, type Observable, Subject, share, startWith, takeUntil } from 'rxjs';

export const KEEP_ALIVE_MS = 15_000;

/** Opens a source of frames: each value is one write. `demand$` emits when the socket has taken the previous one. */
type OpenFrames = (demand$: Observable<unknown>) => Observable<{ readonly bytes: Buffer }>;

/** Opened when the response is about to start. */
export type SseSource = { readonly kind: 'frames'; open: OpenFrames } | { readonly kind: 'messages'; open(): Messages };

type Messages = AsyncIterableIterator<EventMessage> & { close(): void };

const HEAD = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

const KEEP_ALIVE: EventMessage = { comment: ' keep-alive' };
const KEEP_ALIVE_BYTES = Buffer.from(': keep-alive\n\n');

/**
 * The frames of a source that may be silent for long. Firefox tells a page of a response, and an `EventSource` that it
 * is open, when the first bytes of the body come: it gets a comment first. Other clients get the messages only.
 */
export function opened({ headers }: FastifyRequest, open: OpenFrames): OpenFrames {
  if (headers['user-agent']?.includes('Firefox/') !== true) return open;
  return (demand$) => open(demand$).pipe(startWith({ bytes: KEEP_ALIVE_BYTES }));
}

/** One timer for all responses. */
const keepAlive$ = interval(KEEP_ALIVE_MS).pipe(share());

/** Resolves when the response has ended: at once for HEAD, which has no body. */
export async function sendSse(reply: FastifyReply, source: SseSource): Promise<void> {
  const { raw } = reply;
  const headers = { ...reply.getHeaders(), ...HEAD } as OutgoingHttpHeaders;
  reply.hijack();
  if (reply.request.method === 'HEAD') {
    raw.writeHead(200, headers).end();
    return;
  }
  // If the client has already disconnected, no `close` will be emitted.
  if (raw.destroyed) return;
  raw.writeHead(200, headers);
  raw.flushHeaders();
  if (source.kind === 'frames') writeFrames(raw, source.open);
  else writeMessages(reply, source.open());
  if (!raw.writableFinished && !raw.destroyed) await once(raw, 'close').catch(() => undefined);
}

/** A client that fell behind, or whose source failed, is disconnected; it resumes after its last event. */
function writeFrames(raw: ServerResponse, open: OpenFrames): void {
  const taken$ = new Subject<void>();
  raw.on('drain', () => taken$.next());
  const subscription = open(taken$)
    .pipe(takeUntil(fromEvent(raw, 'close')))
    .subscribe({
      next({ bytes }) {
        if (raw.write(bytes)) taken$.next();
      },
      complete: () => raw.end(),
      error: () => raw.socket?.destroy(),
    });
  const keepAlives = keepAlive$.subscribe(() => {
    if (!raw.writableNeedDrain) raw.write(KEEP_ALIVE_BYTES);
  });
  subscription.add(keepAlives);
}

function writeMessages(reply: FastifyReply, messages: Messages): void {
  reply.raw.once('close', () => messages.close());
  reply.sse(messages);
}

export function frameSource(open: OpenFrames): SseSource {
  return { kind: 'frames', open };
}

/**
 * Messages for one reader only, with a keep-alive after KEEP_ALIVE_MS without a message. `make` gets a
 * signal that aborts when the reader disconnects; `failed` turns its error into the last message.
 */
export function messageSource(
  make: (signal: AbortSignal) => AsyncIterable<EventMessage>,
  failed: (error: unknown) => EventMessage,
): SseSource {
  const open = (): Messages => {
    const controller = new AbortController();
    const inner = guarded(make(controller.signal), failed)[Symbol.asyncIterator]();
    let pending: Promise<IteratorResult<EventMessage>> | null = null;
    return {
      [Symbol.asyncIterator]() {
        return this;
      },
      async next() {
        if (controller.signal.aborted) return { done: true, value: undefined };
        pending ??= inner.next();
        const { promise, resolve } = Promise.withResolvers<'tick' | 'gone'>();
        using _gone = addAbortListener(controller.signal, () => resolve('gone'));
        const ticking = setTimeout(resolve, KEEP_ALIVE_MS, 'tick');
        const first = await Promise.race([pending, promise]);
        clearTimeout(ticking);
        if (first === 'gone') return { done: true, value: undefined };
        if (first === 'tick') return { done: false, value: KEEP_ALIVE };
        pending = null;
        return first;
      },
      async return() {
        controller.abort();
        return { done: true, value: undefined };
      },
      close: () => controller.abort(new Error('The client is gone.')),
    };
  };
  return { kind: 'messages', open };
}

async function* guarded(
  messages: AsyncIterable<EventMessage>,
  failed: (error: unknown) => EventMessage,
): AsyncGenerator<EventMessage> {
  try {
    yield* messages;
  } catch (error) {
    yield failed(error);
  }
}

/** A message whose data is one line. */
export function messageBytes({ event, id, data }: OneLine): Buffer {
  const head = `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}`;
  return Buffer.from(`${head}data: ${data}\n\n`);
}

interface OneLine {
  readonly event?: string;
  readonly id?: string;
  readonly data: string;
}

/** Text as the data of a message: every line break becomes LF, which SSE can carry. */
export function sseText(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}
