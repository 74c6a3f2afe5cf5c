/** Translates between the messages of a peer's protocol and the frames of the room. */
import type { Peer, PeerProtocol } from './peer.ts';
import type { FrameFault, Room } from './room.ts';

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
