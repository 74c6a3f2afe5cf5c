/**
 * The vault of secrets: one file, each value encrypted for its owner and name. Bytes and threats:
 * docs/formats/vault.md.
 *
 * - A file that cannot be read, or that another key opens, is never overwritten.
 * - Without a home (an ephemeral daemon) the vault lives in memory.
 */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { laterFormat, parsedJson } from '../../lib/json-text.ts';
import { Mutex } from '../../lib/keyed-mutex.ts';
import { type SecretVault, VaultTrouble } from '../../ports/secret-vault.ts';
import type { ByteCipher } from '../../ports/text-cipher.ts';
import { KEY_SOURCES, newVaultKey, recordedVaultKey, type VaultKeyParts, writePrivate } from './key.ts';

export interface VaultParts extends Omit<VaultKeyParts, 'keyFile'> {
  /** The home; null keeps everything in memory. */
  readonly home: string | null;
  readonly cipher: (key: Buffer) => ByteCipher;
}

const FORMAT = 1;
const CHECKED = 'daybook vault';

const zContent = z.object({
  format: z.literal(FORMAT),
  key_source: z.enum(KEY_SOURCES),
  salt: z.string().regex(/^[0-9a-f]{32}$/),
  check: z.string(),
  owners: z.record(z.string(), z.record(z.string(), z.string())),
});
type Content = z.infer<typeof zContent>;

export function createSecretVault(parts: VaultParts): SecretVault {
  const file = parts.home === null ? fileInMemory() : fileAt(join(parts.home, 'vault', 'vault.json'));
  const ciphers = createCiphers(parts);
  const writes = new Mutex();

  /** The secrets that can be decrypted, by owner. The key is requested only when an owner has secrets. */
  async function secretsOf(owners: readonly string[]) {
    const secrets = new Map<string, readonly (readonly [name: string, secret: string])[]>();
    const content = await file.read();
    const kept = owners.filter((owner) => content?.owners[owner] !== undefined);
    if (content === null || kept.length === 0) return secrets;
    const cipher = await ciphers.of(content);
    for (const owner of kept) {
      const entries = Object.entries(content.owners[owner]!).flatMap(([name, sealed]) => {
        const secret = open(cipher, sealed, record(content.salt, owner, name));
        return secret === null ? [] : [[name, secret] as const];
      });
      secrets.set(owner, entries);
    }
    return secrets;
  }

  return {
    read: async (owner) => Object.fromEntries((await secretsOf([owner])).get(owner) ?? []),
    async names(owners) {
      const secrets = [...(await secretsOf(owners))];
      return new Map(secrets.map(([owner, entries]) => [owner, new Set(entries.map(([name]) => name))]));
    },
    keep: (owner, secrets) =>
      writes.run(async () => {
        const content = (await file.read()) ?? (await ciphers.create());
        const cipher = await ciphers.of(content);
        const sealed = Object.entries(secrets).map(([name, secret]) => {
          return [name, seal(cipher, secret, record(content.salt, owner, name))] as const;
        });
        await file.write({ ...content, owners: { ...content.owners, [owner]: Object.fromEntries(sealed) } });
      }),
    forget: (owner) =>
      writes.run(async () => {
        const content = await file.read();
        const gone = content?.owners[owner];
        if (content === null || gone === undefined) return 0;
        const { [owner]: _, ...owners } = content.owners;
        await file.write({ ...content, owners });
        return Object.keys(gone).length;
      }),
    owners: async () => Object.keys((await file.read())?.owners ?? {}),
  };
}

interface Ciphers {
  /** The cipher of a vault, checked against it. Throws `VaultTrouble`. */
  of(content: Content): Promise<ByteCipher>;
  /** The content of a new vault without secrets. */
  create(): Promise<Content>;
}

/** Caches the cipher of one vault, so that its key is requested once. */
function createCiphers(parts: VaultParts): Ciphers {
  const keyParts: VaultKeyParts = { ...parts, keyFile: join(parts.home ?? '', 'vault', 'vault.key') };
  let known: { readonly salt: string; readonly cipher: ByteCipher } | null = null;
  return {
    async of({ key_source: source, salt, check }) {
      if (known?.salt === salt) return known.cipher;
      const cipher = parts.cipher(await recordedVaultKey(keyParts, { source, salt }));
      if (open(cipher, check, record(salt)) !== CHECKED) {
        throw new VaultTrouble(`The vault cannot be opened: the key that was found (${source}) is another one.`);
      }
      known = { salt, cipher };
      return cipher;
    },
    async create() {
      const salt = randomBytes(16).toString('hex');
      const [key_source, key] =
        parts.home === null ? (['file', randomBytes(32)] as const) : await newVaultKey(keyParts, salt);
      const cipher = parts.cipher(key);
      known = { salt, cipher };
      return { format: FORMAT, key_source, salt, check: seal(cipher, CHECKED, record(salt)), owners: {} };
    },
  };
}

interface VaultFile {
  /** null before the first secret. */
  read(): Promise<Content | null>;
  write(content: Content): Promise<void>;
}

function fileInMemory(): VaultFile {
  let held: Content | null = null;
  return {
    read: async () => held,
    write: async (content) => {
      held = content;
    },
  };
}

function fileAt(path: string): VaultFile {
  return {
    async read() {
      const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null;
        throw new VaultTrouble(`The vault cannot be read: ${path} (${error.code}).`);
      });
      return text === null ? null : parsed(text, path);
    },
    write: (content) => writePrivate(path, `${JSON.stringify(content, null, 1)}\n`),
  };
}

function parsed(text: string, path: string): Content {
  const value = parsedJson(text);
  const content = zContent.safeParse(value);
  if (content.success) return content.data;
  const fault = value === undefined ? 'is damaged: it is not JSON' : 'is damaged';
  const mend = 'Put it back from a backup, or move it away and enter the credentials again.';
  throw new VaultTrouble(`The vault ${path} ${laterFormat(value, FORMAT) ?? `${fault}. ${mend}`}`);
}

function record(...parts: readonly [salt: string, owner?: string, name?: string]): string {
  return parts.join('\n');
}

function seal(cipher: ByteCipher, secret: string, of: string): string {
  return cipher.sealBytes(Buffer.from(secret, 'utf8'), of).toString('base64');
}

/** Null when the text was sealed by another key or for another record, or is altered. */
function open(cipher: ByteCipher, sealed: string, of: string): string | null {
  try {
    return cipher.openBytes(Buffer.from(sealed, 'base64'), of).toString('utf8');
  } catch {
    return null;
  }
}
