/** Secrets that were given to us to keep: encrypted, by owner and name, handed out to launch what they belong to. */

export interface SecretVault {
  /** What can be had of an owner's secrets, by name; one that was damaged is not there. */
  read(owner: string): Promise<Readonly<Record<string, string>>>;
  /** The names of what `read` would give, by owner; nothing is given out. */
  names(owners: readonly string[]): Promise<ReadonlyMap<string, ReadonlySet<string>>>;
  /** Durable when it resolves; replaces what the owner had. */
  keep(owner: string, secrets: Readonly<Record<string, string>>): Promise<void>;
  /** How many there were. */
  forget(owner: string): Promise<number>;
  owners(): Promise<readonly string[]>;
}

/** The vault cannot be opened, read or written; the message says what to do and holds no secret. */
export class VaultTrouble extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'VaultTrouble';
  }
}
