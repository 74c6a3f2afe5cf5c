/**
 * `/ws/collab/{room_id}?token=&name=`, and `/ws/yjs/{room_id}?token=` with the protocol of `y-websocket`: an authorised
 * handshake becomes a peer of the room. Refusals are answered before the upgrade, except for a full room: that one is
 * an error frame or a close code.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import { sanitiseEcho } from '../../commands/refusal.ts';
import { ownCodec, type RoomCodec } from '../../live/room/codec.ts';
import { peerColor, peerName, roomIdFault } from '../../live/room/names.ts';
import { type ConnectedPeer, closeWithError, createPeer, keepAlive } from '../../live/room/peer.ts';
import { PEERS_MAX, type Room } from '../../live/room/room.ts';
import type { Rooms } from '../../live/room/rooms.ts';
import { TEXT_BYTES_MAX } from '../../live/room/text.ts';
import { yWebsocketCodec } from '../../live/room/y-websocket.ts';
import type { Clock } from '../../ports/clock.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import { refuseUpgrade } from '../server/connections.ts';
import { errorReply, HttpError } from '../server/errors.ts';
import { closeWebSockets, createWebSocketServer } from '../server/websocket-server.ts';

interface Dependencies {
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly rooms: Rooms;
  announce(line: string): void;
}

const PATH = /^\/ws\/(collab|yjs)\/([^/]+)$/;
const CODECS: Readonly<Record<string, RoomCodec>> = { collab: ownCodec, yjs: yWebsocketCodec };
const KEY = /^[+/0-9A-Za-z]{22}==$/;
/** A whole text and unsent updates: a new peer asks every other one for the updates that it lacks. */
export const FRAME_BYTES_MAX = 2 * TEXT_BYTES_MAX;

export interface RoomSockets {
  /** Handles the authorised handshake; false when its path is another one. Throws `HttpError` for a bad one. */
  upgrade(url: URL, request: IncomingMessage, connection: { socket: Duplex; head: Buffer }): boolean;
  close(): void;
}

export function roomSockets(deps: Dependencies): RoomSockets {
  const sockets = createWebSocketServer(FRAME_BYTES_MAX);
  /** Those whose frames are not all worked off, also after their connections were closed. */
  const peers = new Set<ConnectedPeer>();
  let isClosing = false;

  async function admit(
    id: string,
    { name, codec }: { readonly name: string; readonly codec: RoomCodec },
    { request, socket, head }: { request: IncomingMessage; socket: Duplex; head: Buffer },
  ): Promise<void> {
    const room = await deps.rooms.acquire(id);
    let hasEntered = false;
    if (isClosing) refuseUpgrade(socket, new HttpError(503, 'The daemon is going down.'));
    else {
      // The callback runs synchronously, or never when the client is gone.
      sockets.handleUpgrade(request, socket, head, (client) => {
        hasEntered = enter(deps, room, { client, name, codec, peers });
      });
    }
    if (!hasEntered) deps.rooms.release(id);
  }

  return {
    upgrade(url, request, { socket, head }) {
      const [, protocol, encoded] = PATH.exec(url.pathname) ?? [];
      if (protocol === undefined || encoded === undefined) return false;
      const codec = CODECS[protocol]!;
      const id = decoded(encoded);
      const fault = roomIdFault(id);
      if (fault !== null) throw new HttpError(400, `Invalid path: room_id: ${fault}`);
      if (!isWebSocketHandshake(request)) {
        sockets.handleUpgrade(request, socket, head, (client) => client.terminate());
        return true;
      }
      const name = peerName(url.searchParams.get('name'));
      admit(id, { name, codec }, { request, socket, head }).catch((error) => {
        const { internal } = errorReply(error);
        if (internal !== null) deps.announce(`error: ${internal}`);
        refuseUpgrade(socket, error);
      });
      return true;
    },
    close() {
      isClosing = true;
      for (const peer of peers) peer.flush();
      closeWebSockets(sockets);
    },
  };
}

/** Repeats checks of `ws`, so that they come before a room is created for the handshake. */
function isWebSocketHandshake({ method, headers }: IncomingMessage): boolean {
  const isWebSocket = method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
  return isWebSocket && headers['sec-websocket-version'] === '13' && KEY.test(headers['sec-websocket-key'] ?? '');
}

/** Whether the client has entered the room; it leaves when its connection ends. */
function enter(
  { rooms, clock, ids, announce }: Dependencies,
  room: Room,
  { client, name, codec, peers }: { client: WebSocket; name: string; codec: RoomCodec; peers: Set<ConnectedPeer> },
): boolean {
  // `ws` closes the connection itself, with a code for a protocol violation.
  client.on('error', () => undefined);
  if (room.peers.size >= PEERS_MAX) {
    closeWithError(client, codec, { code: 1013, message: `The room is full: it has ${PEERS_MAX} peers.` });
    return false;
  }
  const peer = createPeer(client, { id: ids.hex(8), name, color: peerColor(room.entered), now: clock.now, codec });
  let isReported = false;
  keepAlive(client);
  const receive = (frame: Buffer, isBinary: boolean): void => {
    peer.lastActive = clock.now();
    const fault = codec.receive(frame, { room, peer, isBinary });
    if (fault === null || isReported) return;
    isReported = true;
    announce(`Room ${sanitiseEcho(room.id)}: a peer sent ${fault}; it is passed on all the same.`);
  };
  client.on('message', (data: RawData, isBinary: boolean) => {
    if (client.readyState !== client.OPEN) return;
    const frame = data as Buffer;
    peer.take(frame.length, () => receive(frame, isBinary));
  });
  peer.onEnd(() => {
    peers.delete(peer);
    room.leave(peer);
    rooms.release(room.id);
  });
  peers.add(peer);
  room.enter(peer);
  return true;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new HttpError(400, 'The URL cannot be read.');
  }
}
