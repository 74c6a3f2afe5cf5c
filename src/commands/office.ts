/** The decider of the office converter's path: set, replaced or cleared. The caller has checked that it starts. */
import { type OfficeEvent, officeEvents } from '../events/office.ts';
import type { Decider } from './decider.ts';
import { Refusal } from './refusal.ts';

export type OfficeCommand =
  | { readonly type: 'SetOfficePath'; readonly path: string }
  | { readonly type: 'ClearOfficePath' };

export interface OfficeState {
  readonly path: string | null;
}

/** The id of the only stream, `settings-office`. */
export const OFFICE_STREAM_ID = 'office';

export const officeSettings: Decider<OfficeCommand, OfficeState, OfficeEvent> = {
  category: 'settings',
  events: officeEvents,
  initial: { path: null },
  decide(command, state) {
    switch (command.type) {
      case 'SetOfficePath':
        if (command.path.trim() === '') return new Refusal('unsupported', 'path must name a program.');
        return command.path === state.path ? [] : [{ type: 'OfficePathSet', data: { path: command.path } }];
      case 'ClearOfficePath':
        return state.path === null ? [] : [{ type: 'OfficePathCleared', data: {} }];
    }
  },
  evolve(_state, event) {
    switch (event.type) {
      case 'OfficePathSet':
        return { path: event.data.path };
      case 'OfficePathCleared':
        return { path: null };
    }
  },
};
