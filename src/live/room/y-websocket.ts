/**
 * The protocol of the stock provider `y-websocket`: each message is binary and begins with its type. Texts have the
 * same three messages as the frames of a room, behind a type and a length.
 */
import { VarintReader, varints } from '../../lib/varints.ts';
import { binaryFrame, STEP_1, STEP_2, UPDATE } from './frames.ts';
import type { Peer, PeerProtocol, RefusalCode } from './peer.ts';
import type { FrameFault, Room } from './room.ts';

const SYNC = 0;
const AWARENESS = 1;
const QUERY_AWARENESS = 3;

/** The stock provider reconnects after every close, except with a code from 4400 to 4499. */
const CLOSE_CODES: Readonly<Record<RefusalCode, number>> = { 1008: 4400, 1009: 4413, 1013: 1013 };
const UNREADABLE = 'a message that is none of y-websocket';

export const yWebsocketCodec: RoomCodec = {
  hasAwareness: true,
  frame(frame) {
    const tag = frame[0];
    const isSync = tag === STEP_1 || tag === STEP_2 || tag === UPDATE;
    return typeof frame === 'string' || !isSync ? null : varints(SYNC, tag, frame.subarray(1));
  },
  awareness: (update) => varints(AWARENESS, update),
  closeCode: (code) => CLOSE_CODES[code],
  receive(message, { room, peer, isBinary }) {
    if (!isBinary) return UNREADABLE;
    try {
      const reader = new VarintReader(message);
      switch (reader.number()) {
        case SYNC: {
          const tag = reader.number();
          if (tag !== STEP_1 && tag !== STEP_2 && tag !== UPDATE) return UNREADABLE;
          return room.receiveBytes(peer, binaryFrame(tag, reader.bytes()));
        }
        case AWARENESS:
          return room.receiveAwareness(peer, reader.bytes());
        case QUERY_AWARENESS:
          room.sendAwareness(peer);
          return null;
        default:
          return UNREADABLE;
      }
    } catch (error) {
      if (error instanceof RangeError) return UNREADABLE;
      throw error;
    }
  },
};

export interface RoomCodec extends PeerProtocol {
  /** Handles a message of the peer. */
  receive(message: Buffer, to: { readonly room: Room; readonly peer: Peer; readonly isBinary: boolean }): FrameFault;
}

/** The room's own protocol, whose messages are the frames of `frames.ts`. */
export const ownCodec: RoomCodec = {
  hasAwareness: false,
  frame: (frame) => frame,
  awareness: () => null,
  closeCode: (code) => code,
  receive: (message, { room, peer, isBinary }) =>
    isBinary ? room.receiveBytes(peer, message) : room.receiveText(peer, message.toString()),
};
