/** Encryption at rest: once enabled it stays on, with one key, whose source may change. */
import type { Encryption, MemorySettingsEvent } from '../../events/memory/events.ts';
import { type Decider, total } from '../decider.ts';
import { Refusal } from '../refusal.ts';

export type MemorySettingsCommand =
  | { readonly type: 'EnableMemoryEncryption'; readonly encryption: Encryption }
  | {
      readonly type: 'MoveMemoryKey';
      readonly encryption: Encryption;
      /** Log positions of the events that name the former source of the key. */
      readonly positions: readonly number[];
    }
  | { readonly type: 'SettleMemoryEncryption' };

interface MemorySettings {
  /** null without encryption. */
  readonly encryption: Encryption | null;
  /** No plain text from before encryption is left on the disk. */
  readonly settled: boolean;
}

/** The one stream's id: `settings-memory`. */
export const MEMORY_SETTINGS_ID = 'memory';

export const memorySettings: Decider<MemorySettingsCommand, MemorySettings, MemorySettingsEvent> = {
  category: 'settings',
  initial: { encryption: null, settled: false },
  decide(command, state) {
    switch (command.type) {
      case 'EnableMemoryEncryption':
        return state.encryption === null ? [{ type: 'MemoryEncryptionEnabled', data: command.encryption }] : [];
      case 'MoveMemoryKey': {
        const { encryption, positions } = command;
        if (state.encryption === null) return new Refusal('conflict', 'Memories are not encrypted.');
        return [{ type: 'MemoryKeyMoved', data: { ...encryption, positions: [...positions] } }];
      }
      case 'SettleMemoryEncryption':
        return state.settled ? [] : [{ type: 'MemoryEncryptionSettled', data: {} }];
    }
  },
  evolve: total((state: MemorySettings, event) => {
    switch (event.type) {
      case 'MemoryEncryptionEnabled':
        return { encryption: event.data, settled: false };
      case 'MemoryKeyMoved':
        return { ...state, encryption: event.data };
      case 'MemoryEncryptionSettled':
        return { ...state, settled: true };
      default:
        return state;
    }
  }),
};
