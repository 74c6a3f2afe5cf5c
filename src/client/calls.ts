/** Types that every method of the client accepts and returns, and the calls that the generated methods consist of. */
import type { DaybookError } from './errors.ts';

/** A body that is not JSON. */
export type Bytes = Uint8Array<ArrayBuffer> | ArrayBuffer | Blob;

export interface CallOptions {
  /** Cancels the call, which rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Two mutations with the same key take effect once. Default: a random key for each call, so that the client can retry
   * it. With null no key is sent, and the call is retried only if the daemon rejected it unprocessed (429).
   */
  readonly idempotencyKey?: string | null | undefined;
}

export interface StreamOptions {
  /** Ends the stream without an error. */
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The `id` of the last event that was seen; the stream continues after it. */
  readonly lastEventId?: string | undefined;
  /**
   * Called once for each interruption, and again if reconnecting fails for another reason. The next attempt waits for
   * its promise. If it throws, so does the stream. `isConnected`: whether the stream had a connection before.
   */
  readonly onInterrupted?: ((reason: DaybookError, state: { readonly isConnected: boolean }) => unknown) | undefined;
  /**
   * Milliseconds after the loss of the connection at which the stream fails if no byte has come since. Default: never,
   * once it was connected.
   */
  readonly giveUpAfterMs?: number | undefined;
}

export interface StreamEvent<Data> {
  /** Continues the stream after this event: see `lastEventId`. Empty if the stream has no ids. */
  readonly id: string;
  /** `message` if the daemon gave no name. */
  readonly event: string;
  readonly data: Data;
}

/**
 * Events in order, each once, over any number of connections. Each iteration has its own connections and opens the
 * first one at the first `next()`. Nothing is read from the network until the next event is requested.
 */
export type EventStream<Data> = AsyncIterable<StreamEvent<Data>, undefined>;

/** The fields of a query or of a JSON body. An optional field may be undefined, which means absent. */
export type FieldsOf<Schema> = Schema extends readonly unknown[]
  ? Schema
  : { readonly [Name in keyof Schema]: undefined extends Schema[Name] ? Schema[Name] | undefined : Schema[Name] };

/** Method and path, with braces for the parameters: `GET /jobs/{}`. */
export type Route = `${string} /${string}`;

export interface Calls {
  json<Answer>(route: Route, path: readonly string[], options?: CallOptions, body?: unknown): Promise<Answer>;
  text(route: Route, path: readonly string[], options?: CallOptions, body?: unknown): Promise<string>;
  bytes(route: Route, path: readonly string[], options?: CallOptions, body?: unknown): Promise<Uint8Array>;
  stream<Data>(route: Route, path: readonly string[], options?: StreamOptions, body?: unknown): EventStream<Data>;
}
