/**
 * WebSockets: how one is declared, and the handshakes. They pass the auth guard like requests, then go to the socket of
 * their path. A handshake for an unknown path is refused with a status, and so is CONNECT.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { z } from 'zod';
import { type AuthGuard, type RequestInfo, requestInfo } from './auth-guard.ts';
import { refuseUpgrade } from './connections.ts';
import { announceCause, HttpError } from './errors.ts';
import { createWebSockets, type Handshake, type MessageListener } from './websocket-server.ts';

/** A WebSocket of a resource, which `GET /asyncapi.json` describes. */
export interface SocketSpec {
  readonly tag: string;
  /** `tag.operation` is the name of the channel. */
  readonly operation: string;
  /** A parameter is a name in braces. */
  readonly path: string;
  readonly summary: string;
  readonly auth: 'bearer' | 'query-token';
  /** Descriptions of the parameters of the path. */
  readonly params?: Readonly<Record<string, string>>;
  /** Without the token. */
  readonly query: z.ZodObject;
  readonly toClient: Frames;
  readonly fromClient: Frames;
  readonly frameBytesMax: number;
  /** Accepts an authorised handshake, or throws or rejects to refuse it. */
  open(opening: Opening): void | Promise<void>;
  /** Called before the clients are disconnected, because the daemon stops. */
  onClose?(): void;
}

interface Frames {
  /** JSON objects in text frames. Each variant of a union is a message, named after its `type`. */
  readonly text?: z.ZodType;
  /** Describes the binary frames. */
  readonly binary?: string;
}

export interface Opening extends Pick<Handshake, 'request' | 'socket'> {
  /** The parameters of the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** As `WebSockets.accept`. */
  accept(serve: (client: WebSocket) => MessageListener | undefined): void;
}

interface Sockets {
  /** Hands an authorised handshake to the socket of its path. Throws 404 when there is none. */
  upgrade(url: URL, handshake: Handshake): void;
  close(): void;
}

export function createSockets(specs: readonly SocketSpec[], announce: (line: string) => void): Sockets {
  const served = specs.map((spec) => ({
    spec,
    pattern: new RegExp(`^${spec.path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
    sockets: createWebSockets({ frameBytesMax: spec.frameBytesMax, announce }),
  }));
  return {
    upgrade(url, handshake) {
      const { request, socket } = handshake;
      const found = served.find(({ pattern }) => pattern.test(url.pathname));
      if (found === undefined) throw new HttpError(404, 'Not found');
      const { spec, pattern, sockets } = found;
      const params = decoded(pattern.exec(url.pathname)?.groups);
      const accept: Opening['accept'] = (serve) => sockets.accept(handshake, serve);
      const opening = async () => spec.open({ request, socket, params, query: url.searchParams, accept });
      opening().catch((error: unknown) => {
        announceCause(error, announce);
        refuseUpgrade(socket, error);
      });
    },
    close() {
      for (const { spec, sockets } of served) {
        spec.onClose?.();
        sockets.close();
      }
    },
  };
}

function decoded(params: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  try {
    return Object.fromEntries(Object.entries(params).map(([name, part]) => [name, decodeURIComponent(part)]));
  } catch {
    throw new HttpError(400, 'The URL cannot be read.');
  }
}

export function serveSockets(
  server: Server,
  { sockets, guard }: { readonly sockets: Sockets; readonly guard: AuthGuard },
): void {
  const admit = (request: IncomingMessage, socket: Duplex, serve: (info: RequestInfo) => void): void => {
    // Node has removed its own listener; without one, an error of the socket would end the daemon.
    socket.on('error', () => socket.destroy());
    try {
      const info = requestInfo(request);
      guard.checkOrigin(info);
      serve(info);
    } catch (error) {
      refuseUpgrade(socket, error);
    }
  };
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
    admit(request, socket, (info) => {
      const url = URL.parse(request.url ?? '/', 'http://daybook');
      if (url === null) throw new HttpError(400, 'The URL cannot be read.');
      guard.authenticate(url.pathname.startsWith('/ws/') ? 'query-token' : 'bearer', info);
      sockets.upgrade(url, { request, socket, head });
    }),
  );
  server.on('connect', (request: IncomingMessage, socket: Duplex) =>
    admit(request, socket, (info) => {
      guard.authenticate('bearer', info);
      throw new HttpError(405, 'This daemon is no proxy: CONNECT is not allowed.');
    }),
  );
}
