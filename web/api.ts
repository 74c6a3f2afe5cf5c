/**
 * The client of the daemon: `daybook/client` with additions for a page.
 *
 * - A request that the rate limit rejects waits and is sent again; `waiting` is true meanwhile.
 * - After a 401 the session is asked for a new token, once: the daemon makes a new one at every start.
 * - `roomForBackground` reserves almost half of the rate limit (60 a minute) for requests of the user.
 */
import { computed, signal } from '@preact/signals';
import { type Client, createClient, DaybookError } from '../src/client/client.ts';
import { newKey } from '../src/client/requests.ts';
import { pause } from './lib/pause.ts';

export { DaybookError } from '../src/client/client.ts';
export type * from '../src/client/generated/types.ts';

interface Credentials {
  token(): string | null;
  /** Gets a new token after a 401, if that is possible without the user. */
  renew(refused: string | null): Promise<unknown>;
}

/** Background requests: a few at once, then one in this number of milliseconds. */
const BACKGROUND_AT_ONCE = 12;
const BACKGROUND_EVERY_MS = 1_700;
/** Waits for the rate limit, of 5 s each: in total longer than its window. */
const RETRIES_MAX = 15;
const TOO_MANY = 429;
const UNAUTHENTICATED = 401;

const waits = signal(0);
/** Whether requests wait for the rate limit. */
export const waiting = computed(() => waits.value > 0);

let credentials: Credentials = { token: () => null, renew: () => Promise.resolve() };
let room = BACKGROUND_AT_ONCE;
let roomAt = Date.now();

export function useCredentials(given: Credentials): void {
  credentials = given;
}

/** Resolves when a background request may be sent. */
export async function roomForBackground(): Promise<void> {
  for (;;) {
    const now = Date.now();
    // The clock may have been set back.
    room = Math.min(BACKGROUND_AT_ONCE, room + Math.max(0, now - roomAt) / BACKGROUND_EVERY_MS);
    roomAt = now;
    if (room >= 1) {
      room -= 1;
      return;
    }
    await pause((1 - room) * BACKGROUND_EVERY_MS);
  }
}

type Fetch = typeof globalThis.fetch;

const authorized: Fetch = async (input, init) => {
  const token = credentials.token();
  const response = await fetch(input, init);
  if (response.status === UNAUTHENTICATED && !String(input).endsWith('/pair')) await credentials.renew(token);
  return response;
};

/** A client whose requests go through `wrap`. */
export function clientWith(wrap: (send: Fetch) => Fetch): Client {
  return createClient({
    token: () => credentials.token() ?? undefined,
    fetch: wrap(authorized),
    retriesMax: RETRIES_MAX,
    onRetry: ({ reason, waitMs }) => {
      // Waits only for the rate limit: an unreachable daemon is shown as such.
      if (reason.status !== TOO_MANY) throw reason;
      waits.value += 1;
      setTimeout(() => {
        waits.value -= 1;
      }, waitMs);
    },
  });
}

/**
 * Reads fail when nothing comes for so long: a connection that was kept for reuse may be lost, as after the sleep of a
 * laptop, and a browser waits minutes for it. Changes may take longer.
 */
export function answeredWithin(seconds: number): (send: Fetch) => Fetch {
  return (send) => async (input, init) => {
    if (init?.method !== 'GET') return send(input, init);
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Error(`nothing came for ${seconds} s`)), seconds * 1_000);
    const signal = AbortSignal.any([late.signal, ...(init.signal ? [init.signal] : [])]);
    return send(input, { ...init, signal }).finally(() => clearTimeout(timer));
  };
}

const READ_SECONDS_MAX = 120;

export const api = clientWith(answeredWithin(READ_SECONDS_MAX));

/** Whether the daemon answered with this status; 0 means no answer. */
export function isStatus(error: unknown, status: number): boolean {
  return error instanceof DaybookError && error.status === status;
}

/**
 * Sends the request of a form. A body that is sent again because its answer was lost has the same key, so that the
 * repetition has no second effect; every other request has a key of its own. A call names all arguments but the options.
 */
export function repeatable<Call extends readonly unknown[], Answer>(
  send: (...call: [...Call, { readonly idempotencyKey: string }]) => Promise<Answer>,
): (...call: Call) => Promise<Answer> {
  let unanswered = { written: '', key: '' };
  return async (...call) => {
    const written = JSON.stringify(call);
    if (written !== unanswered.written) unanswered = { written, key: newKey() };
    try {
      const answer = await send(...call, { idempotencyKey: unanswered.key });
      unanswered.written = '';
      return answer;
    } catch (error) {
      if (!isStatus(error, 0)) unanswered.written = '';
      throw error;
    }
  };
}
