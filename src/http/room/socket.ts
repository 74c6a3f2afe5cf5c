/**
 * `/ws/collab/{room_id}?token=&name=`: the handshake the door let in becomes somebody in the room. Refusals are answered
 * before the upgrade; only who comes to a full room is told so in a frame.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import { sanitiseEcho } from '../../commands/refusal.ts';
import { peerColor, peerName, roomIdFault } from '../../live/room/names.ts';
import { createPeer, dismiss, keepAlive } from '../../live/room/peer.ts';
import { PEERS_MAX, type Room } from '../../live/room/room.ts';
import type { Rooms } from '../../live/room/rooms.ts';
import { TEXT_BYTES_MAX } from '../../live/room/text.ts';
import type { Clock } from '../../ports/clock.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import { HttpError, outgoing } from '../server/errors.ts';
import { closeSockets, refuse, socketServer } from '../server/socket-server.ts';

interface Dependencies {
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly rooms: Rooms;
  announce(line: string): void;
}

const PATH = /^\/ws\/collab\/([^/]+)$/;
const KEY = /^[+/0-9A-Za-z]{22}==$/;
/** A whole text and what its writer has not sent yet: whoever comes asks every peer for what it lacks. */
export const FRAME_BYTES_MAX = 2 * TEXT_BYTES_MAX;

export interface RoomSockets {
  /** Takes the handshake when it is one of these; the caller has let it in. Throws `HttpError` for a bad one. */
  upgrade(url: URL, request: IncomingMessage, connection: { socket: Duplex; head: Buffer }): boolean;
  close(): void;
}

export function roomSockets(deps: Dependencies): RoomSockets {
  const sockets = socketServer(FRAME_BYTES_MAX);
  let isClosing = false;

  async function seat(
    id: string,
    name: string,
    { request, socket, head }: { request: IncomingMessage; socket: Duplex; head: Buffer },
  ): Promise<void> {
    const room = await deps.rooms.hold(id);
    let isIn = false;
    if (isClosing) refuse(socket, new HttpError(503, 'The daemon is going down.'));
    else {
      // Called at once, or never: the client may be gone.
      sockets.handleUpgrade(request, socket, head, (client) => {
        isIn = sit(deps, room, { client, name });
      });
    }
    if (!isIn) deps.rooms.release(id);
  }

  return {
    upgrade(url, request, { socket, head }) {
      const encoded = PATH.exec(url.pathname)?.[1];
      if (encoded === undefined) return false;
      const id = decoded(encoded);
      const fault = roomIdFault(id);
      if (fault !== null) throw new HttpError(400, `Invalid path: room_id: ${fault}`);
      if (!isSound(request)) {
        sockets.handleUpgrade(request, socket, head, (client) => client.terminate());
        return true;
      }
      const name = peerName(url.searchParams.get('name'));
      seat(id, name, { request, socket, head }).catch((error) => {
        const { internal } = outgoing(error);
        if (internal !== null) deps.announce(`error: ${internal}`);
        refuse(socket, error);
      });
      return true;
    },
    close() {
      isClosing = true;
      closeSockets(sockets);
    },
  };
}

/** What no handshake does without: one that lacks it makes no room, it goes where it is refused. */
function isSound({ method, headers }: IncomingMessage): boolean {
  const isWebSocket = method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
  return isWebSocket && headers['sec-websocket-version'] === '13' && KEY.test(headers['sec-websocket-key'] ?? '');
}

/** Whether the client is in the room now, and will be until its connection ends. */
function sit(
  { rooms, clock, ids, announce }: Dependencies,
  room: Room,
  of: { client: WebSocket; name: string },
): boolean {
  const { client, name } = of;
  // A connection that breaks is closed by that alone, one that breaks a rule with the code for it.
  client.on('error', () => undefined);
  if (room.peers.size >= PEERS_MAX) {
    dismiss(client, 1013, `The room is full: it has ${PEERS_MAX} peers.`);
    return false;
  }
  const person = { id: ids.hex(8), name, color: peerColor(room.entered), now: clock.now };
  const peer = createPeer(client, person);
  let hasComplained = false;
  keepAlive(client);
  client.on('message', (data: RawData, isBinary: boolean) => {
    if (client.readyState !== client.OPEN) return;
    const frame = data as Buffer;
    peer.charge(frame.length);
    peer.lastActive = clock.now();
    if (!isBinary) return room.receiveText(peer, frame.toString());
    const complaint = room.receiveBytes(peer, frame);
    if (complaint === null || hasComplained) return;
    hasComplained = true;
    announce(`Room ${sanitiseEcho(room.id)}: a peer sent ${complaint}; it is passed on all the same.`);
  });
  client.on('close', () => {
    room.leave(peer);
    rooms.release(room.id);
  });
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
