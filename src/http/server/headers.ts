/** Headers of every reply, and errors as bytes for a socket that has no reply object. */
import { reasonPhrase } from './errors.ts';

/**
 * On every reply, errors and streams included. A page with another policy, or one that may be cached, overrides them.
 */
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

export const JSON_TYPE = 'application/json; charset=utf-8';

/** With these headers the body of an error is the plain sentence. */
export const PLAIN_TEXT = { 'content-type': 'text/plain; charset=utf-8' } as const;

/** `{error}`, or the plain sentence when the headers of the error have a content type. */
export function errorBody(message: string, headers: Readonly<Record<string, string>>): string {
  return headers['content-type'] === undefined ? JSON.stringify({ error: message }) : message;
}

export interface RawError {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error as the bytes of a complete HTTP response, after which the connection closes. */
export function rawError({ status, message, headers = {} }: RawError): string {
  const body = errorBody(message, headers);
  const all = {
    ...SECURITY_HEADERS,
    'content-type': JSON_TYPE,
    ...headers,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const lines = Object.entries(all).map(([name, text]) => `${name}: ${text}\r\n`);
  return `HTTP/1.1 ${status} ${reasonPhrase(status)}\r\n${lines.join('')}\r\n${body}`;
}
