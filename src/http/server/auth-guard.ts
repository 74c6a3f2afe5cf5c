/**
 * The auth guard: decides who may ask at all. Every request and every WebSocket handshake passes the same checks in one
 * order: Host → Origin and Sec-Fetch-Site → credential → rate limit.
 *
 * - A host name that is not on the list is refused before anything else is looked at: DNS rebinding ends here.
 * - A refused credential does not count against the authenticated limit; a preflight counts against none.
 * - Tokens are compared in constant time (their length is no secret) and never leave this file.
 */
import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { hostName, isLoopbackName } from '../../host-names.ts';
import { HttpError } from './errors.ts';
import { PLAIN_TEXT } from './headers.ts';
import { createRateLimiter, monotonic, type RateLimiter, RETRY_AFTER_SECONDS } from './rate-limit.ts';

export type AuthClass = 'bearer' | 'public' | 'query-token' | 'signature';

export interface AuthGuardOptions {
  readonly token: string;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  /** Requests a minute and address. */
  readonly rateAuthenticated: number;
  readonly ratePublic: number;
  readonly now: () => number;
}

/** The parts of a request that the guard looks at. */
export interface RequestInfo {
  readonly headers: IncomingHttpHeaders;
  /** Every Host header: the parsed headers hold the first one only. */
  readonly hosts: readonly string[];
  /** HTTP/1.1 requires a Host header; older clients send none. */
  readonly needsHost?: boolean;
  /** The request target as it came: a path, or for proxies a whole URL whose host counts like the header. */
  readonly target: string;
  readonly address: string;
  /** The port the connection came in on. */
  readonly port: number;
}

export interface AuthGuard {
  /** Throws 403 unless host and origin are allowed; returns the origin to allow, or null when there is none. */
  checkOrigin(request: RequestInfo): string | null;
  /** The origin a preflight may be told, or null. Throws 403 for a foreign host. */
  preflightOrigin(request: RequestInfo): string | null;
  /** Throws 401 or 429. */
  authenticate(auth: AuthClass, request: RequestInfo): void;
}

export function requestInfo({ headers, rawHeaders, socket, httpVersion, url = '' }: IncomingMessage): RequestInfo {
  const hosts: string[] = [];
  for (let name = 0; name < rawHeaders.length; name += 2) {
    if (/^host$/i.test(rawHeaders[name]!)) hosts.push(rawHeaders[name + 1]!);
  }
  const { remoteAddress: address = '', localPort: port = 0 } = socket;
  return { headers, hosts, needsHost: httpVersion === '1.1', target: url, address, port };
}

const SAFE_SITES = new Set(['same-origin', 'none']);

export function createAuthGuard(options: AuthGuardOptions): AuthGuard {
  const expected = Buffer.from(options.token);
  const authenticated = createRateLimiter(options.rateAuthenticated);
  const open = createRateLimiter(options.ratePublic);
  const now = monotonic(options.now);
  const allowedHosts = new Set(options.allowedHosts.map(hostName).filter((name) => name !== ''));
  const allowedOrigins = new Set(options.allowedOrigins.map((origin) => origin.toLowerCase()));

  function checkHost({ hosts, needsHost, target }: RequestInfo): void {
    if (hosts.length > 1 || (hosts.length === 0 && needsHost === true)) {
      throw new HttpError(400, 'A request has one Host header.');
    }
    const targetHost = target.startsWith('/') ? undefined : ABSOLUTE_TARGET.exec(target)?.[1];
    for (const host of [hosts[0], targetHost]) {
      if (host === undefined || host === '') continue;
      const name = hostName(host);
      if (isLoopbackName(name) || allowedHosts.has(name)) continue;
      throw new HttpError(403, 'This daemon does not answer to that Host. Allowed names are set in allowed_hosts.');
    }
  }

  function isAllowedOrigin({ headers, port }: RequestInfo): boolean {
    const origin = headers.origin?.toLowerCase();
    if (origin === undefined) return false;
    if (allowedOrigins.has(origin) || FIXED_ORIGINS.has(origin)) return true;
    if (origin === `http://localhost:${port}` || origin === `http://127.0.0.1:${port}`) return true;
    return headers.host !== undefined && origin === `http://${headers.host.toLowerCase()}`;
  }

  function isToken(given: string | undefined): boolean {
    if (given === undefined) return false;
    const bytes = Buffer.from(given);
    return bytes.length === expected.length && timingSafeEqual(bytes, expected);
  }

  function count(limiter: RateLimiter, { address }: RequestInfo): void {
    if (limiter.admit(address, now())) return;
    throw new HttpError(429, 'Too many requests; wait a few seconds.', { 'retry-after': String(RETRY_AFTER_SECONDS) });
  }

  return {
    checkOrigin(request) {
      checkHost(request);
      const { origin, 'sec-fetch-site': site } = request.headers;
      if (origin !== undefined) {
        if (isAllowedOrigin(request)) return origin;
        throw new HttpError(403, 'Requests from that Origin are refused.');
      }
      if (typeof site === 'string' && !SAFE_SITES.has(site)) {
        throw new HttpError(403, 'Requests from other sites are refused.');
      }
      return null;
    },
    preflightOrigin(request) {
      checkHost(request);
      return isAllowedOrigin(request) ? (request.headers.origin ?? null) : null;
    },
    authenticate(auth, request) {
      switch (auth) {
        case 'bearer': {
          const token = bearerToken(request.headers.authorization);
          if (token === undefined) throw new HttpError(401, MISSING_TOKEN);
          if (!isToken(token)) throw new HttpError(401, INVALID_TOKEN);
          count(authenticated, request);
          return;
        }
        case 'query-token':
          if (!isToken(queryToken(request.target))) throw new HttpError(401, 'Invalid token', PLAIN_TEXT);
          count(open, request);
          return;
        case 'public':
        case 'signature':
          count(open, request);
      }
    },
  };
}

const ABSOLUTE_TARGET = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i;
const FIXED_ORIGINS = new Set(['http://localhost', 'http://127.0.0.1', 'tauri://localhost', 'https://tauri.localhost']);
const MISSING_TOKEN = 'Missing bearer token: send the header Authorization: Bearer <token>.';
const INVALID_TOKEN = 'Invalid bearer token: the daemon makes a new one at every start.';
const BEARER = 'Bearer ';

function bearerToken(header: string | undefined): string | undefined {
  return header?.startsWith(BEARER) ? header.slice(BEARER.length) : undefined;
}

function queryToken(target: string): string | undefined {
  return URL.parse(target, 'http://daybook')?.searchParams.get('token') ?? undefined;
}
