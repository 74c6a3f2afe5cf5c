/**
 * Streams of server-sent events that survive interruptions, restarts and new tokens.
 *
 * - After a connection ends, the next one continues after the last complete event with `Last-Event-ID`: no gap, no
 *   duplicate.
 * - The log is asked for its last event again, which must be the same one: a log that was restored from a backup has
 *   other events at the same positions.
 * - A stream ends when the daemon says so: with its last event, or with 204 for a reader that already has it.
 * - Bytes are read only if the consumer requests an event and none is buffered.
 */
import type { EventStream, Route, StreamEvent, StreamOptions } from './calls.ts';
import { DaybookError, parseJson } from './errors.ts';
import { anySignal, pause } from './pause.ts';
import {
  attempt,
  isWorthAnother,
  type Query,
  type Request,
  type RequestSettings,
  requestOf,
  waitBefore,
} from './requests.ts';
import { createSseParser, type SseMessage } from './server-sent-events.ts';

/** The daemon sends three keep-alives in this time. A connection that is silent for longer is broken. */
const SILENCE_MS_MAX = 45_000;

/** Types of events after which the daemon ends the stream of a route. */
const LAST_TYPES: Readonly<Record<Route, readonly unknown[]>> = {
  'GET /stream/{}': ['complete', 'partial', 'error'],
  'GET /index/stream': ['idle', 'built', 'failed'],
};

/** The stream of the log, whose ids are positions. */
const LOG_STREAM: Route = 'GET /v1/events/stream';
/** The event that was read last is not in the log. */
const GONE = 410;

/** The data of this stream is text, and it ends with an event of the name `DONE`. */
const TEXT_STREAM: Route = 'POST /chat/stream';
const DONE = 'done';
const OK = 200;

export function openStream<Data>(
  settings: RequestSettings,
  call: {
    readonly route: Route;
    readonly path: readonly string[];
    readonly options: StreamOptions;
    readonly body: unknown;
  },
): EventStream<Data> {
  const { signal, headers, lastEventId, onInterrupted, giveUpAfterMs, ...query } = call.options;
  return {
    [Symbol.asyncIterator]() {
      const leave = new AbortController();
      const ends = anySignal(settings.signal, signal, leave.signal)!;
      const request = requestOf(call.route, call.path, {
        query: query as Query,
        headers,
        body: call.body,
        signal: ends,
      });
      const { route } = call;
      const events = follow<Data>(settings, { ...request, route, ends, lastEventId, onInterrupted, giveUpAfterMs });
      return {
        next: () => events.next(),
        return() {
          leave.abort();
          return events.return(undefined);
        },
        [Symbol.asyncIterator]() {
          return this;
        },
      };
    },
  };
}

interface Followed extends Request, Pick<StreamOptions, 'lastEventId' | 'onInterrupted' | 'giveUpAfterMs'> {
  readonly route: Route;
  readonly ends: AbortSignal;
}

interface Progress {
  /** The id of the last complete event. */
  id: string | undefined;
  /** The leaf hash of that event, if it is one of the log and was read here. */
  leaf: string | undefined;
  isConnected: boolean;
  /** Connections that failed since the last event. */
  failures: number;
  /** The last error of this interruption that `onInterrupted` was called with; null without an interruption. */
  reported: string | null;
  /** When the connection failed after the last byte, of `performance.now()`; null while it has not. */
  lostAt: number | null;
}

async function* follow<Data>(
  settings: RequestSettings,
  request: Followed,
): AsyncGenerator<StreamEvent<Data>, undefined> {
  const { ends, giveUpAfterMs = Number.POSITIVE_INFINITY } = request;
  const progress: Progress = {
    id: request.lastEventId,
    leaf: undefined,
    isConnected: false,
    failures: 0,
    reported: null,
    lostAt: null,
  };
  for (;;) {
    let reason: DaybookError;
    try {
      if (yield* connection<Data>(settings, request, progress)) return;
      reason = new DaybookError({ status: 0, error: 'The connection of the stream ended.' });
    } catch (error) {
      if (ends.aborted) return;
      if (!(error instanceof DaybookError)) throw error;
      reason = error;
    }
    progress.failures += 1;
    progress.lostAt ??= performance.now();
    const isFirst = !progress.isConnected && progress.failures > settings.retriesMax;
    const isTooLate = performance.now() - progress.lostAt > giveUpAfterMs;
    if (isFirst || isTooLate || !isWorthAnother(reason, request.method === 'GET')) throw reason;
    await report(request, progress, reason);
    const waitMs = waitBefore(Math.min(progress.failures, FAILURES_COUNTED) - 2, reason.retryAfter);
    await pause(waitMs, ends).catch(() => undefined);
    if (ends.aborted) return;
  }
}

/** Reports each reason of an interruption once. */
async function report({ onInterrupted }: Followed, progress: Progress, reason: DaybookError): Promise<void> {
  if (reason.error === progress.reported) return;
  progress.reported = reason.error;
  await onInterrupted?.(reason, { isConnected: progress.isConnected });
}

/** Waits between connections double from 50 ms, a quarter of the wait between calls, to 3.2 s. */
const FAILURES_COUNTED = 7;

/** Yields the events of one connection; returns true if the stream is complete. */
async function* connection<Data>(
  settings: RequestSettings,
  request: Followed,
  progress: Progress,
): AsyncGenerator<StreamEvent<Data>, boolean> {
  const silence = new AbortController();
  const { id, leaf } = progress;
  const from = leaf === undefined ? id : String(Number(id) - 1);
  const headers = from === undefined ? request.headers : { ...request.headers, 'last-event-id': from };
  const signal = AbortSignal.any([request.ends, silence.signal]);
  const response = await heard(attempt(settings, { ...request, headers, signal }), silence);
  await refusePage(response);
  progress.isConnected = true;
  progress.reported = null;
  const reason = request.route === LOG_STREAM ? shortLog(response, id) : null;
  if (reason !== null) await report(request, progress, reason);
  if (response.status === 204 || response.body === null) return true;
  let isCompared = leaf === undefined;
  let isLast = false;
  for await (const messages of messageBatches(response.body, silence)) {
    progress.lostAt = null;
    for (const message of messages) {
      const event = eventOf<Data>(request.route, message);
      if (!isCompared) {
        if (leafOf(event.data) !== leaf) throw new DaybookError({ status: GONE, error: replacedAt(id) });
        isCompared = true;
        continue;
      }
      if (message.id !== '') progress.id = message.id;
      progress.leaf = request.route === LOG_STREAM ? leafOf(event.data) : undefined;
      progress.failures = 0;
      isLast = isEnd(request.route, event);
      yield event;
    }
  }
  return isLast;
}

/** A proxy, or a server that has one page for every path, answers 200 with a page, in which there are no events. */
async function refusePage({ status, headers, body }: Response): Promise<void> {
  if (headers.get('content-type')?.startsWith('text/html') !== true) return;
  await body?.cancel();
  throw new DaybookError({ status, error: 'The answer of the daemon is a page, and no stream.' });
}

/** Why the daemon sends nothing for now: its log ends before the event with this id. Null when it does not. */
function shortLog({ headers }: Response, id: string | undefined): DaybookError | null {
  const head = headers.get('daybook-position');
  if (id === undefined || head === null || Number(head) >= Number(id)) return null;
  const error = `The log ends at ${head}, before event ${id}: it was replaced, or this daemon is behind others.`;
  return new DaybookError({ status: 0, error });
}

function replacedAt(id: string | undefined): string {
  return `The log was replaced, as by the restore of a backup: event ${id}, the last that was read, is another one now.`;
}

function leafOf(data: unknown): string | undefined {
  const isEnvelope = typeof data === 'object' && data !== null && 'leaf_hash' in data;
  return isEnvelope && typeof data.leaf_hash === 'string' ? data.leaf_hash : undefined;
}

/** Yields the messages of each piece from the network. Throws `DaybookError` if the connection breaks or is silent. */
async function* messageBatches(
  body: ReadableStream<Uint8Array>,
  silence: AbortController,
): AsyncGenerator<SseMessage[]> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const parse = createSseParser();
  try {
    for (;;) {
      const { done, value } = await heard(reader.read(), silence);
      if (done) return;
      yield parse(decoder.decode(value, { stream: true }));
    }
  } catch (cause) {
    if (cause instanceof DaybookError) throw cause;
    throw new DaybookError({ status: 0, error: 'The connection of the stream broke.', cause });
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

/**
 * Waits for the head of the answer or for a piece of it. Rejects with `DaybookError`, and aborts `silence`, if that takes
 * too long. Each wait has its own promise: racing against one that lives as long as the stream would keep the handlers
 * of every piece in memory until its end.
 */
function heard<Value>(wait: Promise<Value>, silence: AbortController): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new DaybookError({ status: 0, error: 'The daemon was silent for too long.' }));
      silence.abort();
    }, SILENCE_MS_MAX);
    wait.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function eventOf<Data>(route: Route, { id, event, data }: SseMessage): StreamEvent<Data> {
  // The daemon failed after it had sent the head of the answer.
  if (event === 'error') throw new DaybookError({ status: 500, error: data });
  return { id, event, data: dataOf(route, data) };
}

function dataOf<Data>(route: Route, data: string): Data;
function dataOf(route: Route, data: string): unknown {
  return route === TEXT_STREAM ? data : parseJson(data, OK);
}

function isEnd(route: Route, { event, data }: StreamEvent<unknown>): boolean {
  if (route === TEXT_STREAM) return event === DONE;
  const types = LAST_TYPES[route] ?? [];
  return typeof data === 'object' && data !== null && 'type' in data && types.includes(data.type);
}
