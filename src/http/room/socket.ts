/**
 * `/ws/collab/{room_id}?token=&name=`, and `/ws/yjs/{room_id}?token=` with the protocol of `y-websocket`: an authorised
 * handshake becomes a peer of the room. Refusals are answered before the upgrade, except for a full room: that one is
 * an error frame or a close code.
 */
import type { IncomingMessage } from 'node:http';

import type { WebSocket } from 'ws';
import { sanitiseEcho } from '../../commands/refusal.ts';
import { binaryFrame, UPDATE } from '../../live/room/frames.ts';
import { peerColor, peerName, roomIdFault } from '../../live/room/names.ts';
import { type ConnectedPeer, closeWithError, createPeer } from '../../live/room/peer.ts';
import { PEERS_MAX, type Room } from '../../live/room/room.ts';
import type { Rooms } from '../../live/room/rooms.ts';
import { TEXT_BYTES_MAX } from '../../live/room/text.ts';
import { ownCodec, type RoomCodec, yWebsocketCodec } from '../../live/room/y-websocket.ts';
import type { Clock } from '../../ports/clock.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import { refuseUpgrade } from '../server/connections.ts';
import { errorReply, HttpError } from '../server/errors.ts';
import {
  closeOnError,
  createWebSockets,
  type Handshake,
  type MessageListener,
  pingUntilClosed,
  type WebSocketHandler,
} from '../server/websocket-server.ts';

export interface RoomSocketDependencies {
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly rooms: Rooms;
  announce(line: string): void;
}

const PATH = /^\/ws\/(collab|yjs)\/([^/]+)$/;
const CODECS: Readonly<Record<string, RoomCodec>> = { collab: ownCodec, yjs: yWebsocketCodec };
const KEY = /^[+/0-9A-Za-z]{22}==$/;
/** Enough for a whole text and unsent updates: a new peer asks every other one for the updates that it lacks. */
export const FRAME_BYTES_MAX = 2 * TEXT_BYTES_MAX;

/** An update without content, by which a client knows that its connection lives. */
const NOTHING_NEW = binaryFrame(UPDATE, Uint8Array.of(0, 0));

export function roomSockets(deps: RoomSocketDependencies): WebSocketHandler {
  const sockets = createWebSockets({ frameBytesMax: FRAME_BYTES_MAX, announce: deps.announce });
  /** Peers with unprocessed frames, also after their connections were closed. */
  const peers = new Set<ConnectedPeer>();
  let isClosing = false;

  async function admit(
    id: string,
    { name, codec }: { readonly name: string; readonly codec: RoomCodec },
    handshake: Handshake,
  ): Promise<void> {
    const room = await deps.rooms.acquire(id);
    let isPeer = false;
    if (isClosing) refuseUpgrade(handshake.socket, new HttpError(503, 'The daemon is going down.'));
    else {
      // The callback runs synchronously, or never when the client is gone.
      sockets.accept(handshake, (client) => {
        const peer = peerOf(deps, room, { client, name, codec, peers });
        isPeer = peer !== null;
        return peer === null ? undefined : enter(deps, room, { client, peer, codec });
      });
    }
    if (!isPeer) deps.rooms.release(id);
  }

  return {
    upgrade(url, handshake) {
      const [, protocol, encoded] = PATH.exec(url.pathname) ?? [];
      if (protocol === undefined || encoded === undefined) return false;
      const codec = CODECS[protocol]!;
      const id = decoded(encoded);
      const fault = roomIdFault(id);
      if (fault !== null) throw new HttpError(400, `Invalid path: room_id: ${fault}`);
      if (!isWebSocketHandshake(handshake.request)) {
        sockets.accept(handshake, (client) => void client.terminate());
        return true;
      }
      const name = peerName(url.searchParams.get('name'));
      admit(id, { name, codec }, handshake).catch((error) => {
        const { internal } = errorReply(error);
        if (internal !== null) deps.announce(`error: ${internal}`);
        refuseUpgrade(handshake.socket, error);
      });
      return true;
    },
    close() {
      isClosing = true;
      for (const peer of peers) peer.flush();
      sockets.close();
    },
  };
}

/** Repeats the checks of `ws`, so that no room is created for an invalid handshake. */
function isWebSocketHandshake({ method, headers }: IncomingMessage): boolean {
  const isWebSocket = method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
  return isWebSocket && headers['sec-websocket-version'] === '13' && KEY.test(headers['sec-websocket-key'] ?? '');
}

/** Makes the client a peer, which leaves the room when its connection ends. Returns null for a full room. */
function peerOf(
  { rooms, clock, ids }: RoomSocketDependencies,
  room: Room,
  { client, name, codec, peers }: { client: WebSocket; name: string; codec: RoomCodec; peers: Set<ConnectedPeer> },
): ConnectedPeer | null {
  if (room.peers.size >= PEERS_MAX) {
    closeWithError(client, codec, { code: 1013, message: `The room is full: it has ${PEERS_MAX} peers.` });
    return null;
  }
  const peer = createPeer(client, {
    id: ids.hex(8),
    name,
    color: peerColor(room.entered),
    now: () => clock.now(),
    protocol: codec,
  });
  peers.add(peer);
  peer.onEnd(() => {
    peers.delete(peer);
    room.leave(peer);
    rooms.release(room.id);
  });
  return peer;
}

function enter(
  { clock, announce }: RoomSocketDependencies,
  room: Room,
  { client, peer, codec }: { client: WebSocket; peer: ConnectedPeer; codec: RoomCodec },
): MessageListener {
  let isReported = false;
  const receive = (frame: Buffer, isBinary: boolean): void => {
    peer.lastActive = clock.now();
    const fault = codec.receive(frame, { room, peer, isBinary });
    if (fault === null || isReported) return;
    isReported = true;
    announce(`Room ${sanitiseEcho(room.id)}: a peer sent ${fault}; it is passed on all the same.`);
  };
  pingUntilClosed(
    client,
    () => undefined,
    () => peer.send(NOTHING_NEW),
  );
  room.enter(peer);
  return (frame, isBinary) => {
    if (client.readyState !== client.OPEN) return;
    // Frames above the rate limit wait for a later second.
    peer.take(frame.length, () => closeOnError(client, announce, () => receive(frame, isBinary)));
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new HttpError(400, 'The URL cannot be read.');
  }
}
