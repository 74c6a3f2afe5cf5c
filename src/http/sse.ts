/**
 * The one place that sends Server-Sent Events, over fastify-sse-v2: one async iterable per response, which is where
 * that library honours backpressure.
 *
 * - Frames come encoded: the library writes an `id` verbatim, so a block that begins with `id: ` goes through it
 *   unchanged and is encoded once for all readers.
 * - The iterable ends when the socket closes (the library would leave it hanging) and never throws (it would be an
 *   unhandled rejection).
 * - The head is written here: with none on its way the library would open a second, empty source per response.
 * - A lone CR would start a new field: it becomes a line break.
 */
import { once } from 'node:events';
import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { EventMessage } from 'fastify-sse-v2';
import { type Chunk, KEEP_ALIVE_MS, type TailReader } from '../streams/tail.ts';

/** Opens the source when the response is about to start; `gone` is called when the client is cut off. */
export type SseSource = (gone: () => void) => AsyncIterableIterator<EventMessage> & { close(): void };

const HEAD = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

const KEEP_ALIVE: EventMessage = { comment: ' keep-alive' };

export async function sendSse(reply: FastifyReply, source: SseSource): Promise<void> {
  const { socket } = reply.raw;
  const messages = source(() => socket?.destroy());
  reply.raw.once('close', () => messages.close());
  reply.hijack();
  reply.raw.writeHead(200, { ...reply.getHeaders(), ...HEAD } as OutgoingHttpHeaders);
  reply.raw.flushHeaders();
  reply.sse(messages);
  if (!reply.raw.writableFinished && !reply.raw.destroyed) await once(reply.raw, 'close').catch(() => undefined);
}

/** A tail's chunks as messages. */
export function tailSource(open: (cutOff: () => void) => TailReader): SseSource {
  return (gone) => {
    const reader = open(gone);
    return {
      [Symbol.asyncIterator]() {
        return this;
      },
      next: () => reader.next().then(toResult),
      return: () => reader.return!().then(() => ({ done: true, value: undefined })),
      close: () => reader.close(),
    };
  };
}

const ID_PREFIX = 'id: ';

function toResult(result: IteratorResult<Chunk>): IteratorResult<EventMessage> {
  if (result.done === true) return { done: true, value: undefined };
  const chunk = result.value;
  return { done: false, value: chunk.kind === 'tick' ? KEEP_ALIVE : { id: chunk.blocks.slice(ID_PREFIX.length) } };
}

/**
 * Messages that are made for one reader only, with a keep-alive whenever 15 s went by without one. `make` gets the
 * signal that the reader is gone; what it throws goes to `failed`, whose message is the last.
 */
export function messageSource(
  make: (signal: AbortSignal) => AsyncIterable<EventMessage>,
  failed: (error: unknown) => EventMessage,
): SseSource {
  return () => {
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
        const tick = timer(KEEP_ALIVE_MS, controller.signal);
        const first = await Promise.race([pending, tick.done]);
        tick.clear();
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

function timer(ms: number, signal: AbortSignal) {
  let clear = (): void => undefined;
  const done = new Promise<'tick' | 'gone'>((resolve) => {
    const ticking = setTimeout(() => resolve('tick'), ms);
    const gone = (): void => resolve('gone');
    signal.addEventListener('abort', gone, { once: true });
    clear = () => {
      clearTimeout(ticking);
      signal.removeEventListener('abort', gone);
    };
  });
  return { done, clear };
}

/** Text as the data of a message: any kind of line break becomes the one that SSE can carry. */
export function sseText(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

/** A message whose data is empty; the library leaves empty data out, so the line is written with the event's name. */
export function emptyMessage(event: string): EventMessage {
  return { event: `${event}\ndata: ` };
}
