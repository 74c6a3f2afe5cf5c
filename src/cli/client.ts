/**
 * The client of commands for the daemon of a home: `src/client/` with discovery, a liveness probe and errors of commands.
 *
 * - The daemon is looked up for every attempt, because after a restart it has another port and another token.
 * - A request waits while the rate limit is reached; every other refusal is thrown with the daemon's message.
 * - A daemon that hangs (stopped or stuck) is distinguished from a slow one by a liveness probe.
 * - Errors are those of a command: one sentence for the terminal.
 */
import { readFileSync } from 'node:fs';
import type { CallOptions, Calls, EventStream, StreamEvent, StreamOptions } from '../client/calls.ts';
import { createClient as createDaybookClient, type Client as DaybookClient, type Retry } from '../client/client.ts';
import { DaybookError } from '../client/errors.ts';
import { operations } from '../client/generated/operations.ts';
import { homeOf } from '../config/load.ts';
import { type Discovery, readDiscovery } from '../discovery.ts';
import { fetchFault } from '../lib/fetched.ts';
import { shellWord } from '../lib/shell-word.ts';
import { VERSION } from '../version.ts';
import { CommandError } from './errors.ts';
import { createLivenessProbe, type LivenessProbe, RESPONSE_SILENCE_MS, STREAM_SILENCE_MS } from './liveness.ts';

/** A stream is given up after so long without any data from a daemon. */
const RECONNECT_MS_MAX = 60_000;
/** Waits for the rate limit, of 5 s each: together longer than its window of a minute. */
export const RATE_WAITS_MAX = 15;

/** No daemon answers; a stream connects again. */
export class Unreachable extends CommandError {}

class Unresponsive extends Unreachable {}

/** The daemon answered with an error status; the message is the daemon's. */
export class RequestRefused extends CommandError {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

interface ClientOptions {
  /** Limit for each response, without waits for the rate limit; absent: as long as the connection lives. */
  readonly timeoutMs?: number;
}

interface FollowOptions {
  /** Events after this id; absent: from the route's default position. */
  readonly after?: string | undefined;
  readonly signal: AbortSignal;
  /** Called once for each interruption, with the reason; the next connection waits until it resolves. */
  readonly interrupted?: (reason: string) => unknown;
}

export interface Client {
  readonly home: string;
  /** The typed methods. Calls throw `CommandError`: `RequestRefused` or `Unreachable`. */
  readonly api: DaybookClient;
  /** The events of a stream, each exactly once, over any number of connections. */
  follow<Data>(
    open: (api: DaybookClient, options: StreamOptions) => EventStream<Data>,
    options: FollowOptions,
  ): AsyncGenerator<StreamEvent<Data>>;
}

export function createClient(home: string, { timeoutMs }: ClientOptions = {}): Client {
  const daybook = apiOf(home, timeoutMs);
  const calls = callsOf(daybook.calls);
  const api = { ...daybook, ...operations(calls), calls };
  return {
    home,
    api,
    async *follow(open, { after, signal, interrupted }) {
      try {
        yield* open(api, {
          signal,
          lastEventId: after,
          giveUpAfterMs: RECONNECT_MS_MAX,
          onInterrupted(reason, { isConnected }) {
            if (reason.cause instanceof Unresponsive && !isConnected) throw reason.cause;
            return interrupted?.(commandError(reason).message);
          },
        });
      } catch (error) {
        throw commandError(error);
      }
    },
  };
}

/**
 * The calls with their errors turned into errors of commands; `follow` does the same for streams. Calls send no
 * idempotency key, because a command repeats a request only when the daemon rejected it unprocessed.
 */
function callsOf(calls: Calls): Calls {
  const withCommandErrors = <Value>(answer: Promise<Value>): Promise<Value> =>
    answer.catch((error: unknown) => {
      throw commandError(error);
    });
  const options = (own: CallOptions = {}): CallOptions => ({ idempotencyKey: null, ...own });
  return {
    json: <Answer>(...[route, path, own, body]: Parameters<Calls['json']>) =>
      withCommandErrors(calls.json<Answer>(route, path, options(own), body)),
    text: (route, path, own, body) => withCommandErrors(calls.text(route, path, options(own), body)),
    bytes: (route, path, own, body) => withCommandErrors(calls.bytes(route, path, options(own), body)),
    stream: calls.stream,
  };
}

function apiOf(home: string, timeoutMs: number | undefined): DaybookClient {
  return createDaybookClient({
    url: () => daemonOf(home).url,
    token: () => daemonOf(home).token,
    fetch(input, init) {
      const timeout = timeoutMs === undefined ? [] : [AbortSignal.timeout(timeoutMs)];
      return fetchFromDaemon(home, String(input), { ...init, timeout });
    },
    retriesMax: RATE_WAITS_MAX,
    onRetry: waitForRateLimit,
  });
}

/** The client for the home that a command's options or the environment name. */
export function clientOf(options: { readonly home?: string }): Client {
  return createClient(homeOf(process.env, options));
}

/** Returns when the request may be repeated; otherwise throws its error. */
function waitForRateLimit({ reason, count }: Retry): void {
  if (reason.status !== 429) throw reason;
  if (count === 1) process.stderr.write('daybook: the rate limit of the daemon is reached; waiting for it.\n');
}

function commandError(error: unknown): Error {
  if (!(error instanceof DaybookError)) return error as Error;
  if (error.cause instanceof CommandError) return error.cause;
  return error.status === 0 ? new Unreachable(error.error) : new RequestRefused(error.status, error.error);
}

/** The daemon of this home. Throws `Unreachable`, with how to start one, when none is running. */
export function requireDaemon(home: string): Discovery {
  const daemon = readDiscovery(home);
  if (daemon === null) throw notRunning(home);
  trust(daemon);
  compareVersion(daemon);
  return daemon;
}

function daemonOf(home: string): Discovery {
  const daemon = readDiscovery(home);
  if (daemon === null) throw unanswered(notRunning(home));
  trust(daemon);
  compareVersion(daemon);
  return daemon;
}

const trusted = new Set<string>();

/** Adds the certificate that the discovery file names to the trusted ones: it may be self-signed. */
function trust({ certificate }: Discovery): void {
  if (certificate === undefined || trusted.has(certificate)) return;
  trusted.add(certificate);
  const { getCACertificates, setDefaultCACertificates } = process.getBuiltinModule('node:tls');
  setDefaultCACertificates([...getCACertificates('default'), readFileSync(certificate, 'utf8')]);
}

/** Process ids of daemons of another version, each reported once. */
const reported = new Set<number>();

/** The daemon of a package that was replaced runs on: its answers may lack what this program shows. */
function compareVersion({ pid, version }: Discovery): void {
  if (version === VERSION || reported.has(pid)) return;
  reported.add(pid);
  const its = version === undefined ? 'is of an earlier version' : `is version ${version}`;
  process.stderr.write(`daybook: the running daemon ${its}, this program is ${VERSION}. Restart the daemon.\n`);
}

function unanswered(cause: Unreachable): DaybookError {
  return new DaybookError({ status: 0, error: cause.message, cause });
}

function notRunning(home: string): Unreachable {
  return new Unreachable(`No daemon is running on ${home}. Start one with: ${serveCommandOf(home)}`);
}

/** The command that starts the daemon of this home: with `--home`, unless the environment names the home. */
export function serveCommandOf(home: string): string {
  if (home === homeOf(process.env)) return 'daybook serve';
  const word = /^[\w./-]+$/.test(home) ? home : shellWord(home);
  return `daybook serve --home ${word}`;
}

function doesNotAnswer(home: string, why: string): Unreachable {
  const daemon = readDiscovery(home);
  return daemon === null ? notRunning(home) : new Unreachable(`${daemonName(daemon, home)} does not answer: ${why}.`);
}

interface TimedRequest extends RequestInit {
  /** At most one. */
  readonly timeout: readonly AbortSignal[];
}

/** Sends a request and probes the daemon while no data arrives: until the response head, and within event streams. */
async function fetchFromDaemon(home: string, url: string, { timeout, ...init }: TimedRequest): Promise<Response> {
  const probe = createLivenessProbe(() => unresponsive(home));
  probe.watch(url, RESPONSE_SILENCE_MS);
  try {
    const signal = AbortSignal.any([probe.signal, ...timeout, ...(init.signal == null ? [] : [init.signal])]);
    const response = await fetch(url, { ...init, signal });
    probe.stop();
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    return isStream && response.body !== null ? watched(response, response.body, probe) : response;
  } catch (error) {
    probe.stop();
    init.signal?.throwIfAborted();
    if (error instanceof Unresponsive) throw unanswered(error);
    if (timeout[0]?.aborted === true) throw unanswered(doesNotAnswer(home, 'it takes too long'));
    throw unanswered(doesNotAnswer(home, fetchFault(error)));
  }
}

function watched(response: Response, body: ReadableStream<Uint8Array>, probe: LivenessProbe): Response {
  probe.watch(response.url, STREAM_SILENCE_MS);
  const stop = (): void => probe.stop();
  const watching = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      probe.received();
      controller.enqueue(piece);
    },
    flush: stop,
    cancel: stop,
  });
  return new Response(body.pipeThrough(watching), response);
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
