/**
 * One connection to a room: how frames reach it, and how fast frames may come from it.
 *
 * - A peer that does not read is disconnected once its socket holds more than 256 frames or 32 MiB. It gets the missed
 *   updates when it connects again.
 * - The socket of a peer that sends or asks for too much is paused until the second is over; none of its frames is
 *   lost.
 */
import type { WebSocket } from 'ws';
import type { z } from 'zod';
import { isSentAsText, type PeerCard, textFrame, type zCursor } from './frames.ts';

export const FRAMES_BEHIND_MAX = 256;
/** A peer that enters a full room may get the whole text from every other peer; only the longest texts exceed this. */
export const BYTES_BEHIND_MAX = 33_554_432;
export const FRAMES_PER_SECOND_MAX = 500;
export const BYTES_PER_SECOND_MAX = 4_194_304;
const SECOND_MS = 1_000;
/** A connection that answers no ping for this long is ended, so that it does not hold its place for ever. */
const PING_MS = 15_000;

export interface Peer {
  readonly id: string;
  readonly name: string;
  readonly color: string;
  cursor: z.infer<typeof zCursor> | null;
  /** Unix time in milliseconds of its last frame. */
  lastActive: number;
  /** Updates of this peer that cost the room a restore. */
  harmfulUpdates: number;
  /** Counts bytes that the peer sent or asked for against its rate limit. */
  countBytes(bytes: number): void;
  /** Sends text as a text frame, and bytes as text or binary according to `isSentAsText`. */
  send(frame: string | Uint8Array): void;
  /** Sends an error frame and closes the connection. */
  closeWithError(code: number, message: string): void;
}

export interface PeerIdentity {
  readonly id: string;
  readonly name: string;
  readonly color: string;
  readonly now: () => number;
}

export function createPeer(client: WebSocket, { id, name, color, now }: PeerIdentity): Peer {
  /** Frames are numbered; those up to `taken` have left the process. */
  let sent = 0;
  let taken = 0;
  return {
    id,
    name,
    color,
    cursor: null,
    lastActive: now(),
    harmfulUpdates: 0,
    countBytes: rateLimit(client, now),
    send(frame) {
      if (client.readyState !== client.OPEN) return;
      const number = ++sent;
      const binary = typeof frame !== 'string' && !isSentAsText(frame);
      client.send(frame, { binary }, () => {
        taken = Math.max(taken, number);
      });
      if (client.bufferedAmount === 0) taken = number;
      else if (number - taken > FRAMES_BEHIND_MAX || client.bufferedAmount > BYTES_BEHIND_MAX) client.terminate();
    },
    closeWithError: (code, message) => closeWithError(client, code, message),
  };
}

export function closeWithError(client: WebSocket, code: number, message: string): void {
  client.send(textFrame({ type: 'error', message }));
  client.close(code, message);
}

export function peerCard({ id, name, color, cursor, lastActive }: Peer): PeerCard {
  return { peer_id: id, name, color, cursor, last_active: lastActive };
}

/** Pauses the socket until the second is over once its limit is reached. The function takes the size of each frame. */
function rateLimit(client: WebSocket, now: () => number): (bytes: number) => void {
  let second = now();
  let frames = 0;
  let bytes = 0;
  let pause: NodeJS.Timeout | undefined;
  client.on('close', () => clearTimeout(pause));
  return (size) => {
    const at = now();
    if (at >= second + SECOND_MS) {
      second = at;
      frames = 0;
      bytes = 0;
    }
    frames += 1;
    bytes += size;
    if (client.isPaused || (frames < FRAMES_PER_SECOND_MAX && bytes < BYTES_PER_SECOND_MAX)) return;
    client.pause();
    pause = setTimeout(() => client.resume(), second + SECOND_MS - at);
  };
}

export function keepAlive(client: WebSocket): void {
  let isAlive = true;
  client.on('pong', () => {
    isAlive = true;
  });
  const ping = setInterval(() => {
    if (!isAlive) return client.terminate();
    isAlive = false;
    client.ping();
  }, PING_MS).unref();
  client.on('close', () => clearInterval(ping));
}
