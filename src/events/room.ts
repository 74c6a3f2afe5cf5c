/**
 * Collaboration rooms and the text in them. Appended by the routes of the rooms: what concerns a room to `room-<id>`, what
 * was written in it to `room_text-<id>`, so that who enters one needs not wait until every word ever written is read.
 *
 * - Who is in a room, and where their cursors are, is no fact: no event tells it.
 * - Texts are bytes of the CRDT (update format v1), as base64. Later ones of a stream build on earlier ones.
 */
import { z } from 'zod';
import { define, type EventIn } from './define.ts';

export const roomEvents = {
  /** Asked for by `POST /collab/rooms`, or by the first who connected. */
  RoomCreated: define('RoomCreated', z.object({})),
  /** By the first who connected since it was created or opened again: it waits for nobody any more. */
  RoomEntered: define('RoomEntered', z.object({})),
  /** Asked for again after everybody had left. */
  RoomReopened: define('RoomReopened', z.object({})),
} as const;

export const roomTextEvents = {
  /** What was written within one batch, merged. */
  RoomTextChanged: define('RoomTextChanged', z.object({ update: z.string() })),
  /** All of it as one update: the events before this one need not be read any more. */
  RoomTextCompacted: define('RoomTextCompacted', z.object({ state: z.string() })),
} as const;

export type RoomEvent = EventIn<typeof roomEvents>;
export type RoomTextEvent = EventIn<typeof roomTextEvents>;
