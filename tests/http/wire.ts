/** Raw requests over the wire: any header, any target, any bytes. */
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { WebSocket } from 'ws';
import type { Daemon } from '../../src/daemon.ts';

export interface Wish {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 8 });

/** One request; the reply is read whole. `target` goes out as it is. */
export function send(base: string, target: string, { method = 'GET', headers = {}, body }: Wish = {}): Promise<Reply> {
  const { hostname, port } = new URL(base);
  // Node sends the body of a DELETE without its length: for the next request on the connection it would be garbage.
  const isCounted = body !== undefined && !('transfer-encoding' in headers);
  const all = { ...(isCounted && { 'content-length': String(Buffer.byteLength(body)) }), ...headers };
  return new Promise((resolve, reject) => {
    const going = request({ agent, hostname, port, path: target, method, headers: all }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      response.on('error', reject);
    });
    going.on('error', reject);
    going.end(body);
  });
}

/** The same request without a socket. The target is normalised as a URL is, and the body has a Content-Length. */
export async function inject(
  { app, url }: Pick<Daemon, 'app' | 'url'>,
  target: string,
  { method = 'GET', headers = {}, body }: Wish = {},
): Promise<Reply> {
  const all = { host: new URL(url).host, ...headers } as Record<string, string>;
  const request = { method: method as 'GET', url: target, headers: all };
  const reply = await app.inject(body === undefined ? request : { ...request, payload: body });
  return { status: reply.statusCode, headers: reply.headers as IncomingHttpHeaders, text: reply.payload };
}

/** The error of a reply that must be exactly `{error: <text>}`. */
export function errorOf(reply: Reply): string {
  const body = JSON.parse(reply.text) as { error: string };
  if (Object.keys(body).join() !== 'error' || typeof body.error !== 'string' || body.error === '') {
    throw new Error(`Not an error body: ${reply.text}`);
  }
  return body.error;
}

/** Bytes on a bare connection; answers everything that came back until it was closed. */
export function sendBytes(base: string, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (part: string) => {
      text += part;
    });
    socket.on('error', (error) => (text === '' ? reject(error) : resolve(text)));
    socket.on('close', () => resolve(text));
  });
}

/** Status lines of everything in a raw answer. */
export function statuses(raw: string): number[] {
  return [...raw.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));
}

/** A WebSocket handshake: the status it was refused with and that reply's body, or 101. */
export function handshake(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; text: string }> {
  const socket = new WebSocket(url.replace(/^http/, 'ws'), { headers });
  return new Promise((resolve, reject) => {
    socket.on('open', () => {
      socket.close();
      resolve({ status: 101, text: '' });
    });
    socket.on('unexpected-response', (_request, response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    socket.on('error', reject);
  });
}
