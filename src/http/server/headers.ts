/** Headers of every reply, and errors written to a bare socket when there is no reply object to send them with. */
import { JSON_TYPE } from './answer.ts';
import { reasonPhrase } from './errors.ts';

/** On every reply, errors and streams included. A page that needs another policy, or may be cached, sets its own. */
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

/** Makes the body of an error the bare sentence. */
export const PLAIN_TEXT = { 'content-type': 'text/plain; charset=utf-8' } as const;

/** `{error}`, unless the headers of the error name a type of their own. */
export function errorBody(message: string, headers: Readonly<Record<string, string>>): string {
  return headers['content-type'] === undefined ? JSON.stringify({ error: message }) : message;
}

export interface RawError {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error as the bytes of a whole HTTP response after which the connection closes. */
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
