/**
 * Encryption at rest as a process: starts it, enables it, unlocks memories, and moves the key.
 *
 * - Enabling encrypts the stored records: each one is appended again as ciphertext and its plain event is erased. Then
 *   the views are rebuilt and the log is compacted, so that no plain text stays on the disk.
 * - Interrupted work continues at the next start. Encryption cannot be disabled, but its key can move.
 */
import { MEMORY_SETTINGS_ID, memorySettings } from '../../commands/memory/settings.ts';
import { Refused, refused } from '../../commands/refusal.ts';
import type { ReadWriteLock } from '../../lib/read-write-lock.ts';
import { encryptionSettings } from '../../projections/memory/memories.ts';
import type { EventLog } from '../../storage/event-log.ts';
import type { Origin } from '../../streams/command-handler.ts';
import type { EncryptionState, WarmUpStep } from './encryption-state.ts';
import { checkpointViews, eraseDue, eraseTexts } from './erasure.ts';
import {
  type KeyParts,
  type KeySource,
  lockedMessage,
  movedKey,
  newKey,
  openCipher,
  PASSPHRASE_CHARACTERS_MIN,
} from './key.ts';
import { type SealingParts, sealEverything } from './sealing.ts';

export interface EncryptionRequest {
  readonly passphrase?: string | undefined;
  readonly source?: KeySource | undefined;
}

export interface EncryptionProcessParts extends Omit<SealingParts, 'encryption'>, KeyParts {
  readonly encryption: EncryptionState;
  readonly lock: ReadWriteLock;
  /** Called after the cipher changed. Resolves when no plain vector is left. */
  readonly rekeyVectors: () => Promise<void>;
  /** Whether the settings ask for encryption. */
  readonly isRequired: boolean;
  readonly warmUpSteps: readonly WarmUpStep[];
}

const SYSTEM: Origin = { actor: 'system', correlation: null };
const NO_KEYRING = 'no keyring, and DAYBOOK_MEMORY_PASSPHRASE is not set';
const SHORT_PASSPHRASE = `DAYBOOK_MEMORY_PASSPHRASE has fewer than ${PASSPHRASE_CHARACTERS_MIN} characters`;
const OTHER_PASSPHRASE =
  'Memories are open, and the passphrase is not theirs; with key_source passphrase it becomes the one they have.';

export class EncryptionProcess {
  readonly #parts: EncryptionProcessParts;
  /** The index that `start` began to build. */
  #indexing: Promise<void> = Promise.resolve();
  #hasOtherKey = false;

  constructor(parts: EncryptionProcessParts) {
    // Scripts pass an empty variable when there is no passphrase.
    this.#parts = { ...parts, passphrase: parts.passphrase === '' ? undefined : parts.passphrase };
  }

  /** Whether a key was found at the start that is not the key of the memories. */
  get hasOtherKey(): boolean {
    return this.#hasOtherKey;
  }

  /**
   * Runs once after the views are folded: completes erasures, unlocks if the key is available, and enables
   * encryption if the settings ask for it. Never rejects.
   */
  async start(): Promise<void> {
    const { encryption, isRequired, passphrase, announce } = this.#parts;
    try {
      await eraseDue(this.#parts);
      await this.#unlockAtStart();
      // The fold at the start may have removed texts: they leave the write-ahead log of the views.
      checkpointViews(this.#parts);
      if (!encryption.isEncrypted() && isRequired) await this.#enable({}, SYSTEM);
      else if (encryption.cipher() !== null) void this.#resumeSealing();
    } catch (error) {
      const missingKey = passphrase === undefined ? NO_KEYRING : SHORT_PASSPHRASE;
      const reason = error instanceof Refused ? missingKey : String(error);
      if (isRequired && !encryption.isEncrypted()) encryption.refuseAll(`Memories are to be encrypted: ${reason}.`);
      announce(`Memories: ${reason}`);
    } finally {
      encryption.markReady();
    }
  }

  /** Enables encryption, unlocks memories or moves the key, as the state requires. Resolves when it is done. */
  apply(request: EncryptionRequest, origin: Origin): Promise<void> {
    const { encryption, lock, rekeyVectors } = this.#parts;
    return lock.exclusive(async () => {
      if (!encryption.isEncrypted()) await this.#enable(request, origin);
      else if (encryption.cipher() === null) await this.#unlock(request, origin);
      else {
        await this.#moveKey(request, origin);
        await this.#sealWhenIndexed();
      }
      await rekeyVectors();
    });
  }

  async #unlockAtStart(): Promise<void> {
    const { views, encryption, warmUpSteps, announce } = this.#parts;
    const notIndexed = (error: Error): void => announce(`Memories cannot be indexed: ${error.message}`);
    const settings = encryptionSettings(views);
    if (settings === undefined) {
      void encryption.warmUp(warmUpSteps).catch(notIndexed);
      return;
    }
    const opened = await openCipher(settings, this.#parts);
    if (opened.cipher !== null) {
      this.#indexing = encryption.unlock(opened.cipher).catch(notIndexed);
      return;
    }
    this.#hasOtherKey = opened.isOther;
    encryption.keepLocked(opened.why);
    announce(lockedMessage(settings, opened.why));
  }

  async #resumeSealing(): Promise<void> {
    const { lock, announce } = this.#parts;
    try {
      await this.#indexing;
      await lock.exclusive(() => this.#sealWhenIndexed());
    } catch (error) {
      announce(`Memories: ${String(error)}`);
    }
  }

  /** Encrypts the records that an earlier process left plain. The index is built first: sealing rebuilds the views. */
  async #sealWhenIndexed(): Promise<void> {
    await this.#indexing;
    if (!this.#parts.encryption.isStopped()) await sealEverything(this.#parts, SYSTEM);
  }

  async #enable({ passphrase = this.#parts.passphrase, source }: EncryptionRequest, origin: Origin): Promise<void> {
    const { commandHandler, encryption } = this.#parts;
    const { cipher, encryption: settings } = await newKey(source, { ...this.#parts, passphrase });
    const command = { type: 'EnableMemoryEncryption', encryption: settings } as const;
    const { events } = await commandHandler.dispatch(memorySettings, MEMORY_SETTINGS_ID, command, { origin });
    // Only the recorded key may encrypt.
    if (events.length === 0) throw refused('unavailable', 'Memories are encrypted already; ask again.');
    await encryption.unlock(cipher);
    await sealEverything(this.#parts, origin);
  }

  async #unlock({ passphrase = this.#parts.passphrase, source }: EncryptionRequest, origin: Origin): Promise<void> {
    const settings = encryptionSettings(this.#parts.views)!;
    const opened = await openCipher(settings, { ...this.#parts, passphrase });
    if (opened.cipher === null) throw refused('forbidden', `Memories stay locked: ${opened.why}.`);
    await this.#parts.encryption.unlock(opened.cipher);
    await sealEverything(this.#parts, SYSTEM);
    if (source !== undefined && source !== settings.key_source) await this.#moveKey({ passphrase, source }, origin);
  }

  /** Moves the key of unlocked memories to the requested source, unless it is already there. */
  async #moveKey({ passphrase, source }: EncryptionRequest, origin: Origin): Promise<void> {
    const { views, log, commandHandler, encryption } = this.#parts;
    const settings = encryptionSettings(views)!;
    const target = source ?? settings.key_source;
    if (target === settings.key_source) {
      if (target === 'keyring' || passphrase === undefined) return;
      const { cipher } = await openCipher(settings, { ...this.#parts, passphrase });
      if (cipher !== null) return;
      if (source === undefined) throw refused('forbidden', OTHER_PASSPHRASE);
    }
    const keyParts = { ...this.#parts, passphrase: passphrase ?? this.#parts.passphrase };
    const moved = await movedKey(encryption.cipher()!, target, keyParts);
    const positions = keyPositions(log);
    const command = { type: 'MoveMemoryKey', encryption: moved, positions } as const;
    await commandHandler.dispatch(memorySettings, MEMORY_SETTINGS_ID, command, { origin });
    await eraseTexts(this.#parts, positions);
  }
}

/** Positions of the events that name the source of the key. */
function keyPositions(log: EventLog): readonly number[] {
  return [...log.readStream(`${memorySettings.category}-${MEMORY_SETTINGS_ID}`)]
    .filter(({ type, erased }) => erased !== true && type !== 'MemoryEncryptionSettled')
    .map(({ position }) => position);
}
