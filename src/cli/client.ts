/**
 * Talks to the daemon of a home: requests, and streams that survive a dropped connection or a restarted daemon.
 *
 * - The daemon is looked up for every request, because after a restart it has another port and another token.
 * - A rate limit is waited for as long as the daemon asks; every other refusal is the daemon's own sentence.
 * - A daemon that hangs (stopped, or stuck) is told from one that is slow, and named.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type EventSourceMessage, EventSourceParserStream } from 'eventsource-parser/stream';
import type { z } from 'zod';
import { type Discovery, readDiscovery } from '../discovery.ts';
import { CommandError } from './failures.ts';
import { ANSWER_SILENCE_MS, createLivenessProbe, STREAM_SILENCE_MS } from './liveness.ts';

/** A stream without any sign of a daemon for so long is given up. */
const RECONNECT_SECONDS_MAX = 60;
const RECONNECT_PAUSE_MS_MIN = 200;
const RECONNECT_PAUSE_MS_MAX = 2_000;
/** Waits for the rate limit, at 5 s each: longer than its window of a minute. */
const RATE_WAITS_MAX = 15;

/** Nobody answers at the moment; a stream tries again. */
export class Unreachable extends CommandError {}

/** Its process is there and says nothing. */
class Silent extends Unreachable {}

/** The daemon said no. */
export class Refused extends CommandError {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface Call<Value> {
  readonly method?: 'GET' | 'POST';
  readonly body?: unknown;
  readonly schema: z.ZodType<Value>;
  /** Makes a POST that is sent twice happen once. */
  readonly idempotencyKey?: string;
  /** How long an answer may take, waits for the rate limit not counted; absent: as long as the connection lives. */
  readonly patienceMs?: number;
}

export interface Follow {
  /** Events after this id; absent: from where the daemon begins by itself. */
  readonly after?: string | undefined;
  readonly signal: AbortSignal;
  /** The stream ended or broke: is there nothing more to come? */
  readonly isOver: () => Promise<boolean>;
  /** Called once for each interruption, with the reason; the next connection waits for it. */
  readonly interrupted?: (reason: string) => unknown;
}

export interface Client {
  readonly home: string;
  request<Value>(path: string, call: Call<Value>): Promise<Value>;
  /** A stream's events, each exactly once, across any number of connections. Its events must have ids. */
  follow(path: string, follow: Follow): AsyncGenerator<EventSourceMessage>;
}

export function createClient(home: string): Client {
  async function open(path: string, init: RequestInit, patienceMs?: number): Promise<Response> {
    for (let waits = 0; ; waits += 1) {
      const patience = patienceMs === undefined ? {} : { signal: AbortSignal.timeout(patienceMs) };
      const response = await reach(home, path, { ...init, ...patience });
      if (response.ok) return response;
      const message = await sentenceOf(response);
      if (response.status !== 429 || waits >= RATE_WAITS_MAX) throw new Refused(response.status, message);
      if (waits === 0) process.stderr.write('daybook: the rate limit of the daemon is reached; waiting for it.\n');
      const seconds = Number(response.headers.get('retry-after') ?? 5);
      await sleep(seconds * 1_000, undefined, init.signal == null ? {} : { signal: init.signal });
    }
  }

  async function* follow(
    path: string,
    { after, signal, isOver, interrupted }: Follow,
  ): AsyncGenerator<EventSourceMessage> {
    let last = after;
    let silentSince = Date.now();
    let pause = RECONNECT_PAUSE_MS_MIN;
    let connected = false;
    for (;;) {
      let reason = 'the stream ended';
      const probe = createLivenessProbe(() => silent(home));
      const received = (): void => {
        silentSince = Date.now();
        probe.received();
      };
      try {
        const headers: Record<string, string> = last === undefined ? {} : { 'last-event-id': last };
        const response = await open(path, { headers, signal: AbortSignal.any([signal, probe.signal]) });
        connected = true;
        probe.watch(response.url, STREAM_SILENCE_MS);
        for await (const event of readSse(response.body!, received)) {
          last = event.id ?? last;
          yield event;
          pause = RECONNECT_PAUSE_MS_MIN;
        }
        silentSince = Date.now();
        if (await isOver()) return;
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof Refused && error.status !== 503) throw error;
        if (error instanceof Silent && !connected) throw error;
        if (Date.now() - silentSince > RECONNECT_SECONDS_MAX * 1_000) throw error;
        reason = (error as Error).message;
      } finally {
        probe.stop();
      }
      await interrupted?.(reason);
      await sleep(pause, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      pause = Math.min(pause * 2, RECONNECT_PAUSE_MS_MAX);
    }
  }

  return {
    home,
    async request(path, { method = 'GET', body, schema, idempotencyKey, patienceMs }) {
      const headers: Record<string, string> = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
      const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
      const response = await open(path, init, patienceMs);
      return schema.parse(await response.json());
    },
    follow,
  };
}

/**
 * A body's complete events, wherever the network cut it; an event that was cut off is dropped, so that a reader resumes
 * before it. `received` is called for whatever comes, keep-alives too.
 */
export function readSse(
  body: ReadableStream<Uint8Array>,
  received: () => void = () => {},
): ReadableStream<EventSourceMessage> {
  const noting = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      received();
      controller.enqueue(bytes);
    },
  });
  return body.pipeThrough(noting).pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
}

/** The daemon of this home, or a sentence that says how to start one. */
export function requireDaemon(home: string): Discovery {
  const daemon = readDiscovery(home);
  if (daemon === null) throw gone(home);
  return daemon;
}

function gone(home: string): Unreachable {
  return new Unreachable(`No daemon is running on ${home}. Start one with: daybook serve`);
}

async function reach(home: string, path: string, init: RequestInit): Promise<Response> {
  const daemon = requireDaemon(home);
  const { url, token } = daemon;
  const probe = createLivenessProbe(() => silent(home));
  probe.watch(url, ANSWER_SILENCE_MS);
  try {
    const headers = { ...init.headers, authorization: `Bearer ${token}` };
    const signal = init.signal == null ? probe.signal : AbortSignal.any([init.signal, probe.signal]);
    return await fetch(url + path, { ...init, headers, signal });
  } catch (error) {
    if (error instanceof Silent) throw error;
    const late = (error as Error).name === 'TimeoutError';
    if (init.signal?.aborted === true && !late) throw error;
    const cause = (error as { cause?: Error & { code?: string } }).cause;
    const why = late ? 'it takes too long' : (cause?.code ?? cause?.message ?? (error as Error).message);
    throw new Unreachable(`${named(daemon, home)} does not answer: ${why}.`);
  } finally {
    probe.stop();
  }
}

function named({ pid, url }: Discovery, home: string): string {
  return `The daemon of ${home} (process ${pid}, ${url})`;
}

function silent(home: string): Unreachable {
  const daemon = readDiscovery(home);
  if (daemon === null) return gone(home);
  return new Silent(`${named(daemon, home)} does not answer: it is silent. End that process and start it again.`);
}

async function sentenceOf(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    if (typeof error === 'string') return error;
  } catch {
    // Not the daemon's way to speak; the status says what there is to say.
  }
  return `The daemon answered ${response.status} ${response.statusText}.`;
}
