/** Where secrets of this user are kept by the machine itself: the keyring of the desktop. */

export interface SecretStore {
  /** The secret under a name, null when there is none. Throws `SecretsUnavailable` when nobody keeps secrets here. */
  get(name: string): Promise<string | null>;
  /** Kept also over a restart of the machine, or refused with `SecretsUnavailable`. */
  set(name: string, secret: string): Promise<void>;
  /** Whether there was one. */
  remove(name: string): Promise<boolean>;
}

export class SecretsUnavailable extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(`This machine has no keyring that can be used: ${reason}`);
    this.name = 'SecretsUnavailable';
    this.reason = reason;
  }
}
