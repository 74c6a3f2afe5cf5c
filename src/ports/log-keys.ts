/** The keys of the log: one signs its checkpoints, the other cosigns checkpoints of other logs. */
import { PortError } from './port-error.ts';
import type { ByteCipher } from './text-cipher.ts';

/** Ed25519 seeds, 32 bytes each. */
export interface LogSeeds {
  readonly log: Uint8Array;
  readonly witness: Uint8Array;
  /** The next key of the log while a rotation is under way. */
  readonly next: Uint8Array | null;
}

export interface LogKeyRecord {
  /** SHA-256 of the first public key of the log, 64 hex digits. It stays when the key changes. */
  readonly logId: string;
  readonly seeds: LogSeeds;
  /** The seeds are stored encrypted, or in the keyring. */
  readonly isProtected: boolean;
}

export interface LogKeyStore {
  /** Null before the keys are made. Throws `LogKeyTrouble` when they cannot be read or need a cipher. */
  read(cipher: ByteCipher | null): Promise<LogKeyRecord | null>;
  /** Replaces the record as a whole; sealed with the cipher, if there is one. Durable when it resolves. */
  write(record: Pick<LogKeyRecord, 'logId' | 'seeds'>, cipher: ByteCipher | null): Promise<LogKeyRecord>;
}

/** The keys cannot be read or written. The message names a remedy and contains no secret. */
export class LogKeyTrouble extends PortError {
  override readonly name = 'LogKeyTrouble';

  constructor(message: string) {
    super('unavailable', message);
  }
}
