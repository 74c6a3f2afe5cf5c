/** Headers of every reply, and replies written to a bare socket when there is no request to answer. */
import { type IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http';
import { JSON_TYPE } from './answer.ts';
import { QUIET_MS_TOLD } from './waiting-connections.ts';

/** On every reply, errors and streams included. A page that needs another policy, or may be kept, says so itself. */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'content-security-policy':
    "default-src 'self'; script-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; " +
    "form-action 'none'; frame-ancestors 'none'",
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  'strict-transport-security': 'max-age=31536000',
  'cache-control': 'no-store',
} as const;

const LINES = linesOf(SECURITY_HEADERS);

type Headers = Readonly<Record<string, unknown>> | undefined;

/** Node's own step from headers to text, which its types do not show. */
interface HeaderWriter {
  _storeHeader(this: ServerResponse, firstLine: string, headers: Headers): void;
}

const { _storeHeader: storeHeader } = ServerResponse.prototype as unknown as HeaderWriter;

/**
 * A response of which no reply can forget the security headers. They are one text behind the status line: node would
 * check and join each of them anew for each reply, which costs more than the rest of its head.
 */
export class SecuredResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  /** Told to the client when the connection stays; what is set here does not begin a timer. */
  declare _keepAliveTimeout: number;
  #contentLength: unknown;

  /** A text of as many bytes as characters is copied as it is, with nothing to encode. */
  override end(chunk?: unknown, encoding?: unknown, callback?: unknown): this {
    const isPlain = typeof chunk === 'string' && !encoding && Number(this.#contentLength) === chunk.length;
    return super.end(chunk, (isPlain ? 'latin1' : encoding) as BufferEncoding, callback as () => void);
  }

  _storeHeader(firstLine: string, headers: Headers): void {
    this._keepAliveTimeout = QUIET_MS_TOLD;
    this.#contentLength = headers?.['content-length'];
    const hasOwn = headers?.['content-security-policy'] !== undefined || headers?.['cache-control'] !== undefined;
    storeHeader.call(this, firstLine + (hasOwn ? linesBeside(headers) : LINES), headers);
  }
}

/** Beside those that the reply sets itself. */
function linesBeside(headers: Headers): string {
  const missing = Object.entries(SECURITY_HEADERS).filter(([name]) => headers?.[name] === undefined);
  return linesOf(Object.fromEntries(missing));
}

function linesOf(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, text]) => `${name}: ${text}\r\n`)
    .join('');
}

export interface BareError {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A header of an error whose body is the bare sentence. */
export const PLAIN_TEXT = { 'content-type': 'text/plain; charset=utf-8' } as const;

/** What an error says to its caller: `{error}`, but for one that brings its own type. */
export function errorBody(message: string, headers: Readonly<Record<string, string>>): string {
  return headers['content-type'] === undefined ? JSON.stringify({ error: message }) : message;
}

/** An error as the bytes of a whole HTTP response after which the connection closes. */
export function bareError({ status, message, headers = {} }: BareError): string {
  const body = errorBody(message, headers);
  const all = {
    ...SECURITY_HEADERS,
    'content-type': JSON_TYPE,
    ...headers,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${linesOf(all)}\r\n${body}`;
}
