/**
 * The server at the daemon's address while the daemon copies the log from its database: `/health` reports the progress,
 * other paths are 503, until the daemon takes over the address. Host and Origin are checked as by the daemon.
 */
import { once } from 'node:events';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SERVICE_NAME } from '../service-name.ts';
import { OriginGuard, type OriginGuardOptions, requestInfo } from './auth-guard.ts';
import { HttpError } from './errors.ts';
import { JSON_TYPE, SECURITY_HEADERS } from './headers.ts';
import type { TlsFiles } from './tls.ts';

/** Number of events in the copy, and in the database. */
export interface CopyProgress {
  readonly done: number;
  readonly total: number;
}

interface StartingOptions extends OriginGuardOptions {
  readonly host: string;
  readonly port: number;
  /** Null for HTTP. */
  readonly tls: TlsFiles | null;
  readonly version: string;
  readonly progress: () => CopyProgress;
}

interface StartingServer {
  readonly port: number;
  /** Frees the address. */
  close(): Promise<void>;
}

const RETRY_SECONDS = '5';

/** The progress as a sentence. */
export function copyingSentence({ done, total }: CopyProgress): string {
  return `The daemon copies the log from its database: it has ${done} of ${total} events.`;
}

/** Rejects when the address is taken. */
export async function serveStarting(options: StartingOptions): Promise<StartingServer> {
  const { host, port, tls, version, progress } = options;
  const guard = new OriginGuard(options);
  const server = serverOf(tls, (request, response) => {
    const refused = refusalOf(guard, request);
    if (refused !== null) return send(response, refused.status, { error: refused.message });
    const { done, total } = progress();
    const unavailable = copyingSentence({ done, total });
    if (!isHealth(request)) return send(response, 503, { error: unavailable });
    const log = { position: done, of: total };
    send(response, 200, { status: 'starting', service: SERVICE_NAME, version, log, views: { unavailable } });
  });
  server.listen({ host, port });
  await once(server, 'listening');
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { port: (server.address() as AddressInfo).port, close };
}

function refusalOf(guard: OriginGuard, request: IncomingMessage): HttpError | null {
  try {
    guard.checkOrigin(requestInfo(request));
    return null;
  } catch (error) {
    if (error instanceof HttpError) return error;
    throw error;
  }
}

function isHealth({ method, url = '' }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && url.split('?', 1)[0] === '/health';
}

function send(response: ServerResponse, status: number, body: object): void {
  const waits = status === 503 ? { 'retry-after': RETRY_SECONDS } : {};
  response.writeHead(status, { ...SECURITY_HEADERS, ...waits, 'content-type': JSON_TYPE, connection: 'close' });
  response.end(JSON.stringify(body));
}

/** Not imported: an import of node:http reads every export of it, which loads Node's fetch: 30 ms and 14 MB. */
function serverOf(tls: TlsFiles | null, handler: RequestListener): Server {
  if (tls === null) return process.getBuiltinModule('node:http').createServer(handler);
  return process.getBuiltinModule('node:https').createServer({ cert: tls.cert, key: tls.key }, handler);
}
