/**
 * The daemon's storage routes without the daemon: for whoever asks a process that runs `storage serve`.
 *
 * - The same door in front: Host, Origin, bearer token, rate limit.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Answer } from '../../http/server/answer.ts';
import { createDoor } from '../../http/server/door.ts';
import { HttpError, outgoing, validationMessage } from '../../http/server/errors.ts';
import type { Call, RouteSpec } from '../../http/server/route.ts';
import { knockOf } from '../../http/server/server.ts';
import { storageRoutes } from '../../http/storage.ts';
import type { StorageControl } from '../../storage/ops/control.ts';

const BODY_BYTES_MAX = 65_536;
const REQUESTS_PER_MINUTE = 600;

export interface ControlServer {
  readonly port: number;
  close(): Promise<void>;
}

export async function serveControl(storageControl: StorageControl, token: string): Promise<ControlServer> {
  const routes = storageRoutes({ storageControl });
  const door = createDoor({
    token,
    allowedHosts: [],
    allowedOrigins: [],
    rateAuthenticated: REQUESTS_PER_MINUTE,
    ratePublic: REQUESTS_PER_MINUTE,
    now: Date.now,
  });
  const server = createServer(async (request, response) => {
    const { status, body } = await answered(async () => {
      const knock = knockOf(request);
      door.admitOrigin(knock);
      door.admit('bearer', knock);
      return handle(routes, request);
    });
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(`${JSON.stringify(body)}\n`);
  });
  await new Promise<void>((resolve) => server.listen({ port: 0, host: '127.0.0.1' }, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Answered {
  readonly status: number;
  readonly body: unknown;
}

async function answered(work: () => Promise<Answer>): Promise<Answered> {
  try {
    const answer = await work();
    return answer.kind === 'value' ? { status: answer.status, body: answer.value } : { status: 500, body: {} };
  } catch (error) {
    const { status, message } = outgoing(error);
    return { status, body: { error: message } };
  }
}

async function handle(routes: readonly RouteSpec[], request: IncomingMessage): Promise<Answer> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  for (const spec of routes) {
    const match = new RegExp(`^${spec.path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`).exec(pathname);
    if (match === null || request.method !== spec.method) continue;
    const body: unknown = spec.body === undefined ? undefined : JSON.parse(await textOf(request));
    return spec.handle({
      params: checked(spec.params, { ...match.groups }, 'path'),
      query: checked(spec.query, Object.fromEntries(searchParams), 'query'),
      body: checked(spec.body, body, 'body'),
    } as Call<never, never, never>);
  }
  throw new HttpError(404, 'Not found');
}

function checked(schema: RouteSpec['body'], given: unknown, where: string): unknown {
  if (schema === undefined) return undefined;
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new HttpError(400, validationMessage(parsed.error, where));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new HttpError(413, 'The request body is too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
