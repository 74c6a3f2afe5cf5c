/**
 * One connection to a room: how frames reach it, and how fast frames may come from it.
 *
 * - A peer that does not read is disconnected once its socket holds more than 256 frames or 32 MiB. It gets the missed
 *   updates when it connects again.
 * - A peer that sends or asks for too much is not read until the second is over. Frames that were read already, many of
 *   which may come in one write, wait for the next seconds in their order and take turns with those of other peers;
 *   none is lost, also when the peer leaves.
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
/** A connection that answers no ping for this long is ended, so that it does not hold its place for ever. */
const PING_MS = 15_000;

/** Close codes of a room: harmful updates, a text that is too long, a room without a free place. */
export type RefusalCode = 1008 | 1009 | 1013;

/** How frames of a room become messages for a peer. */
export interface PeerProtocol {
  readonly hasAwareness: boolean;
  /** The message for a frame of the room; null when the protocol has none. */
  frame(frame: string | Uint8Array): string | Uint8Array | null;
  /** The message for an update of the awareness protocol; null when the protocol has none. */
  awareness(update: Uint8Array): Uint8Array | null;
  /** Close code for a client that is refused; it gets it after an error frame, if there is one. */
  closeCode(code: RefusalCode): number;
}

/** What a peer uses of its WebSocket. */
export interface PeerSocket {
  readonly OPEN: number;
  readonly readyState: number;
  /** Bytes that were sent and have not left the process. */
  readonly bufferedAmount: number;
  readonly isPaused: boolean;
  send(message: string | Uint8Array, options: { readonly binary: boolean }, sent?: () => void): void;
  close(code: number, reason: string): void;
  terminate(): void;
  ping(): void;
  pause(): void;
  resume(): void;
  on(event: 'close' | 'pong', listener: () => void): unknown;
}

export interface Peer {
  readonly id: string;
  name: string;
  readonly color: string;
  /** Its protocol has awareness updates; the others’ presence is in text frames. */
  readonly hasAwareness: boolean;
  cursor: z.infer<typeof zCursor> | null;
  /** Unix time in milliseconds of its last frame. */
  lastActive: number;
  /** Updates of this peer that cost the room a restore. */
  harmfulUpdates: number;
  /** Counts bytes that the peer asked for against its rate limit. */
  countBytes(bytes: number): void;
  /** Sends a frame of the room as its protocol has it: text as a text frame, and bytes according to `isSentAsText`. */
  send(frame: string | Uint8Array): void;
  /** Sends an awareness update, if its protocol has them. */
  sendAwareness(update: Uint8Array): void;
  /** Sends an error frame, if its protocol has them, and closes the connection. */
  closeWithError(code: RefusalCode, message: string): void;
}

/** A peer with its incoming frames. */
export interface ConnectedPeer extends Peer {
  /** Calls `work` for a frame of that many bytes: now, or in one of the next seconds when the limit is reached. */
  take(bytes: number, work: () => void): void;
  /** Calls `listener` once the connection is closed and every frame of it is worked off. */
  onEnd(listener: () => void): void;
  /** Works off every waiting frame now, and later ones as they come: the daemon closes. */
  flush(): void;
}

export interface PeerIdentity {
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

/** Sends messages to a client, and ends one that does not take them. */
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

interface WaitingFrame {
  readonly bytes: number;
  readonly work: () => void;
}

/** The frames of one socket at their rate: while the limit is reached the socket is paused and read frames wait. */
class Intake {
  readonly #client: PeerSocket;
  readonly #now: () => number;
  #second: number;
  #frames = 0;
  #bytes = 0;
  /** Runs while the limit is reached. */
  #pause: NodeJS.Timeout | null = null;
  /** Until the next waiting frame has its turn. */
  #turn: Unsubscribable | null = null;
  #waiting: WaitingFrame[] = [];
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
    // No longer than a second, also when the clock was set back.
    this.#pause = setTimeout(() => this.#goOn(), Math.min(SECOND_MS, this.#second + SECOND_MS - at));
  }

  flush(): void {
    this.#isLimited = false;
    while (this.#waiting.length > 0) this.#workNext();
    this.#goOn();
  }

  /** The connection is ended for what its peer did: its waiting frames are not worked off. */
  drop(): void {
    this.#waiting = [];
  }

  #beginSecond(at: number): void {
    this.#second = at;
    this.#frames = 0;
    this.#bytes = 0;
  }

  #goOn(): void {
    if (this.#pause !== null) clearTimeout(this.#pause);
    this.#pause = null;
    this.#beginSecond(this.#now());
    this.#serve();
  }

  /** Waiting frames take turns with those of other peers. */
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

export function keepAlive(client: PeerSocket): void {
  let isAlive = true;
  client.on('pong', () => {
    isAlive = true;
  });
  const ping = setInterval(() => {
    // The answer of a paused socket is not read.
    if (!isAlive && !client.isPaused) return client.terminate();
    isAlive = false;
    client.ping();
  }, PING_MS).unref();
  client.on('close', () => clearInterval(ping));
}
