/** How a peer speaks: its messages become frames of the room, and frames of the room its messages. */
import type { Peer } from './peer.ts';
import type { FrameFault, Room } from './room.ts';

export interface RoomCodec {
  readonly hasAwareness: boolean;
  /** The message for a frame of the room; null when the protocol has none. */
  frame(frame: string | Uint8Array): string | Uint8Array | null;
  /** The message for an update of the awareness protocol; null when the protocol has none. */
  awareness(update: Uint8Array): Uint8Array | null;
  /** Close code and reason for a client that is refused; it gets them after an error frame, if there is one. */
  closeCode(code: RefusalCode): number;
  /** Handles a message of the peer. */
  receive(message: Buffer, to: { readonly room: Room; readonly peer: Peer; readonly isBinary: boolean }): FrameFault;
}

/** Close codes of a room: harmful updates, a text that is too long, a room without a free place. */
export type RefusalCode = 1008 | 1009 | 1013;

/** The frames of a room as they are: see `frames.ts`. */
export const ownCodec: RoomCodec = {
  hasAwareness: false,
  frame: (frame) => frame,
  awareness: () => null,
  closeCode: (code) => code,
  receive: (message, { room, peer, isBinary }) =>
    isBinary ? room.receiveBytes(peer, message) : room.receiveText(peer, message.toString()),
};
