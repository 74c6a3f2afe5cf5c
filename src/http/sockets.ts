/**
 * WebSocket handshakes: they pass the auth guard like requests, then go to the handler of their path. A handshake for
 * an unknown path is refused with a status, and so is CONNECT.
 *
 * - `/v1/events/ws` carries the log's envelopes as text frames. A client that falls too far behind is disconnected;
 *   its frames wait in the log, never in memory.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { Subject } from 'rxjs';
import type { WebSocket } from 'ws';
import type { Frame } from '../streams/replay-buffer.ts';
import { FellBehind } from '../streams/shared-frames.ts';
import type { Subscriptions } from '../streams/subscriptions.ts';
import { type ClientToolsSocketDependencies, clientToolsSockets } from './acp/client-tools-socket.ts';
import { type RoomSocketDependencies, roomSockets } from './room/socket.ts';
import { type AuthGuard, type RequestInfo, requestInfo } from './server/auth-guard.ts';
import { refuseUpgrade } from './server/connections.ts';
import { HttpError } from './server/errors.ts';
import { zCursor } from './server/query-params.ts';
import { closeFaulty, createWebSockets, pingUntilClosed, type WebSocketHandler } from './server/websocket-server.ts';
import { type DuplexSocketDependencies, duplexSockets } from './voice/duplex-socket.ts';

interface Dependencies extends ClientToolsSocketDependencies, DuplexSocketDependencies, RoomSocketDependencies {
  readonly subscriptions: Subscriptions;
}

const FRAME_BYTES_MAX = 65_536;
/** While a socket buffers more bytes than this, no events are read from the log for it. */
const BUFFERED_BYTES_MAX = 65_536;

export function serveSockets(
  server: Server,
  { deps, guard }: { deps: Dependencies; guard: AuthGuard },
): { close(): void } {
  const handlers = [clientToolsSockets(deps), duplexSockets(deps), roomSockets(deps), logSockets(deps)];
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
      const isTaken = handlers.some((handler) => handler.upgrade(url, { request, socket, head }));
      if (!isTaken) throw new HttpError(404, 'Not found');
    }),
  );
  server.on('connect', (request: IncomingMessage, socket: Duplex) =>
    admit(request, socket, (info) => {
      guard.authenticate('bearer', info);
      throw new HttpError(405, 'This daemon is no proxy: CONNECT is not allowed.');
    }),
  );
  return {
    close() {
      for (const handler of handlers) handler.close();
    },
  };
}

function logSockets(deps: Dependencies): WebSocketHandler {
  const sockets = createWebSockets({ frameBytesMax: FRAME_BYTES_MAX, announce: deps.announce });
  return {
    upgrade(url, handshake) {
      if (url.pathname !== '/v1/events/ws') return false;
      const [first = '0', ...more] = url.searchParams.getAll('after');
      const after = zCursor.safeParse(first);
      if (!after.success || more.length > 0) throw new HttpError(400, 'after must be a whole number from 0.');
      sockets.accept(handshake, (client) => sendLog(deps, client, after.data));
      return true;
    },
    close: () => sockets.close(),
  };
}

function sendLog({ subscriptions, announce }: Dependencies, client: WebSocket, after: number): undefined {
  const sent$ = new Subject<void>();
  const writes = subscriptions.events({ after, demand$: sent$ }).subscribe({
    next: ({ frames }) => sendAll(client, frames, () => sent$.next()),
    complete: () => client.close(1001, 'The daemon is going down.'),
    error: (error) => (error instanceof FellBehind ? client.terminate() : closeFaulty(client, error, announce)),
  });
  client.on('error', () => client.terminate());
  pingUntilClosed(client, () => writes.unsubscribe());
}

/** Calls `taken` when the socket can take more: at once, or when it has taken the last frame. */
function sendAll(client: WebSocket, frames: readonly Frame[], taken: () => void): void {
  for (const { json } of frames.slice(0, -1)) client.send(json);
  const last = frames.at(-1)!.json;
  if (client.bufferedAmount < BUFFERED_BYTES_MAX) {
    client.send(last);
    taken();
  } else {
    client.send(last, (error) => {
      if (!error) taken();
    });
  }
}
