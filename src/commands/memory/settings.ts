/** Whether memories are encrypted at rest: once on, on for good, with one key. */
import type { MemorySettingsEvent } from '../../events/memory.ts';
import { type Decider, total } from '../decider.ts';

export type Encryption = Extract<MemorySettingsEvent, { type: 'MemoryEncryptionEnabled' }>['data'];

export type MemorySettingsCommand =
  | { readonly type: 'EnableMemoryEncryption'; readonly encryption: Encryption }
  | { readonly type: 'SettleMemoryEncryption' };

interface MemorySettings {
  /** null while memories are kept as they are. */
  readonly encryption: Encryption | null;
  /** No plain word of before is left. */
  readonly settled: boolean;
}

/** The one stream's id: `settings-memory`. */
export const MEMORY_SETTINGS_ID = 'memory';

export const memorySettings: Decider<MemorySettingsCommand, MemorySettings, MemorySettingsEvent> = {
  category: 'settings',
  initial: { encryption: null, settled: false },
  decide(command, state) {
    if (command.type === 'SettleMemoryEncryption') {
      return state.settled ? [] : [{ type: 'MemoryEncryptionSettled', data: {} }];
    }
    if (state.encryption !== null) return [];
    return [{ type: 'MemoryEncryptionEnabled', data: command.encryption }];
  },
  evolve: total((state: MemorySettings, event) =>
    event.type === 'MemoryEncryptionEnabled'
      ? { encryption: event.data, settled: false }
      : { ...state, settled: event.type === 'MemoryEncryptionSettled' || state.settled },
  ),
};
