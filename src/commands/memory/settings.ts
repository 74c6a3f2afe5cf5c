/** Whether memories are encrypted at rest: once on, on for good, with one key. */
import type { MemorySettingsEvent } from '../../events/memory.ts';
import { type Decider, total } from '../decider.ts';

export type Encryption = Extract<MemorySettingsEvent, { type: 'MemoryEncryptionEnabled' }>['data'];

export interface MemorySettingsCommand {
  readonly type: 'EnableMemoryEncryption';
  readonly encryption: Encryption;
}

/** The one stream's id: `settings-memory`. */
export const MEMORY_SETTINGS_ID = 'memory';

/** null while memories are kept as they are. */
export const memorySettings: Decider<MemorySettingsCommand, Encryption | null, MemorySettingsEvent> = {
  category: 'settings',
  initial: null,
  decide: (command, state) => (state === null ? [{ type: 'MemoryEncryptionEnabled', data: command.encryption }] : []),
  evolve: total((state: Encryption | null, event) => (event.type === 'MemoryEncryptionEnabled' ? event.data : state)),
};
