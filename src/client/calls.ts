/** What every method of the client accepts and returns, and the calls that the generated methods are made of. */
import type { DaybookError } from './errors.ts';

/** A body that is no JSON. */
export type Bytes = Uint8Array<ArrayBuffer> | ArrayBuffer | Blob;

export interface CallOptions {
  /** Ends the call, which rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Two mutations with one key take effect once. Default: a random key for each call, so that the client may repeat it.
   * Null sends none, and the call is repeated only when the daemon says that it did not look at it (429).
   */
  readonly idempotencyKey?: string | null | undefined;
}

export interface StreamOptions {
  /** Ends the stream without an error. */
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The `id` of the last event that was seen; the stream goes on after it. */
  readonly lastEventId?: string | undefined;
  /**
   * Called once for each interruption, and again when the attempts to connect fail for another reason. The next
   * connection waits for its promise. When it throws, so does the stream.
   * `isConnected`: whether the stream had a connection before.
   */
  readonly onInterrupted?: ((reason: DaybookError, state: { readonly isConnected: boolean }) => unknown) | undefined;
  /** Milliseconds without a byte from a daemon after which the stream fails. Default: never, once it was connected. */
  readonly giveUpAfterMs?: number | undefined;
}

export interface StreamEvent<Data> {
  /** Where to go on after this event: see `lastEventId`. Empty when the stream has no ids. */
  readonly id: string;
  /** `message` when the daemon gave no name. */
  readonly event: string;
  readonly data: Data;
}

/**
 * Events in their order, each once, over any number of connections. Each iteration has connections of its own and opens
 * the first with `next()`. Nothing is read from the network while nobody asks for the next event.
 */
export type EventStream<Data> = AsyncIterable<StreamEvent<Data>, undefined>;

/** Parameters of a URL, where absent and undefined are the same. */
export type QueryOf<Parameters> = { readonly [Name in keyof Parameters]: Parameters[Name] | undefined };

/** `GET /jobs/{}`: method and path, with braces for the parameters. */
export type Route = `${string} /${string}`;

export interface Calls {
  json<Answer>(route: Route, path: readonly string[], options?: CallOptions, body?: unknown): Promise<Answer>;
  text(route: Route, path: readonly string[], options?: CallOptions, body?: unknown): Promise<string>;
  bytes(route: Route, path: readonly string[], options?: CallOptions, body?: unknown): Promise<Uint8Array>;
  stream<Data>(route: Route, path: readonly string[], options?: StreamOptions, body?: unknown): EventStream<Data>;
}
