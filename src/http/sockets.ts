/**
 * WebSocket handshakes: the same door as for requests, before a single frame. `/v1/events/ws` carries the log's
 * envelopes as text frames; what is not a socket of this build is refused with a status, never upgraded, and so is a
 * client that takes the daemon for a proxy.
 *
 * A reader that stops reading is cut off by the tail when it falls behind; frames wait for the socket, never in memory.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Config } from '../config.ts';
import type { Rooms } from '../live/room/rooms.ts';
import type { Clock } from '../ports/clock.ts';
import type { ToolDelegates } from '../ports/delegates.ts';
import type { IdGenerator } from '../ports/id-generator.ts';
import type { ModelsPort } from '../ports/models.ts';
import type { SpeechPort } from '../ports/speech.ts';
import type { ToolsPort } from '../ports/tools.ts';
import type { Views } from '../projections/views.ts';
import type { Tails } from '../streams/tails.ts';
import { clientToolsSockets } from './acp/client-tools-socket.ts';
import { roomSockets } from './room/socket.ts';
import { zCursor } from './server/cursor.ts';
import type { Door } from './server/door.ts';
import { HttpError } from './server/errors.ts';
import { knockOf, queryToken } from './server/server.ts';
import { closeSockets, refuse, socketServer } from './server/socket-server.ts';
import { duplexSockets } from './voice/duplex-socket.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  random(): number;
  readonly views: Views;
  readonly tails: Tails;
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
/** Bytes in a socket's buffer above which nothing more is read from the log for it. */
const BUFFERED_BYTES_MAX = 65_536;
const PING_MS = 15_000;
const DATA = '\ndata: ';

export function serveSockets(server: Server, { deps, door }: { deps: Dependencies; door: Door }): { close(): void } {
  const sockets = socketServer(FRAME_BYTES_MAX);
  const clientTools = clientToolsSockets(deps);
  const duplex = duplexSockets(deps);
  const rooms = roomSockets(deps);
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Node listens no more; a client that is gone before it is answered must not end the daemon.
    socket.on('error', () => socket.destroy());
    try {
      const knock = knockOf(request);
      door.admitOrigin(knock);
      const url = URL.parse(request.url ?? '/', 'http://daybook');
      if (url === null) throw new HttpError(400, 'The URL cannot be read.');
      if (url.pathname.startsWith('/ws/')) door.admit('query-token', knock, queryToken(request.url ?? '/'));
      else door.admit('bearer', knock);
      if (clientTools.upgrade(url, request, { socket, head })) return;
      if (duplex.upgrade(url, request, { socket, head })) return;
      if (rooms.upgrade(url, request, { socket, head })) return;
      if (url.pathname !== '/v1/events/ws') throw new HttpError(404, 'Not found');
      const after = zCursor.safeParse(url.searchParams.get('after') ?? '0');
      if (!after.success) throw new HttpError(400, 'after must be a whole number from 0.');
      sockets.handleUpgrade(request, socket, head, (client) => void pump(deps, client, after.data));
    } catch (error) {
      refuse(socket, error);
    }
  });
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => socket.destroy());
    try {
      const knock = knockOf(request);
      door.admitOrigin(knock);
      door.admit('bearer', knock);
      throw new HttpError(405, 'This daemon is no proxy: CONNECT is not allowed.');
    } catch (error) {
      refuse(socket, error);
    }
  });
  return {
    close() {
      closeSockets(sockets);
      clientTools.close();
      duplex.close();
      rooms.close();
    },
  };
}

async function pump(deps: Dependencies, client: WebSocket, after: number): Promise<void> {
  const reader = deps.tails.readLog({ after, cutOff: () => client.terminate() });
  client.on('close', () => reader.close());
  client.on('error', () => client.terminate());
  const ping = setInterval(() => client.ping(), PING_MS).unref();
  client.on('close', () => clearInterval(ping));
  for await (const chunk of reader) {
    if (chunk.kind === 'tick') continue;
    for (const { block } of chunk.frames) await sendText(client, block.slice(block.indexOf(DATA) + DATA.length));
  }
  client.close(1001, 'The daemon is going down.');
}

function sendText(client: WebSocket, text: string): Promise<void> | undefined {
  if (client.bufferedAmount < BUFFERED_BYTES_MAX) {
    client.send(text);
    return undefined;
  }
  return new Promise((resolve) => client.send(text, () => resolve()));
}
