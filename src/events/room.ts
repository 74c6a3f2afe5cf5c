/**
 * Collaboration rooms and their texts. Appended by the routes of the rooms: events about a room to `room-<id>`, its
 * text to `room_text-<id>`, so that entering a room does not read its whole text.
 *
 * - Peers and their cursors are in no event.
 * - Texts are bytes of the CRDT (update format v1), as base64. Later ones of a stream build on earlier ones.
 */
import { z } from 'zod';
import { define, type EventIn } from './define.ts';

export const roomEvents = {
  /** Requested by `POST /collab/rooms`, or by the first connection. */
  RoomCreated: define('RoomCreated', z.object({})),
  /** Appended for the first peer since the room was created or reopened. */
  RoomEntered: define('RoomEntered', z.object({})),
  /** Requested again after all peers had left. */
  RoomReopened: define('RoomReopened', z.object({})),
} as const;

export const roomTextEvents = {
  /** The updates of one batch, merged. */
  RoomTextChanged: define('RoomTextChanged', z.object({ update: z.string() })),
  /** The whole text as one update: readers need no earlier event. */
  RoomTextCompacted: define('RoomTextCompacted', z.object({ state: z.string() })),
} as const;

export type RoomEvent = EventIn<typeof roomEvents>;
export type RoomTextEvent = EventIn<typeof roomTextEvents>;
