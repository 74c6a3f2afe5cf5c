/**
 * The decider of rooms. A room is open while somebody is in it, which only the caller knows, or while it waits for the
 * first to come; otherwise it is closed, and its text is kept for whoever opens it again.
 */
import { type RoomEvent, type RoomTextEvent, roomEvents, roomTextEvents } from '../events/room.ts';
import type { Decider } from './decider.ts';
import { Refusal } from './refusal.ts';

export type RoomCommand =
  /** `peers`: how many are in it now. */
  | { readonly type: 'OpenRoom'; readonly peers: number }
  | { readonly type: 'EnterRoom' }
  /** Changes nothing of the room itself: may its text be written? */
  | { readonly type: 'WriteRoomText' };

export interface RoomState {
  readonly exists: boolean;
  /** For the first to come since it was created or opened again. */
  readonly isWaiting: boolean;
}

export const room: Decider<RoomCommand, RoomState, RoomEvent> = {
  category: 'room',
  events: roomEvents,
  initial: { exists: false, isWaiting: false },
  decide(command, { exists, isWaiting }) {
    switch (command.type) {
      case 'OpenRoom':
        if (!exists) return [{ type: 'RoomCreated', data: {} }];
        return isWaiting || command.peers > 0 ? [] : [{ type: 'RoomReopened', data: {} }];
      case 'EnterRoom': {
        const entered = { type: 'RoomEntered', data: {} } as const;
        if (!exists) return [{ type: 'RoomCreated', data: {} }, entered];
        return isWaiting ? [entered] : [];
      }
      case 'WriteRoomText':
        return exists ? [] : new Refusal('not_found', 'There is no room with this id.');
    }
  },
  evolve(state, event) {
    switch (event.type) {
      case 'RoomCreated':
      case 'RoomReopened':
        return { exists: true, isWaiting: true };
      case 'RoomEntered':
        return { ...state, isWaiting: false };
    }
  },
};

/** Appends what was written: whether the room may be written to is asked of the room itself, in the same commit. */
export interface RoomTextCommand {
  readonly type: 'RecordRoomText';
  readonly text: RoomTextEvent;
}

/** The decider of a room's text. It has no rules: every command is carried out, in any state. */
export const roomText: Decider<RoomTextCommand, null, RoomTextEvent> = {
  category: 'room_text',
  events: roomTextEvents,
  initial: null,
  decide: ({ text }) => [text],
  evolve: (state) => state,
};
