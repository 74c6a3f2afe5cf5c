/** Headers of every reply, and replies written to a bare socket when there is no request to answer. */
import { STATUS_CODES } from 'node:http';
import { JSON_TYPE } from './answer.ts';

/** On every reply, errors and streams included. A page that needs another policy sends its own. */
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

export interface BareError {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error as the bytes of a whole HTTP response after which the connection closes. */
export function bareError({ status, message, headers = {} }: BareError): string {
  const body = JSON.stringify({ error: message });
  const all = {
    ...SECURITY_HEADERS,
    ...headers,
    'content-type': JSON_TYPE,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const lines = Object.entries(all).map(([name, text]) => `${name}: ${text}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}
