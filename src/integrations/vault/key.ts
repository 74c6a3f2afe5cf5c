/** The key of the vault: created once, and kept as a passphrase, in the keyring or in a file beside the vault. */
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readPrivateFile, writeFileAtomically } from '../../lib/atomic-file.ts';
import { characterCount } from '../../lib/characters.ts';
import { VaultTrouble } from '../../ports/secret-vault.ts';
import { type SecretStore, SecretsUnavailable } from '../../ports/secrets.ts';
import { KEY_BYTES } from '../../ports/text-cipher.ts';

export const KEY_SOURCES = ['keyring', 'passphrase', 'file'] as const;
export type VaultKeySource = (typeof KEY_SOURCES)[number];

export interface VaultKeyParts {
  readonly keyring: SecretStore;
  readonly passphrase: string | undefined;
  readonly stretch: (passphrase: string, salt: string) => Promise<Buffer>;
  readonly keyFile: string;
}

const PASSPHRASE_CHARACTERS_MIN = 8;

/** A new key with its source: the passphrase if one is set, else the keyring, else a file. Throws `VaultTrouble`. */
export async function newVaultKey(parts: VaultKeyParts, salt: string): Promise<[VaultKeySource, Buffer]> {
  const { keyring, passphrase, stretch, keyFile } = parts;
  if (passphrase !== undefined && passphrase !== '') {
    if (characterCount(passphrase) >= PASSPHRASE_CHARACTERS_MIN) return ['passphrase', await stretch(passphrase, salt)];
    throw new VaultTrouble(`DAYBOOK_VAULT_PASSPHRASE must have at least ${PASSPHRASE_CHARACTERS_MIN} characters.`);
  }
  const key = randomBytes(KEY_BYTES);
  const text = key.toString('base64');
  if (await isKept(keyring, { name: entryName(salt), text })) return ['keyring', key];
  // A key file of an earlier vault is not overwritten: that vault may be restored from a backup.
  const earlier = keyIn(await readPrivate(keyFile));
  if (earlier !== null) return ['file', earlier];
  await writePrivate(keyFile, `${text}\n`);
  return ['file', key];
}

/** The key of an existing vault. Throws `VaultTrouble` when the recorded source does not have it. */
export async function recordedVaultKey(
  parts: VaultKeyParts,
  { source, salt }: { readonly source: VaultKeySource; readonly salt: string },
): Promise<Buffer> {
  const { keyring, passphrase, stretch, keyFile } = parts;
  switch (source) {
    case 'passphrase':
      if (passphrase !== undefined && passphrase !== '') return stretch(passphrase, salt);
      throw new VaultTrouble('The vault is locked: start the daemon with DAYBOOK_VAULT_PASSPHRASE.');
    case 'keyring':
      return keyOf(await askKeyring(keyring, entryName(salt)), `the keyring's entry ${entryName(salt)} of daybook`);
    case 'file':
      return keyOf(await readPrivate(keyFile), keyFile);
  }
}

/** Stores the secret and reads it back: some keyrings accept a secret and lose it. */
async function isKept(keyring: SecretStore, { name, text }: { name: string; text: string }): Promise<boolean> {
  try {
    await keyring.set(name, text);
    return (await keyring.get(name)) === text;
  } catch (error) {
    if (error instanceof SecretsUnavailable) return false;
    throw error;
  }
}

async function askKeyring(keyring: SecretStore, name: string): Promise<string | null> {
  try {
    return await keyring.get(name);
  } catch (error) {
    if (!(error instanceof SecretsUnavailable)) throw error;
    throw new VaultTrouble(`The vault is locked: its key is in the keyring, which does not answer (${error.reason}).`);
  }
}

function keyOf(text: string | null, place: string): Buffer {
  const key = keyIn(text);
  if (key !== null) return key;
  throw new VaultTrouble(`The vault cannot be opened: its key is not in ${place}. Put it back from a backup.`);
}

function keyIn(text: string | null): Buffer | null {
  const key = Buffer.from(text?.trim() ?? '', 'base64');
  return key.length === KEY_BYTES ? key : null;
}

/** The text of a file; null when there is none, or only a link. */
function readPrivate(path: string): Promise<string | null> {
  return readPrivateFile(path).catch(({ code = 'unknown error' }: NodeJS.ErrnoException) => {
    if (code === 'ELOOP') return null;
    throw new VaultTrouble(`The vault cannot be opened: ${path} cannot be read (${code}).`);
  });
}

/** Replaces a file of the vault as a whole and creates its folder. Throws `VaultTrouble`. */
export async function writePrivate(path: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFileAtomically(path, text);
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new VaultTrouble(`The vault cannot be written: ${path} (${code}). Nothing was kept.`);
  }
}

function entryName(salt: string): string {
  return `vault-${salt}`;
}
