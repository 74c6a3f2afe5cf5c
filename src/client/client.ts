/**
 * A typed client of the daemon, for Node, Bun, Deno and browsers.
 *
 *     const client = createClient();
 *     const { session_id } = await client.runs.start({ task: 'Write hello.txt' });
 *     for await (const { data } of client.runs.stream(session_id)) console.log(data.type, data.content);
 */
import type { Bytes, CallOptions, Calls, EventStream, FieldsOf, Route, StreamEvent, StreamOptions } from './calls.ts';
import { type ConnectionOptions, createConnection, type Daemon, type Source } from './connection.ts';
import { parseJson } from './errors.ts';
import { operations } from './generated/operations.ts';
import type { Operations } from './generated/types.ts';
import { anySignal } from './pause.ts';
import { type Query, type RequestSettings, type Retry, requestOf, send } from './requests.ts';
import { openStream } from './streams.ts';

export { DaybookError, type DaybookErrorFacts } from './errors.ts';
export type * from './generated/types.ts';
export type {
  Bytes,
  CallOptions,
  Calls,
  ConnectionOptions,
  Daemon,
  EventStream,
  FieldsOf,
  Retry,
  Route,
  Source,
  StreamEvent,
  StreamOptions,
};

export interface ClientOptions extends ConnectionOptions {
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Cancels every call and every stream of the client. */
  readonly signal?: AbortSignal | undefined;
  /** Retries of one call, and attempts to open a stream for the first time. Default: 4. */
  readonly retriesMax?: number | undefined;
  /** Called before each retry of a call, which waits for its promise. */
  readonly onRetry?: ((retry: Retry) => unknown) | undefined;
}

export interface Client extends Operations {
  /** The current address and token of the daemon. Rejects with `DaybookError` if no local daemon is found. */
  daemon(): Promise<Daemon>;
  /** For routes without a method, such as those of an extension of the daemon. */
  readonly calls: Calls;
}

const RETRIES_MAX = 4;

export function createClient(options: ClientOptions = {}): Client {
  const connection = createConnection(options);
  const settings: RequestSettings = {
    connection,
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    signal: options.signal,
    retriesMax: options.retriesMax ?? RETRIES_MAX,
    onRetry: options.onRetry,
  };
  const calls = callsOf(settings);
  return { ...operations(calls), calls, daemon: () => connection.current() };
}

function callsOf(settings: RequestSettings): Calls {
  function call<Value>(
    [route, path, options, body]: Parameters<Calls['text']>,
    read: (response: Response) => Promise<Value>,
  ): Promise<Value> {
    const { query, ...rest }: CallOptions & { readonly query?: Query } = options ?? {};
    const signal = anySignal(settings.signal, rest.signal);
    return send(settings, requestOf(route, path, { ...rest, signal, ...(query && { query }), body }), read);
  }
  return {
    json: async (...parts) => call(parts, async (response) => parseJson(await response.text(), response.status)),
    text: (...parts) => call(parts, (response) => response.text()),
    bytes: (...parts) => call(parts, async (response) => new Uint8Array(await response.arrayBuffer())),
    stream: (route, path, options = {}, body) => openStream(settings, { route, path, options, body }),
  };
}
