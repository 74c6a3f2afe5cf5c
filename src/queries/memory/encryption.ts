/** The state of memory encryption: whether texts can be read, with which cipher, and where they are searched. */
import type { Fingerprints } from '../../commands/memory/fingerprints.ts';
import type { TextCipher } from '../../ports/text-cipher.ts';
import { encryptionSettings } from '../../projections/memory/memories.ts';
import type { Views } from '../../projections/views.ts';

export interface MemoryEncryption {
  isEncrypted(): boolean;
  /** Resolves when it is known whether texts can be read. At the start this may wait for the keyring. */
  readonly ready: Promise<void>;
  /** The reason why texts cannot be read, null when they can. */
  locked(): string | null;
  /** Whether the text index is incomplete. */
  isWarming(): boolean;
  /** The tables of the text index: those of the views, or with encryption tables in memory. */
  index(): Views;
  /** null without encryption, and while memories are locked. */
  cipher(): TextCipher | null;
  fingerprints(): Fingerprints;
}

export function encryptionStatus(views: Views, encryption: MemoryEncryption) {
  const settings = encryptionSettings(views);
  return {
    enabled: settings !== undefined,
    locked: encryption.locked() !== null,
    warming: encryption.isWarming(),
    key_source: settings?.key_source ?? null,
  };
}
