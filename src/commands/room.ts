/**
 * The decider of rooms. A room is open while it has peers, whose number the caller passes in, or while it waits for
 * its first peer. Otherwise it is closed; its text is kept for the next opening.
 */
import { type RoomEvent, type RoomTextEvent, roomEvents, roomTextEvents } from '../events/room.ts';
import type { Decider } from './decider.ts';
import { Refusal } from './refusal.ts';

export type RoomCommand =
  /** `peers`: the number of connected peers. */
  | { readonly type: 'OpenRoom'; readonly peers: number }
  | { readonly type: 'EnterRoom' }
  /** Checks that the text may be written. Changes no state. */
  | { readonly type: 'WriteRoomText' };

export interface RoomState {
  readonly exists: boolean;
  /** Whether the room waits for its first peer since it was created or reopened. */
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

/** Appends updates of the text. The same commit checks in the room's own stream whether it may be written. */
export interface RoomTextCommand {
  readonly type: 'RecordRoomText';
  readonly text: RoomTextEvent;
}

/** The decider of a room's text. It has no rules: every command is carried out. */
export const roomText: Decider<RoomTextCommand, null, RoomTextEvent> = {
  category: 'room_text',
  events: roomTextEvents,
  initial: null,
  isStateless: true,
  decide: ({ text }) => [text],
  evolve: (state) => state,
};
