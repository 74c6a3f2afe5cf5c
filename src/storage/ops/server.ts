/**
 * The storage operations server: probes and metrics over HTTP on a separate port.
 *
 * - Read-only, without credentials, on loopback. Requests for an unknown Host are refused (DNS rebinding).
 * - Probes answer 200 when all checks pass, else 503; `?verbose` lists the checks, one per line.
 */
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { expose, formatFor } from './exposition.ts';
import type { Family } from './meters.ts';
import type { Check } from './readiness.ts';

/** Not imported: an import of node:http reads every export of it, which loads Node's fetch: 30 ms and 14 MB. */
const { createServer } = process.getBuiltinModule('node:http');

export interface OpsServerParts {
  readonly port: number;
  /** Whether requests with this Host header are answered. */
  readonly admitsHost: (host: string | undefined) => boolean;
  readonly health: () => readonly Check[];
  readonly ready: () => readonly Check[];
  /** Additional fields of `/health` and `/ready`. */
  readonly about: () => Readonly<Record<string, unknown>>;
  readonly families: () => readonly Family[];
  readonly report: (line: string) => void;
}

export interface OpsServer {
  readonly port: number;
  close(): Promise<void>;
}

interface Reply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

type Page = (request: IncomingMessage, query: URLSearchParams) => Reply | Promise<Reply>;

const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;
const TEXT_TYPE = 'text/plain; charset=utf-8';
const HEADER_BYTES_MAX = 16_384;
const REQUEST_MS_MAX = 10_000;
const CONNECTIONS_MAX = 64;
/** Status line and sentence by the code of the error; every other error is a 400. */
const UNREADABLE: Readonly<Record<string, readonly [status: string, error: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The request headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
};

/** Listens on loopback; port 0 selects a free port. Rejects when the port is taken. */
export async function startOpsServer(parts: OpsServerParts): Promise<OpsServer> {
  const options = {
    maxHeaderSize: HEADER_BYTES_MAX,
    requestTimeout: REQUEST_MS_MAX,
    headersTimeout: REQUEST_MS_MAX,
    connectionsCheckingInterval: REQUEST_MS_MAX,
    // `answer` refuses requests without a Host header, with a reason that Node would not give.
    requireHostHeader: false,
  };
  const pages = pagesOf(parts);
  const server = createServer(options, (request, response) => {
    answer({ parts, pages }, request).then(
      (reply) => send(request, response, reply),
      (error: Error) => {
        parts.report(`error: ${request.url}: ${error.stack ?? error.message}`);
        send(request, response, refusal(500, 'Internal error; the log of the service has the details.'));
      },
    );
  });
  server.maxConnections = CONNECTIONS_MAX;
  server.on('clientError', refuseUnreadable);
  server.listen({ port: parts.port, host: '127.0.0.1' });
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, close: () => close(server) };
}

function pagesOf({ health, ready, about, families }: OpsServerParts): Readonly<Record<string, Page>> {
  const probe =
    (checks: () => readonly Check[]): Page =>
    (_request, query) =>
      probed({ checks: checks(), about, isVerbose: query.has('verbose') });
  return {
    '/health': probe(health),
    '/ready': probe(ready),
    '/readyz': probe(ready),
    '/livez': probe(() => [{ name: 'process', problem: null }]),
    '/metrics': async (request) => {
      const { contentType, text } = await expose(families(), formatFor(request.headers.accept));
      return { status: 200, type: contentType, body: text, headers: { vary: 'Accept' } };
    },
  };
}

interface Probe {
  readonly checks: readonly Check[];
  readonly about: OpsServerParts['about'];
  readonly isVerbose: boolean;
}

function probed({ checks, about, isVerbose }: Probe): Reply {
  const problems = checks.flatMap(({ problem }) => (problem === null ? [] : [problem]));
  const status = problems.length === 0 ? 200 : 503;
  if (isVerbose) return { status, type: TEXT_TYPE, body: verboseText(checks) };
  if (status === 503) return refusal(503, problems.join(' '));
  return json(200, { status: 'ok', ...about(), checks: Object.fromEntries(checks.map(({ name }) => [name, 'ok'])) });
}

function verboseText(checks: readonly Check[]): string {
  const lines = checks.map(({ name, problem }) =>
    problem === null ? `[+]${name} ok` : `[-]${name} failed: ${problem}`,
  );
  const isWell = checks.every(({ problem }) => problem === null);
  return `${[...lines, isWell ? 'check passed' : 'check failed'].join('\n')}\n`;
}

async function answer(
  { parts, pages }: { readonly parts: OpsServerParts; readonly pages: Readonly<Record<string, Page>> },
  request: IncomingMessage,
): Promise<Reply> {
  request.resume();
  const hosts = request.headersDistinct.host ?? [];
  const needsHost = request.httpVersion === '1.1';
  if (hosts.length > 1 || (needsHost && (hosts[0] ?? '') === '')) {
    return refusal(400, 'A request has one Host header, with a name.');
  }
  if (!parts.admitsHost(hosts[0])) return refusal(403, 'This service does not answer to that Host.');
  const [path = '', query = ''] = (request.url ?? '').split('?', 2);
  const page = pages[path];
  if (page === undefined) return refusal(404, `Not found; there are ${Object.keys(pages).join(', ')}.`);
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return { ...refusal(405, 'Only GET and HEAD are allowed here.'), headers: { allow: 'GET, HEAD' } };
  }
  return page(request, new URLSearchParams(query));
}

/** Bytes that are not HTTP, headers over the limit, or a request that did not come in time. */
function refuseUnreadable({ code }: Error & { readonly code?: string }, socket: Duplex): void {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const [status, error] = UNREADABLE[code ?? ''] ?? ['400 Bad Request', 'The request cannot be read as HTTP.'];
  const { type, body } = refusal(0, error);
  const headers = { ...HEADERS, 'content-type': type, 'content-length': Buffer.byteLength(body), connection: 'close' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
}

function refusal(status: number, error: string): Reply {
  return json(status, { error });
}

function json(status: number, value: unknown): Reply {
  return { status, type: 'application/json; charset=utf-8', body: `${JSON.stringify(value)}\n` };
}

function send(request: IncomingMessage, response: ServerResponse, { status, type, body, headers }: Reply): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, { ...HEADERS, ...headers, 'content-type': type, 'content-length': bytes.length });
  response.end(request.method === 'HEAD' ? undefined : bytes);
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
