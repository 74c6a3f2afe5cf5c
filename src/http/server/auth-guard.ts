/**
 * The auth guard: decides whether a caller may make requests. All requests and WebSocket handshakes pass the same
 * checks in one order: Host → Origin and Sec-Fetch-Site → credential → rate limit.
 *
 * - A host name that is not on the list is refused before every other check, which prevents DNS rebinding.
 * - A refused credential does not count against the authenticated limit; a preflight counts against none.
 * - Tokens are compared in constant time (their length is not secret) and never leave this file.
 */
import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { hostName, isLoopbackName } from '../../host-names.ts';
import { HttpError } from './errors.ts';
import { PLAIN_TEXT } from './headers.ts';
import { createRateLimiter, monotonic, type RateLimiter, RETRY_AFTER_SECONDS } from './rate-limit.ts';

/** `asset`: no credential, and a rate limit of its own, because a page loads its files at once. */
export type AuthClass = 'bearer' | 'public' | 'asset' | 'query-token' | 'signature';

/** Requests a minute and address for the files of the console, which are few and cached permanently. */
const RATE_ASSETS = 600;

export interface OriginGuardOptions {
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
}

interface AuthGuardOptions extends OriginGuardOptions {
  readonly token: string;
  /** Requests a minute and address. */
  readonly rateAuthenticated: number;
  readonly ratePublic: number;
  readonly now: () => number;
}

type Scheme = 'http' | 'https';

/** The parts of a request that the guard checks. */
export interface RequestInfo {
  readonly headers: IncomingHttpHeaders;
  /** All Host headers, and the number of Authorization headers: `headers` holds only the first of each. */
  readonly hosts: readonly string[];
  readonly authorizations: number;
  /** HTTP/1.1 requires a Host header with a name; older clients send none. */
  readonly needsHost?: boolean;
  readonly scheme: Scheme;
  /** The raw request target: a path, or for proxies a whole URL whose host is checked like the header. */
  readonly target: string;
  readonly address: string;
  /** The local port of the connection. */
  readonly port: number;
}

export function requestInfo(request: IncomingMessage): RequestInfo {
  const { headers, rawHeaders, socket, httpVersion, url = '' } = request;
  const hosts: string[] = [];
  let authorizations = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (isNamed(name, 'host')) hosts.push(rawHeaders[index + 1]!);
    else if (isNamed(name, 'authorization')) authorizations += 1;
  }
  const { remoteAddress: address = '', localPort: port = 0 } = socket;
  return {
    headers,
    hosts,
    authorizations,
    needsHost: httpVersion === '1.1',
    scheme: schemeOf(request),
    target: url,
    address,
    port,
  };
}

/** Whether the name of a header field, in any case, is `lowerCase`. */
function isNamed(name: string, lowerCase: string): boolean {
  return name.length === lowerCase.length && name.toLowerCase() === lowerCase;
}

/** The scheme of the connection that the request arrived on. */
export function schemeOf({ socket }: IncomingMessage): Scheme {
  return 'encrypted' in socket ? 'https' : 'http';
}

/** Settings of a route for the guard. */
interface Admission {
  readonly limiter?: RateLimiter | undefined;
  readonly challenge?: boolean | undefined;
}

const SAFE_SITES = new Set(['same-origin', 'none']);

/** The checks that need no credential: Host, then Origin and Sec-Fetch-Site. */
export class OriginGuard {
  readonly #allowedHosts: ReadonlySet<string>;
  readonly #allowedOrigins: ReadonlySet<string>;

  constructor({ allowedHosts, allowedOrigins }: OriginGuardOptions) {
    this.#allowedHosts = new Set(allowedHosts.map(hostName).filter((name) => name !== ''));
    this.#allowedOrigins = new Set(allowedOrigins.map((origin) => origin.toLowerCase()));
  }

  /** Throws 403 unless host and origin are allowed. Returns the origin for the CORS headers, or null without one. */
  checkOrigin(request: RequestInfo): string | null {
    this.#checkHost(request);
    const { origin, 'sec-fetch-site': site } = request.headers;
    if (origin !== undefined) {
      if (this.#isAllowedOrigin(request)) return origin;
      throw new HttpError(403, 'Requests from that Origin are refused.');
    }
    if (typeof site === 'string' && !SAFE_SITES.has(site)) {
      throw new HttpError(403, 'Requests from other sites are refused.');
    }
    return null;
  }

  /** The origin for the CORS headers of a preflight, or null. Throws 403 for a host that is not allowed. */
  preflightOrigin(request: RequestInfo): string | null {
    this.#checkHost(request);
    return this.#isAllowedOrigin(request) ? (request.headers.origin ?? null) : null;
  }

  #checkHost({ hosts, needsHost, target }: RequestInfo): void {
    if (hosts.length > 1 || (needsHost === true && isWithoutName(hosts[0]))) {
      throw new HttpError(400, 'A request has one Host header, with a name.');
    }
    const targetHost = target.startsWith('/') ? undefined : ABSOLUTE_TARGET.exec(target)?.[1];
    for (const host of [hosts[0], targetHost]) {
      if (host === undefined || host === '') continue;
      const name = hostName(host);
      if (isLoopbackName(name) || this.#allowedHosts.has(name)) continue;
      throw new HttpError(403, 'This daemon does not answer to that Host. Allowed names are set in allowed_hosts.');
    }
  }

  #isAllowedOrigin({ headers, scheme, port }: RequestInfo): boolean {
    const origin = headers.origin?.toLowerCase();
    if (origin === undefined) return false;
    if (this.#allowedOrigins.has(origin) || FIXED_ORIGINS.has(origin)) return true;
    if (origin === `${scheme}://localhost:${port}` || origin === `${scheme}://127.0.0.1:${port}`) return true;
    return headers.host !== undefined && origin === `${scheme}://${headers.host.toLowerCase()}`;
  }
}

export class AuthGuard extends OriginGuard {
  readonly #token: Buffer;
  readonly #authenticated: RateLimiter;
  readonly #public: RateLimiter;
  readonly #assets: RateLimiter;
  readonly #now: () => number;

  constructor(options: AuthGuardOptions) {
    super(options);
    this.#token = Buffer.from(options.token);
    this.#authenticated = createRateLimiter(options.rateAuthenticated);
    this.#public = createRateLimiter(options.ratePublic);
    this.#assets = createRateLimiter(Math.max(RATE_ASSETS, options.ratePublic));
    this.#now = monotonic(options.now);
  }

  /**
   * Throws 401 or 429, and 400 for two credentials, because servers differ in which one they use. A request
   * without a bearer token counts against `limiter`. With `challenge` a 401 has `WWW-Authenticate` (RFC 6750).
   */
  authenticate(
    auth: AuthClass,
    request: RequestInfo,
    { limiter = this.#public, challenge = false }: Admission = {},
  ): void {
    if (request.authorizations > 1) throw new HttpError(400, 'A request has at most one Authorization header.');
    switch (auth) {
      case 'bearer': {
        const token = bearerToken(request.headers.authorization);
        if (token === undefined) throw new HttpError(401, MISSING_TOKEN, challenge ? CHALLENGE : {});
        if (!this.#isToken(token)) throw new HttpError(401, INVALID_TOKEN, challenge ? CHALLENGE_AGAIN : {});
        this.#count(this.#authenticated, request);
        return;
      }
      case 'query-token':
        if (!this.#isToken(queryToken(request.target))) throw new HttpError(401, 'Invalid token', PLAIN_TEXT);
        this.#count(this.#public, request);
        return;
      case 'asset':
        this.#count(this.#assets, request);
        return;
      case 'public':
      case 'signature':
        this.#count(limiter, request);
    }
  }

  #isToken(candidate: string | undefined): boolean {
    if (candidate === undefined) return false;
    const bytes = Buffer.from(candidate);
    return bytes.length === this.#token.length && timingSafeEqual(bytes, this.#token);
  }

  #count(limiter: RateLimiter, { address }: RequestInfo): void {
    if (limiter.admit(address, this.#now())) return;
    throw new HttpError(429, 'Too many requests; wait a few seconds.', { 'retry-after': String(RETRY_AFTER_SECONDS) });
  }
}

const ABSOLUTE_TARGET = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i;
const FIXED_ORIGINS = new Set(['http://localhost', 'http://127.0.0.1', 'tauri://localhost', 'https://tauri.localhost']);
const MISSING_TOKEN =
  'Missing bearer token: send the header Authorization: Bearer <token>. In a browser open the console, /web.';
const INVALID_TOKEN = 'Invalid bearer token: daemon.token in the home of the daemon has the present one.';
const CHALLENGE = { 'www-authenticate': 'Bearer realm="daybook"' };
const CHALLENGE_AGAIN = { 'www-authenticate': 'Bearer realm="daybook", error="invalid_token"' };
const BEARER = 'Bearer ';

function bearerToken(header: string | undefined): string | undefined {
  return header?.startsWith(BEARER) ? header.slice(BEARER.length) : undefined;
}

/** Undefined unless there is exactly one. */
function queryToken(target: string): string | undefined {
  const tokens = URL.parse(target, 'http://daybook')?.searchParams.getAll('token') ?? [];
  return tokens.length === 1 ? tokens[0] : undefined;
}

function isWithoutName(host: string | undefined): boolean {
  return host === undefined || /^\s*(?::\d*)?\s*$/.test(host);
}
