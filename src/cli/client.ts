/**
 * The HTTP client for the daemon of a home: requests, and streams that survive a dropped connection or a restart.
 *
 * - The daemon is looked up for every request, because after a restart it has another port and another token.
 * - A request waits while the rate limit is reached; every other refusal is thrown with the daemon's message.
 * - A daemon that hangs (stopped or stuck) is distinguished from a slow one by a liveness probe.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type EventSourceMessage, EventSourceParserStream } from 'eventsource-parser/stream';
import type { z } from 'zod';
import { homeOf } from '../config.ts';
import { type Discovery, readDiscovery } from '../discovery.ts';
import { CommandError } from './errors.ts';
import { createLivenessProbe, RESPONSE_SILENCE_MS, STREAM_SILENCE_MS } from './liveness.ts';

/** A stream is given up after so long without any data from a daemon. */
const RECONNECT_SECONDS_MAX = 60;
const RECONNECT_PAUSE_MS_MIN = 200;
const RECONNECT_PAUSE_MS_MAX = 2_000;
/** Waits for the rate limit, of 5 s each: together longer than its window of a minute. */
export const RATE_WAITS_MAX = 15;

/** No daemon answers; a stream connects again. */
export class Unreachable extends CommandError {}

/** The daemon's process exists but does not answer. */
class Unresponsive extends Unreachable {}

/** The daemon answered with an error status; the message is the daemon's. */
export class RequestRefused extends CommandError {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface RequestOptions<Value> {
  readonly method?: 'GET' | 'POST';
  readonly body?: unknown;
  readonly schema: z.ZodType<Value>;
  /** A POST that is sent twice with one key takes effect once. */
  readonly idempotencyKey?: string;
  /** Limit for the response, without waits for the rate limit; absent: as long as the connection lives. */
  readonly timeoutMs?: number;
}

export interface StreamOptions {
  /** Events after this id; absent: from the route's default position. */
  readonly after?: string | undefined;
  readonly signal: AbortSignal;
  /** Asked when a connection ended: true when no more events will come. */
  readonly isOver: () => Promise<boolean>;
  /** Called once for each interruption, with the reason; the next connection waits until it resolves. */
  readonly interrupted?: (reason: string) => unknown;
}

export interface Client {
  readonly home: string;
  request<Value>(path: string, options: RequestOptions<Value>): Promise<Value>;
  /** The events of a stream, each exactly once, over any number of connections. The events must have ids. */
  follow(path: string, options: StreamOptions): AsyncGenerator<EventSourceMessage>;
}

export function createClient(home: string): Client {
  return {
    home,
    async request(path, { method = 'GET', body, schema, idempotencyKey, timeoutMs }) {
      const headers: Record<string, string> = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
      const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
      const response = await fetchOk(home, path, { ...init, timeoutMs });
      return schema.parse(await response.json());
    },
    follow: (path, options) => followStream(home, path, options),
  };
}

/** The client for the home that a command's options or the environment name. */
export function clientOf(options: { readonly home?: string }): Client {
  return createClient(homeOf(process.env, options));
}

interface Request extends RequestInit {
  readonly timeoutMs?: number | undefined;
}

/** A 2xx response. Waits while the rate limit is reached; throws `RequestRefused` for every other status. */
async function fetchOk(home: string, path: string, { timeoutMs, ...init }: Request): Promise<Response> {
  for (let waits = 0; ; waits += 1) {
    const timeout = timeoutMs === undefined ? {} : { signal: AbortSignal.timeout(timeoutMs) };
    const response = await fetchFromDaemon(home, path, { ...init, ...timeout });
    if (response.ok) return response;
    const message = await errorMessageOf(response);
    if (response.status !== 429 || waits >= RATE_WAITS_MAX) throw new RequestRefused(response.status, message);
    if (waits === 0) process.stderr.write('daybook: the rate limit of the daemon is reached; waiting for it.\n');
    const seconds = Number(response.headers.get('retry-after') ?? 5);
    await sleep(seconds * 1_000, undefined, init.signal == null ? {} : { signal: init.signal });
  }
}

async function* followStream(
  home: string,
  path: string,
  { after, signal, isOver, interrupted }: StreamOptions,
): AsyncGenerator<EventSourceMessage> {
  let last = after;
  let receivedAt = Date.now();
  let pauseMs = RECONNECT_PAUSE_MS_MIN;
  let connected = false;
  for (;;) {
    let reason = 'the stream ended';
    const probe = createLivenessProbe(() => unresponsive(home));
    try {
      const headers: Record<string, string> = last === undefined ? {} : { 'last-event-id': last };
      const response = await fetchOk(home, path, { headers, signal: AbortSignal.any([signal, probe.signal]) });
      connected = true;
      probe.watch(response.url, STREAM_SILENCE_MS);
      const received = (): void => {
        receivedAt = Date.now();
        probe.received();
      };
      // A stream that is over is answered with 204, which has no body.
      const events = response.body === null ? [] : readSse(response.body, received);
      for await (const event of events) {
        last = event.id ?? last;
        yield event;
        pauseMs = RECONNECT_PAUSE_MS_MIN;
      }
      receivedAt = Date.now();
      if (await isOver()) return;
    } catch (error) {
      if (signal.aborted) return;
      if (isFinal(error, { connected, receivedAt })) throw error;
      reason = (error as Error).message;
    } finally {
      probe.stop();
    }
    await interrupted?.(reason);
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    pauseMs = Math.min(pauseMs * 2, RECONNECT_PAUSE_MS_MAX);
  }
}

/** Whether another connection is not worth an attempt. A daemon that is starting or stopping answers 503. */
function isFinal(
  error: unknown,
  { connected, receivedAt }: { readonly connected: boolean; readonly receivedAt: number },
): boolean {
  if (error instanceof RequestRefused && error.status !== 503) return true;
  if (error instanceof Unresponsive && !connected) return true;
  return Date.now() - receivedAt > RECONNECT_SECONDS_MAX * 1_000;
}

/**
 * The complete events of a body of server-sent events. An event that is cut off at the end is dropped, so that a reader
 * resumes before it. `received` is called for every chunk, keep-alives too.
 */
export function readSse(
  body: ReadableStream<Uint8Array>,
  received: () => void = () => {},
): ReadableStream<EventSourceMessage> {
  const noticing = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      received();
      controller.enqueue(bytes);
    },
  });
  return body.pipeThrough(noticing).pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
}

/** The daemon of this home. Throws `Unreachable`, with how to start one, when none is running. */
export function requireDaemon(home: string): Discovery {
  const daemon = readDiscovery(home);
  if (daemon === null) throw notRunning(home);
  return daemon;
}

function notRunning(home: string): Unreachable {
  return new Unreachable(`No daemon is running on ${home}. Start one with: daybook serve`);
}

async function fetchFromDaemon(home: string, path: string, init: RequestInit): Promise<Response> {
  const daemon = requireDaemon(home);
  const { url, token } = daemon;
  const probe = createLivenessProbe(() => unresponsive(home));
  probe.watch(url, RESPONSE_SILENCE_MS);
  try {
    const headers = { ...init.headers, authorization: `Bearer ${token}` };
    const signal = init.signal == null ? probe.signal : AbortSignal.any([init.signal, probe.signal]);
    return await fetch(url + path, { ...init, headers, signal });
  } catch (error) {
    if (error instanceof Unresponsive) throw error;
    const timedOut = (error as Error).name === 'TimeoutError';
    if (init.signal?.aborted === true && !timedOut) throw error;
    const cause = (error as { cause?: Error & { code?: string } }).cause;
    const why = timedOut ? 'it takes too long' : (cause?.code ?? cause?.message ?? (error as Error).message);
    throw new Unreachable(`${daemonName(daemon, home)} does not answer: ${why}.`);
  } finally {
    probe.stop();
  }
}

function daemonName({ pid, url }: Discovery, home: string): string {
  return `The daemon of ${home} (process ${pid}, ${url})`;
}

function unresponsive(home: string): Unreachable {
  const daemon = readDiscovery(home);
  if (daemon === null) return notRunning(home);
  return new Unresponsive(
    `${daemonName(daemon, home)} does not answer: it is silent. End that process and start it again.`,
  );
}

async function errorMessageOf(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    if (typeof error === 'string') return error;
  } catch {
    // The body is not the daemon's; the status is reported instead.
  }
  return `The daemon answered ${response.status} ${response.statusText}.`;
}
