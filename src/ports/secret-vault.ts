/** Secrets of users, encrypted, by owner and name; read to launch the connector that they belong to. */
import { PortError } from './port-error.ts';

export interface SecretVault {
  /** The secrets of an owner, by name, without damaged ones. Throws `VaultTrouble`. */
  read(owner: string): Promise<Readonly<Record<string, string>>>;
  /** The names of the secrets that `read` would return, by owner. */
  names(owners: readonly string[]): Promise<ReadonlyMap<string, ReadonlySet<string>>>;
  /** Replaces all secrets of the owner. Durable when it resolves. Throws `VaultTrouble`. */
  keep(owner: string, secrets: Readonly<Record<string, string>>): Promise<void>;
  /** Removes all secrets of the owner and returns their number. Throws `VaultTrouble`. */
  forget(owner: string): Promise<number>;
  owners(): Promise<readonly string[]>;
}

/** The vault cannot be opened, read or written. The message names a remedy and contains no secret. */
export class VaultTrouble extends PortError {
  override readonly name = 'VaultTrouble';

  constructor(message: string) {
    super('unavailable', message);
  }
}
