/**
 * The decider of rooms. A room is open while it has peers, which only the caller knows, or while it waits for its first
 * peer. Otherwise it is closed; its text is kept for the next time.
 */
import type { RoomEvent } from '../events/room.ts';
import { type Decider, total } from './decider.ts';
import { Refusal } from './refusal.ts';

export type RoomCommand =
  /** `peers`: the number of peers in the room now. */
  | { readonly type: 'OpenRoom'; readonly peers: number }
  | { readonly type: 'EnterRoom' }
  /** Refused when there is no such room; changes nothing. */
  | { readonly type: 'WriteRoomText' };

export interface RoomState {
  readonly exists: boolean;
  /** Waits for its first peer since it was created or opened again. */
  readonly isWaiting: boolean;
}

export const room: Decider<RoomCommand, RoomState, RoomEvent> = {
  category: 'room',
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
  evolve: total((state, event) => {
    switch (event.type) {
      case 'RoomCreated':
      case 'RoomReopened':
        return { exists: true, isWaiting: true };
      case 'RoomEntered':
        return { ...state, isWaiting: false };
      default:
        return state;
    }
  }),
};
