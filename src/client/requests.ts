/**
 * Requests, retried where that is safe.
 *
 * - A GET, a PUT and a mutation with an `Idempotency-Key` are retried if no answer came or the daemon is not ready. Any
 *   request is retried if the daemon rejected it unprocessed: 429.
 * - Waits double, with jitter, and are never shorter than `Retry-After`.
 * - After 401 with a token that can change, the token is looked up again, once.
 */
import type { Bytes, CallOptions, Route } from './calls.ts';
import type { Connection, Daemon } from './connection.ts';
import { DaybookError, refusal, unreachable } from './errors.ts';
import { pause } from './pause.ts';

export interface Retry {
  readonly reason: DaybookError;
  /** The number of the retry: 1 before the second attempt. */
  readonly count: number;
  readonly waitMs: number;
}

export interface RequestSettings {
  readonly connection: Connection;
  readonly fetch: typeof globalThis.fetch;
  readonly signal: AbortSignal | undefined;
  /** Retries of one call. */
  readonly retriesMax: number;
  readonly onRetry: ((retry: Retry) => unknown) | undefined;
}

export interface Request {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Bytes | undefined;
  readonly isRepeatable: boolean;
  readonly signal: AbortSignal | undefined;
}

const WAIT_MS_MIN = 200;
const WAIT_MS_MAX = 5_000;
/** If the daemon asks for a longer pause, the call fails. */
const RETRY_AFTER_SECONDS_MAX = 60;
/** A starting daemon listens shortly before its files contain the new token. */
const NEW_TOKEN_MS = 300;
/** Statuses with which the daemon, or a proxy in front of it, is not ready. */
const NOT_READY = new Set([0, 408, 502, 503, 504]);

/** Sends the request and reads its 2xx answer with `read`. Throws `DaybookError`, or the reason of the signal. */
export async function send<Value>(
  settings: RequestSettings,
  request: Request,
  read: (response: Response) => Promise<Value>,
): Promise<Value> {
  for (let count = 1; ; count += 1) {
    try {
      return await whole(read(await attempt(settings, request)));
    } catch (reason) {
      request.signal?.throwIfAborted();
      if (!(reason instanceof DaybookError)) throw reason;
      if (count > settings.retriesMax || !isWorthAnother(reason, request.isRepeatable)) throw reason;
      const waitMs = waitBefore(count, reason.retryAfter);
      await settings.onRetry?.({ reason, count, waitMs });
      await pause(waitMs, request.signal);
    }
  }
}

/** Returns a 2xx answer; sends the request a second time if the token was outdated. */
export async function attempt({ connection, fetch }: RequestSettings, request: Request): Promise<Response> {
  const daemon = await connection.current();
  const response = await fetchFrom(daemon, fetch, request);
  if (response.status !== 401 || !connection.mayChange) return accepted(response);
  const refused = await refusal(response);
  for (const waitMs of [0, NEW_TOKEN_MS]) {
    if (waitMs > 0) await pause(waitMs, request.signal);
    const newer = await connection.current();
    if (newer.token !== daemon.token) return accepted(await fetchFrom(newer, fetch, request));
  }
  throw refused;
}

async function accepted(response: Response): Promise<Response> {
  if (response.ok) return response;
  throw await refusal(response);
}

async function fetchFrom({ url, token }: Daemon, fetch: typeof globalThis.fetch, request: Request): Promise<Response> {
  const { method, target, body, signal } = request;
  const headers = token === undefined ? request.headers : { authorization: `Bearer ${token}`, ...request.headers };
  try {
    return await fetch(url + target, {
      method,
      headers,
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    });
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof DaybookError ? error : unreachable(url, error);
  }
}

function whole<Value>(reading: Promise<Value>): Promise<Value> {
  return reading.catch((cause: unknown) => {
    if (cause instanceof DaybookError) throw cause;
    throw new DaybookError({ status: 0, error: 'The answer of the daemon was cut off.', cause });
  });
}

export function isWorthAnother({ status, retryAfter = 0 }: DaybookError, isRepeatable: boolean): boolean {
  if (retryAfter > RETRY_AFTER_SECONDS_MAX) return false;
  return status === 429 || (isRepeatable && NOT_READY.has(status));
}

export function waitBefore(count: number, retryAfter = 0): number {
  const wait = Math.min(WAIT_MS_MIN * 2 ** (count - 1), WAIT_MS_MAX);
  return Math.max(wait * (0.5 + Math.random() / 2), retryAfter * 1_000);
}

/** The request of a call. Throws for a path parameter that cannot be part of a URL. */
export function requestOf(
  route: Route,
  path: readonly string[],
  { query, body, ...options }: CallOptions & { readonly query?: Query; readonly body?: unknown },
): Request {
  const [method, template] = route.split(' ') as [string, string];
  const values = path.values();
  const target = template.replace(/\{\}/g, () => segment(values.next().value)) + search(query);
  const headers = new Map(Object.entries(options.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  const content = contentOf(body);
  if (content !== undefined && !headers.has('content-type')) headers.set('content-type', content.type);
  const isIdempotent = method === 'GET' || method === 'PUT';
  const key = isIdempotent ? null : (options.idempotencyKey ?? (options.idempotencyKey === null ? null : newKey()));
  if (key !== null) headers.set('idempotency-key', key);
  return {
    method,
    target,
    headers: Object.fromEntries(headers),
    body: content?.bytes,
    isRepeatable: isIdempotent || key !== null,
    signal: options.signal ?? undefined,
  };
}

export type Query = Readonly<Record<string, unknown>>;

/** URL parsing removes these segments, however they are encoded. */
const NO_SEGMENTS = new Set(['', '.', '..']);

function segment(value: string | undefined): string {
  if (value === undefined || NO_SEGMENTS.has(value))
    throw new TypeError(`No path can have the part ${JSON.stringify(value)}.`);
  return encodeURIComponent(value);
}

function search(query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const text = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}

/** JSON, or bytes with their type. */
function contentOf(body: unknown): { readonly type: string; readonly bytes: string | Bytes } | undefined {
  if (body === undefined) return undefined;
  if (isBytes(body)) return body;
  return { type: 'application/json', bytes: JSON.stringify(body) };
}

function isBytes(body: unknown): body is { readonly type: string; readonly bytes: Bytes } {
  if (typeof body !== 'object' || body === null || !('bytes' in body)) return false;
  const { bytes } = body;
  return bytes instanceof ArrayBuffer || ArrayBuffer.isView(bytes) || bytes instanceof Blob;
}

/** Does not use `randomUUID`, which is missing on pages served over plain HTTP. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
