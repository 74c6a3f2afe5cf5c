/**
 * The key of encrypted memories: where it is had from, and how it moves.
 *
 * - The keyring keeps 32 random bytes under a name of this home's own; a passphrase and the salt make them.
 * - A key that has moved is still the same key: the log holds it sealed with what the new place gives, so that no text
 *   is sealed again. The entry in the keyring stays, for backups from before.
 */
import { randomBytes } from 'node:crypto';
import type { Encryption } from '../../commands/memory/settings.ts';
import { HttpError } from '../../http/server/errors.ts';
import { createVault, KEY_BYTES, keyFromPassphrase, type Vault } from '../../integrations/vault/text-cipher.ts';
import { type SecretStore, SecretsUnavailable } from '../../ports/secrets.ts';

export interface KeyParts {
  readonly secrets: SecretStore;
  readonly passphrase: string | undefined;
}

/** A vault that opens what is sealed, or why there is none, to follow a semicolon. */
export type Opened = { readonly vault: Vault } | { readonly vault: null; readonly why: string };

export type KeySource = Encryption['key_source'];

export const PASSPHRASE_CHARACTERS_MIN = 8;
const NO_KEYRING =
  'Invalid body: passphrase: needed, because this machine has no keyring that keeps a key; the daemon needs it again ' +
  'at every start, as DAYBOOK_MEMORY_PASSPHRASE or by this route';
const NO_PASSPHRASE = 'Invalid body: passphrase: needed for key_source passphrase';
const SHORT = `Invalid body: passphrase: must have at least ${PASSPHRASE_CHARACTERS_MIN} characters`;
const CHECKED = 'daybook memory';

/** The vault of the recorded key. */
export async function openVault(encryption: Encryption, parts: KeyParts): Promise<Opened> {
  const { salt, wrapped } = encryption;
  const found = await keyAt(encryption, parts);
  if (typeof found === 'string') return { vault: null, why: found };
  try {
    const outer = createVault(found);
    const vault = wrapped === undefined ? outer : createVault(outer.openBytes(Buffer.from(wrapped, 'base64'), salt));
    if (vault.open(encryption.check, salt) === CHECKED) return { vault };
  } catch {
    // Another key: what it does not fit is said below.
  }
  return { vault: null, why: UNFIT[encryption.key_source] };
}

const UNFIT: Readonly<Record<KeySource, string>> = {
  keyring: 'the key in the keyring of this machine is another one',
  passphrase: 'the passphrase does not fit',
};

/** The key that the recorded place gives, or why it gives none. */
async function keyAt({ key_source, salt }: Encryption, { secrets, passphrase }: KeyParts): Promise<Buffer | string> {
  if (key_source === 'passphrase') {
    return passphrase === undefined ? 'no passphrase was given' : keyFromPassphrase(passphrase, salt);
  }
  try {
    const secret = await secrets.get(entryName(salt));
    if (secret === null) return 'the keyring of this machine, as it is open now, does not hold the key';
    const key = Buffer.from(secret, 'base64');
    return key.length === KEY_BYTES ? key : UNFIT.keyring;
  } catch (error) {
    if (!(error instanceof SecretsUnavailable)) throw error;
    return `the keyring does not answer (${error.reason})`;
  }
}

/** Why memories cannot be read, and what to do about it. */
export function lockedSentence({ key_source, salt }: Encryption, why: string): string {
  const remedy =
    key_source === 'passphrase'
      ? 'Unlock them with POST /memory/encryption {passphrase}, or start the daemon with DAYBOOK_MEMORY_PASSPHRASE.'
      : `Their key is the keyring's entry ${entryName(salt)} of daybook. Unlock the keyring, then POST ` +
        '/memory/encryption or start the daemon again; nothing is lost.';
  return `Memories are encrypted and locked; ${why}. ${remedy}`;
}

/** A new key, and how it is recorded. */
export async function newKey(source: KeySource | undefined, parts: KeyParts) {
  const salt = randomBytes(16).toString('hex');
  const key_source = source ?? (parts.passphrase === undefined ? 'keyring' : 'passphrase');
  const vault = createVault(await madeAt(key_source, salt, parts));
  const encryption: Encryption = { key_source, salt, check: vault.seal(CHECKED, salt) };
  return { vault, encryption };
}

/** How a key in use is recorded at another place. */
export async function movedKey(vault: Vault, key_source: KeySource, parts: KeyParts): Promise<Encryption> {
  const salt = randomBytes(16).toString('hex');
  const outer = createVault(await madeAt(key_source, salt, parts));
  return { key_source, salt, check: vault.seal(CHECKED, salt), wrapped: vault.sealedKey(outer, salt) };
}

async function madeAt(source: KeySource, salt: string, { secrets, passphrase }: KeyParts): Promise<Buffer> {
  if (source === 'keyring') return keptInKeyring(secrets, entryName(salt));
  if (passphrase === undefined) throw new HttpError(400, NO_PASSPHRASE);
  if (passphrase.length < PASSPHRASE_CHARACTERS_MIN) throw new HttpError(400, SHORT);
  return keyFromPassphrase(passphrase, salt);
}

/** A new key, kept by the machine; read back, because a key that was not kept is worse than none. */
async function keptInKeyring(secrets: SecretStore, name: string): Promise<Buffer> {
  const key = randomBytes(KEY_BYTES);
  try {
    await secrets.set(name, key.toString('base64'));
    if ((await secrets.get(name)) === key.toString('base64')) return key;
  } catch (error) {
    if (!(error instanceof SecretsUnavailable)) throw error;
    throw new HttpError(400, `${NO_KEYRING} (${error.reason})`);
  }
  throw new HttpError(400, NO_KEYRING);
}

/** The keyring's name for the key of this home. */
function entryName(salt: string): string {
  return `memory-${salt}`;
}
