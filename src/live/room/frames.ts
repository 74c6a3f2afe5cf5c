/**
 * The frames of a room's socket. Binary: one tag byte, then the bytes of the CRDT (v1). Text: one JSON object with its
 * `type`. There is no length and no outer type byte.
 */
import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { parsedJson } from '../../lib/json-text.ts';

/** `rest` is a state vector. */
export const STEP_1 = 0;
/** `rest`: the updates that the vector lacks. */
export const STEP_2 = 1;
/** `rest` is an update. */
export const UPDATE = 2;

const OPENING_BRACE = 0x7b;
const PATH_CHARACTERS_MAX = 4_096;

const zPlace = z.int().nonnegative();

export const zCursor = z.object({
  file: z.string().max(PATH_CHARACTERS_MAX).describe('The file of the room that the cursor is in.'),
  line: zPlace.describe('Line, from 0.'),
  column: zPlace.describe('Character of the line, from 0.'),
  selection_end: z
    .tuple([zPlace, zPlace])
    .nullable()
    .default(null)
    .describe('Line and column at which the selection ends; null without one.'),
});

/** A peer as the others see it. */
export const zPeer = z.object({
  peer_id: z.string(),
  name: z.string().describe('Name for people.'),
  color: z.string().describe('CSS color of the cursor.'),
  cursor: zCursor.nullable().describe('Where the peer is; null before it says so.'),
  last_active: z.int().describe('Unix time in milliseconds.'),
});
export type PeerCard = z.infer<typeof zPeer>;

export const zTextFrame = z.discriminatedUnion('type', [
  z.object({ type: z.literal('file_opened'), file_path: z.string().describe('The file that the peer opened.') }),
  z.object({
    type: z.literal('awareness'),
    peer_id: z.string(),
    cursor: zCursor.nullable().default(null).describe('Where the peer is; null when it does not say so.'),
    timestamp: z.number().describe('Unix time in milliseconds.'),
  }),
  z.object({
    type: z.literal('welcome'),
    room_id: z.string(),
    peer_id: z.string(),
    peers: z.array(zPeer).describe('All peers of the room, including this one.'),
  }),
  z.object({ type: z.literal('peer_joined'), peer: zPeer.describe('The one that joined.') }),
  z.object({ type: z.literal('peer_left'), peer_id: z.string() }),
  z.object({ type: z.literal('error'), message: z.string() }),
]);
type TextFrame = z.infer<typeof zTextFrame>;

/** null for a text that is not a frame of a room. */
export function readTextFrame(text: string): TextFrame | null {
  return zTextFrame.safeParse(parsedJson(text)).data ?? null;
}

export function textFrame(frame: TextFrame): string {
  return JSON.stringify(frame);
}

export function binaryFrame(tag: number, rest: Uint8Array): Uint8Array {
  const frame = new Uint8Array(1 + rest.length);
  frame[0] = tag;
  frame.set(rest, 1);
  return frame;
}

/** Whether bytes look like JSON: these are sent as text frames, whatever type of frame they arrived in. */
export function isSentAsText(bytes: Uint8Array): boolean {
  return bytes[0] === OPENING_BRACE && isUtf8(bytes);
}
