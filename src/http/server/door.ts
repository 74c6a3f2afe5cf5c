/**
 * The door: who may ask at all. Every request and every WebSocket handshake passes the same checks in one order:
 * Host → Origin and Sec-Fetch-Site → credential → rate limit.
 *
 * - A name that is not on the list is refused before anything else is looked at: DNS rebinding ends here.
 * - A refused credential costs nothing of the authenticated limit; a preflight costs nothing at all.
 * - Tokens are compared in constant time (their length is no secret) and never leave this file.
 */
import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { HttpError } from './errors.ts';
import { PLAIN_TEXT } from './headers.ts';
import { ascending, createLimiter, RETRY_AFTER_SECONDS } from './limits.ts';

export type AuthClass = 'bearer' | 'public' | 'query-token' | 'signature';

export interface DoorConfig {
  readonly token: string;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly rateAuthenticated: number;
  readonly ratePublic: number;
  readonly now: () => number;
}

/** What the door looks at. */
export interface Knock {
  readonly headers: IncomingHttpHeaders;
  /** Every Host header: the parsed headers hold the first one only. */
  readonly hosts: readonly string[];
  /** HTTP/1.1 asks for one; older clients have none. */
  readonly needsHost?: boolean;
  /** The request target as it came: a path, or for proxies a whole URL whose host counts like the header. */
  readonly target: string;
  readonly address: string;
  /** The port the connection came in on. */
  readonly port: number;
}

export interface Door {
  /** Throws 403 unless host and origin are ours; answers the origin to allow, or null when there is none. */
  admitOrigin(knock: Knock): string | null;
  /** The origin a preflight may be told, or null. Throws 403 for a foreign host. */
  preflightOrigin(knock: Knock): string | null;
  /** Throws 401 or 429. `queryToken` is what the caller put into `?token=`. */
  admit(auth: AuthClass, knock: Knock, queryToken?: string | undefined): void;
}

const SAFE_SITES = new Set(['same-origin', 'none']);

export function createDoor(config: DoorConfig): Door {
  const expected = Buffer.from(config.token);
  const authenticated = createLimiter(config.rateAuthenticated);
  const open = createLimiter(config.ratePublic);
  const now = ascending(config.now);
  const hosts = new Set(config.allowedHosts.map((host) => hostName(host)).filter((name) => name !== ''));
  const origins = new Set(config.allowedOrigins.map((origin) => origin.toLowerCase()));

  /** The Host of the last request that was let in: nearly every one names the same. */
  let lastHost = '';

  function admitHost({ hosts: given, needsHost, target }: Knock): void {
    if (given.length === 1 && given[0] === lastHost && target.startsWith('/')) return;
    if (given.length > 1 || (given.length === 0 && needsHost === true))
      throw new HttpError(400, 'A request has one Host header.');
    const named = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(target)?.[1];
    for (const host of [given[0] ?? '', named ?? '']) {
      if (host === '') continue;
      const name = hostName(host);
      if (isLoopbackName(name) || hosts.has(name)) continue;
      throw new HttpError(403, 'This daemon does not answer to that Host. Allowed names are set in allowed_hosts.');
    }
    lastHost = given[0] ?? '';
  }

  function allowedOrigin(knock: Knock): boolean {
    const origin = knock.headers.origin?.toLowerCase();
    if (origin === undefined) return false;
    if (origins.has(origin) || FIXED_ORIGINS.has(origin)) return true;
    if (origin === `http://localhost:${knock.port}` || origin === `http://127.0.0.1:${knock.port}`) return true;
    return knock.headers.host !== undefined && origin === `http://${knock.headers.host.toLowerCase()}`;
  }

  function same(token: string | undefined): boolean {
    if (token === undefined) return false;
    const given = Buffer.from(token);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  function count(limiter: ReturnType<typeof createLimiter>, knock: Knock): void {
    if (limiter.admit(knock.address, now())) return;
    throw new HttpError(429, 'Too many requests; wait a few seconds.', { 'retry-after': String(RETRY_AFTER_SECONDS) });
  }

  return {
    admitOrigin(knock) {
      admitHost(knock);
      const { origin } = knock.headers;
      const site = knock.headers['sec-fetch-site'];
      if (origin !== undefined) {
        if (allowedOrigin(knock)) return origin;
        throw new HttpError(403, 'Requests from that Origin are refused.');
      }
      if (typeof site === 'string' && !SAFE_SITES.has(site)) {
        throw new HttpError(403, 'Requests from other sites are refused.');
      }
      return null;
    },
    preflightOrigin(knock) {
      admitHost(knock);
      return allowedOrigin(knock) ? (knock.headers.origin ?? null) : null;
    },
    admit(auth, knock, queryToken) {
      switch (auth) {
        case 'bearer':
          if (!same(bearer(knock.headers.authorization)))
            throw new HttpError(401, bearerFault(knock.headers.authorization));
          count(authenticated, knock);
          return;
        case 'query-token':
          if (!same(queryToken)) throw new HttpError(401, 'Invalid token', PLAIN_TEXT);
          count(open, knock);
          return;
        case 'public':
        case 'signature':
          count(open, knock);
      }
    },
  };
}

const FIXED_ORIGINS = new Set(['http://localhost', 'http://127.0.0.1', 'tauri://localhost', 'https://tauri.localhost']);

/** The name of `name[:port]` or `[v6][:port]`, lower case, without a trailing dot; empty for anything else. */
export function hostName(host: string): string {
  return /^(\[[^\]]*\]|[^:@[\]]*?)\.?(?::\d*)?$/.exec(host.trim().toLowerCase())?.[1] ?? '';
}

function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(name);
}

/** May a local interface answer to this Host? A request without one comes from no browser. */
export function isLocalHost(host: string | undefined): boolean {
  return host === undefined || isLoopbackName(hostName(host));
}

export function isLoopbackAddress(address: string): boolean {
  return address === '::1' || isLoopbackName(address.replace(/^::ffff:/, ''));
}

function bearer(header: string | undefined): string | undefined {
  return header?.startsWith('Bearer ') ? header.slice('Bearer '.length) : undefined;
}

function bearerFault(header: string | undefined): string {
  return bearer(header) === undefined
    ? 'Missing bearer token: send the header Authorization: Bearer <token>.'
    : 'Invalid bearer token: the daemon makes a new one at every start.';
}
