/** The keyring of the operating system. */

export interface SecretStore {
  /** The secret of this name, or null. Throws `SecretsUnavailable` when there is no usable keyring. */
  get(name: string): Promise<string | null>;
  /** Stores the secret so that it survives a restart of the machine. Throws `SecretsUnavailable`. */
  set(name: string, secret: string): Promise<void>;
}

/** This machine has no keyring that can be used. */
export class SecretsUnavailable extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(`This machine has no keyring that can be used: ${reason}`);
    this.name = 'SecretsUnavailable';
    this.reason = reason;
  }
}
