/**
 * A room with its peers, and the handling of each frame. A frame goes to all other peers, never back to its sender; all
 * peers of a room see the frames in the order in which the daemon received them.
 */
import { z } from 'zod';
import { Awareness, RENEW_MS } from './awareness.ts';
import { binaryFrame, readTextFrame, STEP_1, STEP_2, textFrame, UPDATE, zCursor } from './frames.ts';
import { peerName } from './names.ts';
import { type Peer, peerCard } from './peer.ts';
import { type RoomText, TEXT_BYTES_MAX } from './text.ts';

export const PEERS_MAX = 20;
/** Each update that cannot be applied costs a restore of the text. A peer that sends this many is disconnected. */
export const HARMFUL_UPDATES_MAX = 8;
const FULL = `This text is full: it has ${TEXT_BYTES_MAX / 1_048_576} MiB at most. The last change was not kept.`;

/** The part of an awareness state that peers of the room's own protocol understand. */
const zState = z.object({
  user: z.object({ name: z.string() }).optional().catch(undefined),
  cursor: zCursor.nullable().catch(null),
});

/** The fault of a frame, for the daemon’s own log; null for a valid frame. */
export type FrameFault = string | null;

export class Room {
  readonly id: string;
  readonly text: RoomText;
  readonly #peers = new Set<Peer>();
  readonly #awareness = new Awareness();
  /** The timer that runs while the room has a peer with awareness. */
  #renewal: NodeJS.Timeout | null = null;
  #entered = 0;

  constructor(id: string, text: RoomText) {
    this.id = id;
    this.text = text;
  }

  get peers(): ReadonlySet<Peer> {
    return this.#peers;
  }

  /** The number of peers that have entered since the room was loaded. */
  get entered(): number {
    return this.#entered;
  }

  enter(peer: Peer): void {
    this.#entered += 1;
    this.#peers.add(peer);
    const peers = [...this.#peers].map(peerCard);
    peer.send(textFrame({ type: 'welcome', room_id: this.id, peer_id: peer.id, peers }));
    peer.send(binaryFrame(STEP_1, this.text.vector()));
    this.#sendToOthers(peer, textFrame({ type: 'peer_joined', peer: peerCard(peer) }));
    if (peer.hasAwareness) this.#renewal ??= setInterval(() => this.#showAll(), RENEW_MS).unref();
    this.#showAll();
    this.sendAwareness(peer);
  }

  leave(peer: Peer): void {
    if (!this.#peers.delete(peer)) return;
    this.#sendToOthers(peer, textFrame({ type: 'peer_left', peer_id: peer.id }));
    this.#sendAwarenessUpdate(this.#awareness.leave(peer.id));
    if (this.#renewal === null || [...this.#peers].some(({ hasAwareness }) => hasAwareness)) return;
    clearInterval(this.#renewal);
    this.#renewal = null;
  }

  /** Sends a peer the awareness states of all peers. */
  sendAwareness(peer: Peer): void {
    const everybody = this.#awareness.everybody();
    if (everybody !== null) peer.sendAwareness(everybody);
  }

  /** New states are also sent to their sender, because the stock provider closes a connection without messages. */
  receiveAwareness(peer: Peer, update: Uint8Array): FrameFault {
    const change = this.#awareness.receive(peer.id, update);
    if (change === null) return 'an awareness update that cannot be read';
    this.#sendAwarenessUpdate(change.update);
    const state = zState.safeParse(change.states.at(-1)).data;
    if (state?.user !== undefined) peer.name = peerName(state.user.name);
    const cursor = state?.cursor ?? null;
    if (change.update === null || JSON.stringify(cursor) === JSON.stringify(peer.cursor)) return null;
    peer.cursor = cursor;
    this.#sendToOthers(peer, textFrame({ type: 'awareness', peer_id: peer.id, cursor, timestamp: peer.lastActive }));
    return null;
  }

  receiveBytes(peer: Peer, frame: Uint8Array): FrameFault {
    const rest = frame.subarray(1);
    const tag = frame[0];
    let fault: FrameFault | 'refused' = 'a frame that is no sync message';
    if (tag === STEP_1) fault = this.#sendMissing(peer, rest);
    else if (tag === STEP_2 || tag === UPDATE) fault = this.#applyUpdate(peer, tag, rest);
    if (fault === 'refused') return null;
    if (fault === null) this.#sendToOthers(peer, frame);
    else this.#sendToOthersOfOwnProtocol(peer, frame);
    return fault;
  }

  /** A text that is not a frame of a room is dropped; that is not a fault. */
  receiveText(peer: Peer, frame: string): FrameFault {
    const parsed = readTextFrame(frame);
    if (parsed === null) return null;
    if (parsed.type === 'awareness' && parsed.peer_id === peer.id) {
      peer.cursor = parsed.cursor;
      this.#show(peer);
    }
    this.#sendToOthers(peer, frame);
    return null;
  }

  /** Applies an update that a peer of another daemon wrote. */
  receiveRecorded(update: Uint8Array): void {
    const news = this.text.learn(update);
    if (news === null) return;
    const frame = binaryFrame(UPDATE, news);
    for (const peer of this.#peers) peer.send(frame);
  }

  /** Sends an error frame to every peer. */
  sendError(message: string): void {
    for (const peer of this.#peers) peer.send(textFrame({ type: 'error', message }));
  }

  #sendToOthers(peer: Peer, frame: string | Uint8Array): void {
    for (const other of this.#peers) if (other !== peer) other.send(frame);
  }

  /**
   * Unreadable frames are passed on to peers of the room's own protocol, but not to editors that do not expect them.
   */
  #sendToOthersOfOwnProtocol(peer: Peer, frame: Uint8Array): void {
    for (const other of this.#peers) if (other !== peer && !other.hasAwareness) other.send(frame);
  }

  #sendAwarenessUpdate(update: Uint8Array | null): void {
    if (update !== null) for (const peer of this.#peers) peer.sendAwareness(update);
  }

  #showAll(): void {
    for (const peer of this.#peers) this.#show(peer);
  }

  /** Shows a peer of the room's own protocol to those with awareness, if there are any. */
  #show({ id, name, color, cursor, hasAwareness }: Peer): void {
    if (this.#renewal === null || hasAwareness) return;
    this.#sendAwarenessUpdate(this.#awareness.set(id, { user: { name, color }, cursor }));
  }

  /** Applies an update to the text. Returns `refused` when the frame must not be passed on. */
  #applyUpdate(peer: Peer, tag: number, update: Uint8Array): FrameFault | 'refused' {
    const applied = this.text.apply(update);
    switch (applied.kind) {
      case 'applied':
        if (applied.pendingBytes === 0) return null;
        // Keeping a pending part costs as much as all pending parts have bytes.
        peer.countBytes(applied.pendingBytes);
        // The update depends on a missing one. Only an UPDATE requests it, because an answer may lack it, too.
        if (tag === UPDATE) peer.send(binaryFrame(STEP_1, this.text.vector()));
        return null;
      case 'unreadable':
        return 'an update that cannot be read';
      case 'harmful':
        peer.harmfulUpdates += 1;
        if (peer.harmfulUpdates < HARMFUL_UPDATES_MAX) return 'an update that no text can take';
        peer.closeWithError(1008, 'Too many of these updates cannot be applied.');
        return 'refused';
      case 'full':
        peer.closeWithError(1009, FULL);
        return 'refused';
    }
  }

  #sendMissing(peer: Peer, vector: Uint8Array): FrameFault {
    const missing = this.text.missing(vector);
    if (missing === null) return 'a state vector that cannot be read';
    peer.countBytes(missing.length);
    peer.send(binaryFrame(STEP_2, missing));
    return null;
  }
}
