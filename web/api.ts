/**
 * The daemon as the console asks it: grouped methods and streams, in the shape of `daybook/client`.
 *
 * - A request that the rate limit refuses waits and is sent again; `waiting` says so.
 * - A 401 asks the session for a new token once: the daemon makes one at every start.
 * - `background` requests leave a third of the rate limit to what a person asks for.
 */
import { signal } from '@preact/signals';
import type {
  Approval,
  ApprovalAnswer,
  Briefings,
  Engagement,
  Envelope,
  EventPage,
  Goal,
  Health,
  Job,
  JobQuery,
  LogHead,
  Replay,
  StartRun,
  StorageStats,
} from './api-types.ts';
import { pause } from './lib/pause.ts';
import { messagesOf } from './lib/sse.ts';

export class Refused extends Error {
  readonly status: number;
  readonly retryAfterMs: number;

  constructor(status: number, message: string, retryAfterMs = 0) {
    super(message);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** No answer: the daemon is away, or the network is. */
export class Unreachable extends Error {}

export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface Call {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly query?: Query;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Waits while little of the rate limit is left. */
  readonly background?: boolean;
}

interface Credentials {
  token(): string | null;
  /** A new token after a 401; false when a person has to pair. */
  renew(refused: string | null): Promise<boolean>;
}

const WINDOW_MS = 60_000;
const BACKGROUND_REQUESTS_MAX = 38;
const BACKGROUND_PAUSE_MS = 1_500;
const RATE_WAITS_MAX = 15;

/** Set while requests wait for the rate limit. */
export const waiting = signal(false);

let credentials: Credentials = { token: () => null, renew: () => Promise.resolve(false) };
const sent: number[] = [];

export function useCredentials(given: Credentials): void {
  credentials = given;
}

async function leaveRoom(abort: AbortSignal | undefined): Promise<void> {
  for (;;) {
    const since = Date.now() - WINDOW_MS;
    while (sent[0] !== undefined && sent[0] < since) sent.shift();
    if (sent.length < BACKGROUND_REQUESTS_MAX) return;
    await pause(BACKGROUND_PAUSE_MS, abort);
    abort?.throwIfAborted();
  }
}

/** A response with a 2xx status. Throws `Refused` or `Unreachable`. */
export async function send(path: string, call: Call = {}): Promise<Response> {
  if (call.background === true) await leaveRoom(call.signal);
  for (let waits = 0, renewed = false; ; ) {
    const token = credentials.token();
    const response = await sendOnce(path, call, token);
    if (response.ok) return response;
    const refusal = await refusalOf(response);
    if (refusal.status === 401 && !renewed && (await credentials.renew(token))) {
      renewed = true;
    } else if (refusal.status === 429 && waits < RATE_WAITS_MAX) {
      waits += 1;
      waiting.value = true;
      await pause(refusal.retryAfterMs || 5_000, call.signal);
      waiting.value = false;
    } else {
      throw refusal;
    }
    call.signal?.throwIfAborted();
  }
}

function sendOnce(path: string, call: Call, token: string | null): Promise<Response> {
  const { method = 'GET', query = {}, body, headers = {}, signal: abort } = call;
  const pairs = Object.entries(query).flatMap(([name, value]) => (value == null ? [] : [[name, String(value)]]));
  const search = pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
  sent.push(Date.now());
  const init: RequestInit = {
    method,
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(abort !== undefined && { signal: abort }),
  };
  return fetch(path + search, init).catch((error: Error) => {
    if (abort?.aborted === true) throw error;
    throw new Unreachable(error.message);
  });
}

async function refusalOf(response: Response): Promise<Refused> {
  const text = await response.text().catch(() => '');
  const retryAfterMs = Number(response.headers.get('retry-after') ?? 0) * 1_000;
  return new Refused(response.status, messageIn(text) ?? `The daemon answered ${response.status}.`, retryAfterMs);
}

function messageIn(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    return typeof error === 'string' ? error : undefined;
  } catch {
    return undefined;
  }
}

/** The JSON of an answer. */
export async function request<Value>(path: string, call: Call = {}): Promise<Value> {
  return (await (await send(path, call)).json()) as Value;
}

const part = encodeURIComponent;

/** A POST that is sent twice with one key takes effect once. */
function once(key: string): Readonly<Record<string, string>> {
  return { 'idempotency-key': key };
}

export function freshKey(): string {
  return crypto.randomUUID();
}

export const api = {
  runs: {
    list: (query: JobQuery = {}, call: Call = {}) => request<Job[]>('/jobs', { ...call, query: { ...query } }),
    get: (id: string, call: Call = {}) => request<Job>(`/jobs/${part(id)}`, call),
    start: (body: StartRun, key: string) =>
      request<{ session_id: string }>('/agent', { method: 'POST', body, headers: once(key) }),
    cancel: (id: string) => request<Job>(`/jobs/${part(id)}/cancel`, { method: 'POST' }),
    fork: (id: string, body: { step?: number; task?: string }, key: string) =>
      request<{ session_id: string }>(`/jobs/${part(id)}/fork`, { method: 'POST', body, headers: once(key) }),
    replay: (id: string) => request<Replay>(`/jobs/${part(id)}/replay`),
    html: async (id: string) => (await send(`/share/${part(id)}`)).blob(),
  },
  approvals: {
    list: (query: Query = {}, call: Call = {}) =>
      request<{ approvals: Approval[] }>('/approvals', { ...call, query }).then(({ approvals }) => approvals),
    get: (id: string) => request<Approval>(`/approvals/${part(id)}`),
    answer: (id: string, body: ApprovalAnswer) => request<Approval>(`/approvals/${part(id)}`, { method: 'POST', body }),
  },
  goals: {
    list: (query: Query = {}, call: Call = {}) =>
      request<{ goals: Goal[] }>('/v1/goals', { ...call, query }).then(({ goals }) => goals),
  },
  engagements: {
    list: (call: Call = {}) =>
      request<{ engagements: Engagement[] }>('/engagements', call).then(({ engagements }) => engagements),
  },
  briefings: {
    list: (query: Query = {}, call: Call = {}) => request<Briefings>('/briefing', { ...call, query }),
  },
  log: {
    head: (call: Call = {}) => request<LogHead>('/v1/log/head', call),
    page: (query: Query, call: Call = {}) => request<EventPage>('/v1/events', { ...call, query }),
    events: (after: number, abort: AbortSignal, heard: Heard) => eventStream(after, abort, heard),
  },
  storage: {
    stats: (call: Call = {}) => request<StorageStats>('/v1/storage/stats', call),
  },
  health: (call: Call = {}) => request<Health>('/health', call),
};

interface Heard {
  /** The connection stands. */
  opened(): void;
  /** Bytes came, keep-alives too. */
  received(): void;
}

/** One connection: the events after a position, until it breaks. `live.ts` opens the next. */
async function* eventStream(after: number, abort: AbortSignal, heard: Heard): AsyncGenerator<Envelope> {
  const headers = { 'last-event-id': String(after) };
  const response = await send('/v1/events/stream', { headers, signal: abort });
  heard.opened();
  for await (const { data } of messagesOf(response.body!, heard.received)) yield JSON.parse(data) as Envelope;
}
