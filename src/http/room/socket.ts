/**
 * `/ws/collab/{room_id}?token=&name=`, and `/ws/yjs/{room_id}?token=` with the protocol of `y-websocket`: an authorised
 * handshake becomes a peer of the room. Refusals are answered before the upgrade, except for a full room: that one is
 * an error frame or a close code.
 */
import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import { sanitiseEcho } from '../../commands/refusal.ts';
import { binaryFrame, UPDATE, zTextFrame } from '../../live/room/frames.ts';
import { peerColor, peerName, roomIdFault } from '../../live/room/names.ts';
import { type ConnectedPeer, closeWithError, createPeer } from '../../live/room/peer.ts';
import { PEERS_MAX, type Room } from '../../live/room/room.ts';
import type { Rooms } from '../../live/room/rooms.ts';
import { TEXT_BYTES_MAX } from '../../live/room/text.ts';
import { ownCodec, type RoomCodec, yWebsocketCodec } from '../../live/room/y-websocket.ts';
import type { Clock } from '../../ports/clock.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import { HttpError } from '../server/errors.ts';
import type { SocketSpec } from '../server/sockets.ts';
import { closeOnError, type MessageListener, pingUntilClosed } from '../server/websocket-server.ts';

export interface Dependencies {
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly rooms: Rooms;
  announce(line: string): void;
}

const KEY = /^[+/0-9A-Za-z]{22}==$/;
/** Enough for a whole text and unsent updates: a new peer asks every other one for the updates that it lacks. */
export const FRAME_BYTES_MAX = 2 * TEXT_BYTES_MAX;

/** An update without content, by which a client knows that its connection lives. */
const NOTHING_NEW = binaryFrame(UPDATE, Uint8Array.of(0, 0));

const zQuery = z.object({ name: z.string().optional().describe('Shown to the others.') });
const OWN_BYTES =
  'A tag byte, then bytes of Yjs v1: 0 a state vector, 1 what it lacks, 2 an update. Others are passed on.';
const Y_WEBSOCKET_BYTES = 'A message of y-websocket: a varint type, then sync or awareness.';

export function roomSockets(deps: Dependencies): readonly SocketSpec[] {
  const shared = { tag: 'rooms', auth: 'query-token', query: zQuery, frameBytesMax: FRAME_BYTES_MAX } as const;
  const openingWith = createOpening(deps);
  return [
    {
      ...shared,
      operation: 'join',
      path: '/ws/collab/{room_id}',
      summary: 'A peer of a room: updates of the shared texts, and who is there.',
      params: { room_id: 'Of 1 to 200 bytes; a room that does not exist is created.' },
      toClient: { text: zTextFrame, binary: OWN_BYTES },
      fromClient: { text: zTextFrame, binary: OWN_BYTES },
      ...openingWith(ownCodec),
    },
    {
      ...shared,
      operation: 'sync',
      path: '/ws/yjs/{room_id}',
      summary: 'A peer of the same room with the y-websocket protocol, as the stock provider speaks it.',
      params: { room_id: 'As for `/ws/collab/{room_id}`.' },
      toClient: { binary: Y_WEBSOCKET_BYTES },
      fromClient: { binary: Y_WEBSOCKET_BYTES },
      ...openingWith(yWebsocketCodec),
    },
  ];
}

function createOpening(deps: Dependencies) {
  /** Peers with unprocessed frames, also after their connections were closed. */
  const peers = new Set<ConnectedPeer>();
  let isClosing = false;
  return (codec: RoomCodec): Pick<SocketSpec, 'open' | 'onClose'> => ({
    async open({ request, params, query, accept }) {
      const id = params.room_id!;
      const fault = roomIdFault(id);
      if (fault !== null) throw new HttpError(400, `Invalid path: room_id: ${fault}`);
      if (!isWebSocketHandshake(request)) return accept((client) => void client.terminate());
      const name = peerName(query.get('name'));
      const room = await deps.rooms.acquire(id);
      let isPeer = false;
      try {
        if (isClosing) throw new HttpError(503, 'The daemon is going down.');
        // The callback runs synchronously, or never when the client is gone.
        accept((client) => {
          const peer = peerOf(deps, room, { client, name, codec, peers });
          isPeer = peer !== null;
          return peer === null ? undefined : enter(deps, room, { client, peer, codec });
        });
      } finally {
        if (!isPeer) deps.rooms.release(id);
      }
    },
    onClose() {
      isClosing = true;
      for (const peer of peers) peer.flush();
    },
  });
}

/** Repeats the checks of `ws`, so that no room is created for an invalid handshake. */
function isWebSocketHandshake({ method, headers }: IncomingMessage): boolean {
  const isWebSocket = method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
  return isWebSocket && headers['sec-websocket-version'] === '13' && KEY.test(headers['sec-websocket-key'] ?? '');
}

/** Makes the client a peer, which leaves the room when its connection ends. Returns null for a full room. */
function peerOf(
  { rooms, clock, ids }: Dependencies,
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
  { clock, announce }: Dependencies,
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
