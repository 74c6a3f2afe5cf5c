/** The decider of memory encryption at rest. It cannot be disabled; its one key may move to another source. */
import { type Encryption, type MemorySettingsEvent, memorySettingsEvents } from '../../events/memory/events.ts';
import type { Decider } from '../decider.ts';
import { Refusal } from '../refusal.ts';

export type MemorySettingsCommand =
  | { readonly type: 'EnableMemoryEncryption'; readonly encryption: Encryption }
  | {
      readonly type: 'MoveMemoryKey';
      readonly encryption: Encryption;
      /** Positions of the events that record the previous location of the key. */
      readonly positions: readonly number[];
    }
  | { readonly type: 'SettleMemoryEncryption' };

export interface MemorySettings {
  readonly isEnabled: boolean;
  /** Whether no plain text from before the encryption remains. */
  readonly settled: boolean;
}

/** The id of the only stream, `settings-memory`. */
export const MEMORY_SETTINGS_ID = 'memory';

export const memorySettings: Decider<MemorySettingsCommand, MemorySettings, MemorySettingsEvent> = {
  category: 'settings',
  events: memorySettingsEvents,
  initial: { isEnabled: false, settled: false },
  decide(command, state) {
    switch (command.type) {
      case 'EnableMemoryEncryption':
        return state.isEnabled ? [] : [{ type: 'MemoryEncryptionEnabled', data: command.encryption }];
      case 'MoveMemoryKey': {
        const { encryption, positions } = command;
        if (!state.isEnabled) return new Refusal('conflict', 'Memories are not encrypted.');
        return [{ type: 'MemoryKeyMoved', data: { ...encryption, positions: [...positions] } }];
      }
      case 'SettleMemoryEncryption':
        return state.settled ? [] : [{ type: 'MemoryEncryptionSettled', data: {} }];
    }
  },
  evolve(state, event) {
    switch (event.type) {
      case 'MemoryEncryptionEnabled':
        return { isEnabled: true, settled: false };
      case 'MemoryKeyMoved':
        // The events with the keys before, the first one included, are erased.
        return { ...state, isEnabled: true };
      case 'MemoryEncryptionSettled':
        return { ...state, settled: true };
    }
  },
};
