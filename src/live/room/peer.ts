/**
 * One connection to a room: sends frames to it, and limits the rate of frames from it.
 *
 * - A peer that does not read is disconnected when its socket buffers more than 256 frames or 32 MiB. It gets the
 *   missed updates when it connects again.
 * - A peer that sends or requests too much is not read until the second is over. Frames that were already read, many of
 *   which may arrive in one write, are processed in the next seconds, in order and in turn with those of other peers;
 *   no frame is lost, even if the peer leaves.
 */
import type { Unsubscribable } from 'rxjs';
import type { z } from 'zod';
import { fairTurn$ } from '../../streams/fair-turns.ts';
import { isSentAsText, type PeerCard, textFrame, type zCursor } from './frames.ts';

export const FRAMES_BEHIND_MAX = 256;
/** A peer that enters a full room may get the whole text from every other peer; only the longest texts exceed this. */
export const BYTES_BEHIND_MAX = 33_554_432;
export const FRAMES_PER_SECOND_MAX = 500;
export const BYTES_PER_SECOND_MAX = 4_194_304;
const SECOND_MS = 1_000;

/** Close codes of a room: harmful updates, a text that is too long, a full room. */
export type RefusalCode = 1008 | 1009 | 1013;

/** Translates frames of a room into messages for a peer. */
export interface PeerProtocol {
  readonly hasAwareness: boolean;
  /** The message for a frame of the room; null when the protocol has none. */
  frame(frame: string | Uint8Array): string | Uint8Array | null;
  /** The message for an update of the awareness protocol; null when the protocol has none. */
  awareness(update: Uint8Array): Uint8Array | null;
  /** The close code for a refused client, sent after the error frame if the protocol has one. */
  closeCode(code: RefusalCode): number;
}

/** The part of a WebSocket that a peer uses. */
export interface PeerSocket {
  readonly OPEN: number;
  readonly readyState: number;
  /** Bytes that are sent but have not left the process. */
  readonly bufferedAmount: number;
  send(message: string | Uint8Array, options: { readonly binary: boolean }, sent?: () => void): void;
  close(code: number, reason: string): void;
  terminate(): void;
  pause(): void;
  resume(): void;
  on(event: 'close', listener: () => void): unknown;
}

export interface Peer {
  readonly id: string;
  name: string;
  readonly color: string;
  /** Whether its protocol has awareness updates; otherwise presence is sent in text frames. */
  readonly hasAwareness: boolean;
  cursor: z.infer<typeof zCursor> | null;
  /** Unix time in milliseconds of its last frame. */
  lastActive: number;
  /** Number of updates of this peer after which the room had to be restored. */
  harmfulUpdates: number;
  /** Counts requested bytes against the rate limit of the peer. */
  countBytes(bytes: number): void;
  /** Sends a frame of the room in the peer's protocol: text as a text frame, bytes according to `isSentAsText`. */
  send(frame: string | Uint8Array): void;
  /** Sends an awareness update, if the protocol has them. */
  sendAwareness(update: Uint8Array): void;
  /** Sends an error frame, if the protocol has them, and closes the connection. */
  closeWithError(code: RefusalCode, message: string): void;
}

/** A peer with the queue of its incoming frames. */
export interface ConnectedPeer extends Peer {
  /** Calls `work` for a frame of this size: now, or in one of the next seconds when the limit is reached. */
  take(bytes: number, work: () => void): void;
  /** Calls `listener` once the connection is closed and all its frames are processed. */
  onEnd(listener: () => void): void;
  /** Processes all waiting frames now, and later ones at once. Called when the daemon closes. */
  flush(): void;
}

interface PeerIdentity {
  readonly id: string;
  readonly name: string;
  readonly color: string;
  readonly now: () => number;
  readonly protocol: PeerProtocol;
}

export function createPeer(client: PeerSocket, { id, name, color, now, protocol }: PeerIdentity): ConnectedPeer {
  const intake = new Intake(client, now);
  const write = writer(client, () => intake.drop());
  return {
    id,
    name,
    color,
    hasAwareness: protocol.hasAwareness,
    cursor: null,
    lastActive: now(),
    harmfulUpdates: 0,
    countBytes: (bytes) => intake.count(bytes),
    take: (bytes, work) => intake.take(bytes, work),
    onEnd: (listener) => intake.onEnd(listener),
    flush: () => intake.flush(),
    send: (frame) => write(protocol.frame(frame)),
    sendAwareness: (update) => write(protocol.awareness(update)),
    closeWithError(code, message) {
      intake.drop();
      closeWithError(client, protocol, { code, message });
    },
  };
}

/** Sends messages to a client, and disconnects a client that does not take them. */
function writer(client: PeerSocket, ended: () => void): (message: string | Uint8Array | null) => void {
  /** Messages are numbered; those up to `taken` have left the process. */
  let sent = 0;
  let taken = 0;
  return (message) => {
    if (message === null || client.readyState !== client.OPEN) return;
    const number = ++sent;
    const binary = typeof message !== 'string' && !isSentAsText(message);
    client.send(message, { binary }, () => {
      taken = Math.max(taken, number);
    });
    if (client.bufferedAmount === 0) taken = number;
    else if (number - taken > FRAMES_BEHIND_MAX || client.bufferedAmount > BYTES_BEHIND_MAX) {
      ended();
      client.terminate();
    }
  };
}

export function closeWithError(
  client: PeerSocket,
  protocol: PeerProtocol,
  { code, message }: { readonly code: RefusalCode; readonly message: string },
): void {
  const frame = protocol.frame(textFrame({ type: 'error', message }));
  if (frame !== null) client.send(frame, { binary: typeof frame !== 'string' });
  client.close(protocol.closeCode(code), message);
}

export function peerCard({ id, name, color, cursor, lastActive }: Peer): PeerCard {
  return { peer_id: id, name, color, cursor, last_active: lastActive };
}

/** Limits the rate of one socket's frames: while the limit is reached, the socket is paused and read frames wait. */
class Intake {
  readonly #client: PeerSocket;
  readonly #now: () => number;
  #second: number;
  #frames = 0;
  #bytes = 0;
  /** The timer that runs while the limit is reached. */
  #pause: NodeJS.Timeout | null = null;
  /** Set until the next waiting frame has its turn. */
  #turn: Unsubscribable | null = null;
  #waiting: { readonly bytes: number; readonly work: () => void }[] = [];
  #isLimited = true;
  #isClosed = false;
  #end: () => void = () => undefined;

  constructor(client: PeerSocket, now: () => number) {
    this.#client = client;
    this.#now = now;
    this.#second = now();
    client.on('close', () => {
      this.#isClosed = true;
      this.#endIfDone();
    });
  }

  onEnd(listener: () => void): void {
    this.#end = listener;
  }

  take(bytes: number, work: () => void): void {
    if (this.#pause !== null || this.#waiting.length > 0) {
      this.#waiting.push({ bytes, work });
      return;
    }
    this.count(bytes);
    work();
  }

  count(bytes: number): void {
    const at = this.#now();
    if (at >= this.#second + SECOND_MS) this.#beginSecond(at);
    this.#frames += 1;
    this.#bytes += bytes;
    const isReached = this.#frames >= FRAMES_PER_SECOND_MAX || this.#bytes >= BYTES_PER_SECOND_MAX;
    if (!isReached || !this.#isLimited || this.#pause !== null) return;
    this.#client.pause();
    // At most a second, even if the clock was set back.
    this.#pause = setTimeout(() => this.#resume(), Math.min(SECOND_MS, this.#second + SECOND_MS - at));
  }

  flush(): void {
    this.#isLimited = false;
    while (this.#waiting.length > 0) this.#workNext();
    this.#resume();
  }

  /** Drops the waiting frames, because the connection was closed for misbehaviour. */
  drop(): void {
    this.#waiting = [];
  }

  #beginSecond(at: number): void {
    this.#second = at;
    this.#frames = 0;
    this.#bytes = 0;
  }

  #resume(): void {
    if (this.#pause !== null) clearTimeout(this.#pause);
    this.#pause = null;
    this.#beginSecond(this.#now());
    this.#serve();
  }

  /** Processes waiting frames in turn with those of other peers. */
  #serve(): void {
    if (this.#pause !== null || this.#turn !== null) return;
    if (this.#waiting.length === 0) {
      this.#client.resume();
      this.#endIfDone();
      return;
    }
    this.#turn = fairTurn$.subscribe(() => {
      this.#turn = null;
      this.#workNext();
      this.#serve();
    });
  }

  #workNext(): void {
    const next = this.#waiting.shift();
    if (next === undefined) return;
    this.count(next.bytes);
    next.work();
  }

  #endIfDone(): void {
    if (!this.#isClosed || this.#waiting.length > 0) return;
    if (this.#pause !== null) clearTimeout(this.#pause);
    this.#pause = null;
    const end = this.#end;
    this.#end = () => undefined;
    end();
  }
}
