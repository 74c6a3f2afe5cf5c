/**
 * WebSocket handshakes: they pass the auth guard like requests. `/v1/events/ws` carries the log's envelopes as text
 * frames; a handshake for any other path is refused with a status, and so is CONNECT.
 *
 * A client that stops reading is cut off when it falls too far behind; frames wait in the log, never in memory.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { Subject } from 'rxjs';
import type { WebSocket } from 'ws';
import type { Config } from '../config.ts';
import type { Timers } from '../lib/timers.ts';
import type { Rooms } from '../live/room/rooms.ts';
import type { Clock } from '../ports/clock.ts';
import type { ToolDelegates } from '../ports/delegates.ts';
import type { IdGenerator } from '../ports/id-generator.ts';
import type { ModelsPort } from '../ports/models.ts';
import type { SpeechPort } from '../ports/speech.ts';
import type { ToolsPort } from '../ports/tools.ts';
import type { Views } from '../projections/views.ts';
import type { Frame } from '../streams/replay-buffer.ts';
import type { Subscriptions } from '../streams/subscriptions.ts';
import { clientToolsSockets } from './acp/client-tools-socket.ts';
import { roomSockets } from './room/socket.ts';
import { type AuthGuard, requestInfo } from './server/auth-guard.ts';
import { refuseUpgrade } from './server/connections.ts';
import { HttpError } from './server/errors.ts';
import { zCursor } from './server/query-params.ts';
import { closeFaulty, createWebSockets } from './server/websocket-server.ts';
import { duplexSockets } from './voice/duplex-socket.ts';

interface Dependencies {
  readonly config: Config;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly ids: IdGenerator;
  random(): number;
  readonly views: Views;
  readonly subscriptions: Subscriptions;
  readonly models: ModelsPort;
  readonly tools: ToolsPort;
  readonly delegates: ToolDelegates;
  readonly speech: SpeechPort;
  readonly rooms: Rooms;
  viewsUnavailable(): string | null;
  announce(line: string): void;
  readonly closing: AbortSignal;
}

const FRAME_BYTES_MAX = 65_536;
/** Bytes in a socket's buffer above which no more events are read from the log for it. */
const BUFFERED_BYTES_MAX = 65_536;
const PING_MS = 15_000;

export function serveSockets(
  server: Server,
  { deps, guard }: { deps: Dependencies; guard: AuthGuard },
): { close(): void } {
  const sockets = createWebSockets({ frameBytesMax: FRAME_BYTES_MAX, announce: deps.announce });
  const clientTools = clientToolsSockets(deps);
  const duplex = duplexSockets(deps);
  const rooms = roomSockets(deps);
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Node has removed its listener; the error of a client that is gone must not end the daemon.
    socket.on('error', () => socket.destroy());
    try {
      const info = requestInfo(request);
      guard.checkOrigin(info);
      const url = URL.parse(request.url ?? '/', 'http://daybook');
      if (url === null) throw new HttpError(400, 'The URL cannot be read.');
      guard.authenticate(url.pathname.startsWith('/ws/') ? 'query-token' : 'bearer', info);
      if (clientTools.upgrade(url, request, { socket, head })) return;
      if (duplex.upgrade(url, request, { socket, head })) return;
      if (rooms.upgrade(url, request, { socket, head })) return;
      if (url.pathname !== '/v1/events/ws') throw new HttpError(404, 'Not found');
      const after = zCursor.safeParse(url.searchParams.get('after') ?? '0');
      if (!after.success) throw new HttpError(400, 'after must be a whole number from 0.');
      sockets.accept({ request, socket, head }, (client) => sendLog(deps, client, after.data));
    } catch (error) {
      refuseUpgrade(socket, error);
    }
  });
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => socket.destroy());
    try {
      const info = requestInfo(request);
      guard.checkOrigin(info);
      guard.authenticate('bearer', info);
      throw new HttpError(405, 'This daemon is no proxy: CONNECT is not allowed.');
    } catch (error) {
      refuseUpgrade(socket, error);
    }
  });
  return {
    close() {
      sockets.close();
      clientTools.close();
      duplex.close();
      rooms.close();
    },
  };
}

function sendLog({ subscriptions, announce }: Dependencies, client: WebSocket, after: number): undefined {
  const sent$ = new Subject<void>();
  const writes = subscriptions.events({ after, demand$: sent$ }).subscribe({
    next: ({ frames }) => sendAll(client, frames, () => sent$.next()),
    complete: () => client.close(1001, 'The daemon is going down.'),
    error: (error) => closeFaulty(client, error, announce),
  });
  const ping = setInterval(() => client.ping(), PING_MS).unref();
  client.on('error', () => client.terminate());
  client.on('close', () => {
    clearInterval(ping);
    writes.unsubscribe();
  });
}

/** `taken` is called when there is room for more: at once, or when the socket took the last frame. */
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
