/**
 * The vault of secrets: one file, each value encrypted for its owner and name. Bytes and threats:
 * docs/formats/vault.md.
 *
 * - Nothing is written over a file that cannot be read, or for which there is another key.
 * - Without a place (an ephemeral daemon) it lives in memory.
 */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { SecretVault } from '../../ports/secret-vault.ts';
import { VaultTrouble } from '../../ports/secret-vault.ts';
import { replaceFile } from './durable.ts';
import { KEY_SOURCES, newVaultKey, recordedVaultKey, type VaultKeyParts } from './key.ts';

/** Seals bytes so that they open only with the key and for the record they were sealed for. */
export interface VaultCipher {
  sealBytes(bytes: Uint8Array, record: string): Buffer;
  openBytes(bytes: Uint8Array, record: string): Buffer;
}

export interface VaultParts extends Omit<VaultKeyParts, 'keyFile'> {
  /** The home; null keeps everything in memory. */
  readonly home: string | null;
  readonly cipher: (key: Buffer) => VaultCipher;
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

interface OpenVault {
  readonly content: Content;
  readonly cipher: VaultCipher;
}

export function createSecretVault(parts: VaultParts): SecretVault {
  const folder = join(parts.home ?? '', 'vault');
  const keyParts: VaultKeyParts = { ...parts, keyFile: join(folder, 'vault.key') };
  const file = parts.home === null ? fileInMemory() : fileAt(join(folder, 'vault.json'));
  let had: { readonly salt: string; readonly cipher: VaultCipher } | null = null;
  let last: Promise<unknown> = Promise.resolve();

  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = last.then(work, work);
    last = mine.catch(() => undefined);
    return mine;
  }

  /** The cipher of a content, checked against it. */
  async function opened(content: Content): Promise<OpenVault> {
    const { key_source: source, salt, check } = content;
    if (had?.salt === salt) return { content, cipher: had.cipher };
    const cipher = parts.cipher(await recordedVaultKey(keyParts, { source, salt }));
    if (open(cipher, check, record(salt)) !== CHECKED) {
      throw new VaultTrouble(`The vault cannot be opened: the key that was found (${source}) is another one.`);
    }
    had = { salt, cipher };
    return { content, cipher };
  }

  /** What opens, by owner; the key is not asked for where nothing was kept. */
  async function secretsOf(owners: readonly string[]) {
    const secrets = new Map<string, readonly (readonly [name: string, secret: string])[]>();
    const content = await file.read();
    const kept = owners.filter((owner) => content?.owners[owner] !== undefined);
    if (content === null || kept.length === 0) return secrets;
    const { cipher } = await opened(content);
    for (const owner of kept) {
      const entries = Object.entries(content.owners[owner]!).flatMap(([name, sealed]) => {
        const secret = open(cipher, sealed, record(content.salt, owner, name));
        return secret === null ? [] : [[name, secret] as const];
      });
      secrets.set(owner, entries);
    }
    return secrets;
  }

  async function made(): Promise<OpenVault> {
    const salt = randomBytes(16).toString('hex');
    const [key_source, key] = parts.home === null ? inMemory() : await newVaultKey(keyParts, salt);
    const cipher = parts.cipher(key);
    had = { salt, cipher };
    const check = seal(cipher, CHECKED, record(salt));
    return { content: { format: FORMAT, key_source, salt, check, owners: {} }, cipher };
  }

  return {
    async read(owner) {
      return Object.fromEntries((await secretsOf([owner])).get(owner) ?? []);
    },
    async names(owners) {
      const secrets = [...(await secretsOf(owners))];
      return new Map(secrets.map(([owner, entries]) => [owner, new Set(entries.map(([name]) => name))]));
    },
    keep(owner, secrets) {
      return inTurn(async () => {
        const before = await file.read();
        const { content, cipher } = before === null ? await made() : await opened(before);
        const sealed = Object.entries(secrets).map(([name, secret]) => {
          return [name, seal(cipher, secret, record(content.salt, owner, name))] as const;
        });
        await file.write({ ...content, owners: { ...content.owners, [owner]: Object.fromEntries(sealed) } });
      });
    },
    forget(owner) {
      return inTurn(async () => {
        const content = await file.read();
        const gone = content?.owners[owner];
        if (content === null || gone === undefined) return 0;
        const { [owner]: _, ...owners } = content.owners;
        await file.write({ ...content, owners });
        return Object.keys(gone).length;
      });
    },
    async owners() {
      return Object.keys((await file.read())?.owners ?? {});
    },
  };
}

interface VaultFile {
  /** null when nothing was kept yet. */
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

function inMemory(): ['file', Buffer] {
  return ['file', randomBytes(32)];
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
    write: (content) => replaceFile(path, `${JSON.stringify(content, null, 1)}\n`),
  };
}

function parsed(text: string, path: string): Content {
  const trouble = (what: string): VaultTrouble =>
    new VaultTrouble(
      `The vault ${path} ${what}. Put it back from a backup, or move it away and enter the credentials again.`,
    );
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw trouble('is damaged: it is not JSON');
  }
  const content = zContent.safeParse(value);
  if (content.success) return content.data;
  const { format } = (value ?? {}) as { readonly format?: unknown };
  throw trouble(typeof format === 'number' && format > FORMAT ? 'is of a later format' : 'is damaged');
}

function record(...parts: readonly [salt: string, owner?: string, name?: string]): string {
  return parts.join('\n');
}

function seal(cipher: VaultCipher, secret: string, of: string): string {
  return cipher.sealBytes(Buffer.from(secret, 'utf8'), of).toString('base64');
}

/** null when it was sealed with another key, for another record, or was changed. */
function open(cipher: VaultCipher, sealed: string, of: string): string | null {
  try {
    return cipher.openBytes(Buffer.from(sealed, 'base64'), of).toString('utf8');
  } catch {
    return null;
  }
}
