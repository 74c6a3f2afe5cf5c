/**
 * A room that somebody is in: who they are, and what becomes of each frame. Frames go to everybody else, never back to
 * who sent them; in one room all see what the daemon saw, in the same order.
 */
import { binaryFrame, readTextFrame, STEP_1, STEP_2, textFrame, UPDATE } from './frames.ts';
import { cardOf, type Peer } from './peer.ts';
import { type RoomText, TEXT_BYTES_MAX } from './text.ts';

export const PEERS_MAX = 20;
/** Updates that no text can take cost a restore each; nobody sends so many by accident. */
export const HARMS_MAX = 8;
const FULL = `This text is full: it has ${TEXT_BYTES_MAX / 1_048_576} MiB at most. The last change was not kept.`;

/** Why a frame was not what it should be, for the daemon’s own log; null when it was. */
export type Complaint = string | null;

export interface Room {
  readonly id: string;
  readonly text: RoomText;
  readonly peers: ReadonlySet<Peer>;
  /** How many ever entered while it was open. */
  readonly entered: number;
  enter(peer: Peer): void;
  leave(peer: Peer): void;
  receiveBytes(peer: Peer, frame: Uint8Array): Complaint;
  receiveText(peer: Peer, frame: string): void;
  /** To everybody. */
  tell(message: string): void;
}

export function createRoom(id: string, text: RoomText): Room {
  const peers = new Set<Peer>();
  let entered = 0;

  function toOthers(peer: Peer, frame: string | Uint8Array): void {
    for (const other of peers) if (other !== peer) other.send(frame);
  }

  /** What the text makes of an update; `refused` when the frame goes no further. */
  function take(peer: Peer, tag: number, update: Uint8Array): Complaint | 'refused' {
    const applied = text.apply(update);
    switch (applied.kind) {
      case 'applied':
        // What builds on something that is not here was left out. Asked once: the answer may be no better.
        if (!applied.isWhole && tag === UPDATE) peer.send(binaryFrame(STEP_1, text.vector()));
        return null;
      case 'unreadable':
        return 'an update that cannot be read';
      case 'harmful':
        peer.harms += 1;
        if (peer.harms < HARMS_MAX) return 'an update that no text can take';
        peer.dismiss(1008, 'Too many of these updates cannot be applied.');
        return 'refused';
      case 'full':
        peer.dismiss(1009, FULL);
        return 'refused';
    }
  }

  function answer(peer: Peer, vector: Uint8Array): Complaint {
    const missing = text.missing(vector);
    if (missing === null) return 'a state vector that cannot be read';
    peer.charge(missing.length);
    peer.send(binaryFrame(STEP_2, missing));
    return null;
  }

  return {
    id,
    text,
    peers,
    get entered() {
      return entered;
    },
    enter(peer) {
      entered += 1;
      peers.add(peer);
      peer.send(textFrame({ type: 'welcome', room_id: id, peer_id: peer.id, peers: [...peers].map(cardOf) }));
      peer.send(binaryFrame(STEP_1, text.vector()));
      toOthers(peer, textFrame({ type: 'peer_joined', peer: cardOf(peer) }));
    },
    leave(peer) {
      if (peers.delete(peer)) toOthers(peer, textFrame({ type: 'peer_left', peer_id: peer.id }));
    },
    receiveBytes(peer, frame) {
      const rest = frame.subarray(1);
      const tag = frame[0];
      let complaint: Complaint | 'refused' = 'a frame that is no sync message';
      if (tag === STEP_1) complaint = answer(peer, rest);
      else if (tag === STEP_2 || tag === UPDATE) complaint = take(peer, tag, rest);
      if (complaint === 'refused') return null;
      toOthers(peer, frame);
      return complaint;
    },
    receiveText(peer, frame) {
      const read = readTextFrame(frame);
      if (read === null) return;
      if (read.type === 'awareness' && read.peer_id === peer.id) peer.cursor = read.cursor;
      toOthers(peer, frame);
    },
    tell(message) {
      for (const peer of peers) peer.send(textFrame({ type: 'error', message }));
    },
  };
}
