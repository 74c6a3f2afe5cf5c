/**
 * The authentication of this tab: its bearer token, kept in the tab's session storage and sent in request headers only.
 *
 * - `#pair=<code>` of `daybook open` is exchanged once and removed from the address immediately.
 * - The daemon makes a new token at every start. A tab that was paired before pairs again automatically; on another
 *   machine that needs the code shown in the daemon's terminal, so the connect page asks for it.
 */
import { signal } from '@preact/signals';
import { api, DaybookError, isStatus, useCredentials } from './api.ts';
import { inTab } from './lib/storage.ts';
import { replace } from './router.ts';
import { text } from './text.ts';

const TOKEN_KEY = 'daybook.token';

export type SessionState = 'starting' | 'out' | 'in';

/** What the connect page shows next to its forms. */
export interface ConnectNotice {
  readonly message: string;
  /** The code shown in the daemon's terminal is needed. */
  readonly needsCode: boolean;
}

export const session = signal<SessionState>('starting');
export const notice = signal<ConnectNotice>({ message: '', needsCode: false });

let offered: string | null = null;
let renewing: Promise<void> | null = null;

const stored = {
  get: (): string | null => inTab.get(TOKEN_KEY),
  set: (token: string): void => inTab.set(TOKEN_KEY, token),
  forget: (): void => inTab.remove(TOKEN_KEY),
};

/** Pairs using an offer of this daemon; `code` is the one that its terminal shows. Throws the error of the daemon. */
export async function pair(code = ''): Promise<void> {
  const offer = offered ?? (await api.pairing.offer()).token;
  offered = null;
  await exchange(offer, code);
}

async function exchange(offer: string, code: string): Promise<void> {
  try {
    const body = { token: offer, ...(code.trim() !== '' && { code: code.trim() }) };
    const { token } = await api.pairing.exchange(body, { idempotencyKey: null });
    enter(token);
  } catch (error) {
    if (error instanceof DaybookError && error.status === 403) {
      offered = offer;
      notice.value = { message: error.message, needsCode: true };
    }
    throw error;
  }
}

/** Uses a token that the user pasted, once the daemon has accepted it. */
export async function useToken(token: string): Promise<void> {
  stored.set(token);
  try {
    await api.log.head();
    enter(token);
  } catch (error) {
    stored.forget();
    throw error;
  }
}

export function leave(message = ''): void {
  stored.forget();
  session.value = 'out';
  notice.value = { message, needsCode: notice.value.needsCode && message !== '' };
}

function enter(token: string): void {
  stored.set(token);
  notice.value = { message: '', needsCode: false };
  session.value = 'in';
}

/** Several requests that are rejected at once pair only once. */
function renew(refused: string | null): Promise<void> {
  if (stored.get() !== refused || session.value !== 'in') return Promise.resolve();
  renewing ??= pair()
    .catch((error: Error) => {
      // The daemon is unreachable or not ready, which is not a refusal: the next request tries again.
      if (isStatus(error, 403)) leave(error.message);
      else if (isStatus(error, 401)) leave(text.connect.tokenUnknown);
    })
    .finally(() => {
      renewing = null;
    });
  return renewing;
}

/** At the start of the page: uses the code of `daybook open` or the token of this tab, or shows the connect page. */
export async function start(): Promise<void> {
  useCredentials({ token: stored.get, renew });
  const code = /^#pair=([\w-]+)$/.exec(location.hash)?.[1];
  if (code !== undefined) {
    replace([]);
    await exchange(code, '').catch((error: Error) => {
      leave(isStatus(error, 401) ? text.connect.codeUsed : error.message);
      notice.value = { ...notice.value, needsCode: isStatus(error, 403) };
    });
    return;
  }
  session.value = stored.get() === null ? 'out' : 'in';
}
