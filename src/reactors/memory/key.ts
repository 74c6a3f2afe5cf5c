/**
 * The key of encrypted memories: where it comes from, and how it moves to another source.
 *
 * - The keyring holds 32 random bytes under a name of this home; or the key is derived from a passphrase and the salt.
 * - A moved key is the same key: the log holds it sealed with a key from the new source, so that no text is encrypted
 *   again. The entry in the keyring stays, for older backups.
 */
import { randomBytes } from 'node:crypto';
import { refused } from '../../commands/refusal.ts';
import type { Encryption } from '../../events/memory/events.ts';
import { characterCount } from '../../lib/characters.ts';
import { type SecretStore, SecretsUnavailable } from '../../ports/secrets.ts';
import { KEY_BYTES, type TextCipher, type TextCiphers } from '../../ports/text-cipher.ts';

export interface KeyParts {
  readonly ciphers: TextCiphers;
  readonly secrets: SecretStore;
  readonly passphrase: string | undefined;
}

/** The cipher of the encrypted texts, or why there is none: `why` is the end of a sentence. */
export type OpenedCipher =
  | { readonly cipher: TextCipher }
  /** `isOther`: there is a key, but it is not the key of the memories. */
  | { readonly cipher: null; readonly why: string; readonly isOther: boolean };

export type KeySource = Encryption['key_source'];

export const PASSPHRASE_CHARACTERS_MIN = 8;
const NO_KEYRING =
  'Invalid body: passphrase: needed, because this machine has no keyring that keeps a key; the daemon needs it again ' +
  'at every start, as DAYBOOK_MEMORY_PASSPHRASE or by this route';
const NO_PASSPHRASE = 'Invalid body: passphrase: needed for key_source passphrase';
const SHORT_PASSPHRASE = `Invalid body: passphrase: must have at least ${PASSPHRASE_CHARACTERS_MIN} characters`;
/** The known text that the recorded `check` holds. */
const CHECK_TEXT = 'daybook memory';

/** The cipher of the recorded key. */
export async function openCipher(encryption: Encryption, parts: KeyParts): Promise<OpenedCipher> {
  const { salt, wrapped } = encryption;
  const { withKey } = parts.ciphers;
  const key = await recordedKey(encryption, parts);
  if (typeof key === 'string') return { cipher: null, why: key, isOther: false };
  try {
    const outer = withKey(key);
    const cipher = wrapped === undefined ? outer : withKey(outer.openBytes(Buffer.from(wrapped, 'base64'), salt));
    if (cipher.open(encryption.check, salt) === CHECK_TEXT) return { cipher };
  } catch {
    // `open` throws with another key.
  }
  return { cipher: null, why: WRONG_KEY[encryption.key_source], isOther: true };
}

const WRONG_KEY: Readonly<Record<KeySource, string>> = {
  keyring: 'the key in the keyring of this machine is another one',
  passphrase: 'the passphrase does not fit',
};

/** The key from the recorded source, or the reason why there is none. */
async function recordedKey(
  { key_source, salt }: Encryption,
  { ciphers, secrets, passphrase }: KeyParts,
): Promise<Buffer | string> {
  if (key_source === 'passphrase') {
    return passphrase === undefined ? 'no passphrase was given' : ciphers.keyFromPassphrase(passphrase, salt);
  }
  try {
    const secret = await secrets.get(entryName(salt));
    if (secret === null) return 'the keyring of this machine, as it is open now, does not hold the key';
    const key = Buffer.from(secret, 'base64');
    return key.length === KEY_BYTES ? key : WRONG_KEY.keyring;
  } catch (error) {
    if (!(error instanceof SecretsUnavailable)) throw error;
    return `the keyring does not answer (${error.reason})`;
  }
}

/** Why memories cannot be read, and how to unlock them. */
export function lockedMessage({ key_source, salt }: Encryption, why: string): string {
  const remedy =
    key_source === 'passphrase'
      ? 'Unlock them with POST /memory/encryption {passphrase}, or start the daemon with DAYBOOK_MEMORY_PASSPHRASE.'
      : `Their key is the keyring's entry ${entryName(salt)} of daybook. Unlock the keyring, then POST ` +
        '/memory/encryption or start the daemon again; nothing is lost.';
  return `Memories are encrypted and locked; ${why}. ${remedy}`;
}

/** The cipher of a new key, and its record. */
export async function newKey(source: KeySource | undefined, parts: KeyParts) {
  const salt = newSalt();
  const key_source = source ?? (parts.passphrase === undefined ? 'keyring' : 'passphrase');
  const cipher = parts.ciphers.withKey(await newKeyFrom(key_source, salt, parts));
  const encryption: Encryption = { key_source, salt, check: cipher.seal(CHECK_TEXT, salt) };
  return { cipher, encryption };
}

/** The record of the key in use when it moves to another source. */
export async function movedKey(cipher: TextCipher, key_source: KeySource, parts: KeyParts): Promise<Encryption> {
  const salt = newSalt();
  const outer = parts.ciphers.withKey(await newKeyFrom(key_source, salt, parts));
  return { key_source, salt, check: cipher.seal(CHECK_TEXT, salt), wrapped: cipher.sealedKey(outer, salt) };
}

async function newKeyFrom(
  source: KeySource,
  salt: string,
  { ciphers, secrets, passphrase }: KeyParts,
): Promise<Buffer> {
  if (source === 'keyring') return keyInKeyring(secrets, entryName(salt));
  if (passphrase === undefined) throw refused('invalid', NO_PASSPHRASE);
  if (characterCount(passphrase) < PASSPHRASE_CHARACTERS_MIN) throw refused('invalid', SHORT_PASSPHRASE);
  return ciphers.keyFromPassphrase(passphrase, salt);
}

/** A new key in the keyring. It is read back, because a key that the keyring lost would lose every memory. */
async function keyInKeyring(secrets: SecretStore, name: string): Promise<Buffer> {
  const key = randomBytes(KEY_BYTES);
  try {
    await secrets.set(name, key.toString('base64'));
    if ((await secrets.get(name)) === key.toString('base64')) return key;
  } catch (error) {
    if (!(error instanceof SecretsUnavailable)) throw error;
    throw refused('invalid', `${NO_KEYRING} (${error.reason})`);
  }
  throw refused('invalid', NO_KEYRING);
}

function newSalt(): string {
  return randomBytes(16).toString('hex');
}

/** The keyring's name for the key of this home. */
function entryName(salt: string): string {
  return `memory-${salt}`;
}
