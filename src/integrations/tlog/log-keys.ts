/**
 * Stores the keys of the log in one small file, mode 0600 (docs/formats/checkpoint.md). The secret part is in the file,
 * sealed when the home is encrypted, or in the keyring.
 *
 * - A file that cannot be read is never replaced: with another key the log would be another log.
 * - Messages name the file without its folder, because some of them are public.
 * - Without a file (an ephemeral daemon) the keys live in memory.
 */
import { hash } from 'node:crypto';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { readPrivateFile, writeFileAtomically } from '../../lib/atomic-file.ts';
import { laterFormat, parsedJson } from '../../lib/json-text.ts';
import { SEED_BYTES, signingKey } from '../../lib/tlog/signed-note.ts';
import { type LogKeyRecord, type LogKeyStore, LogKeyTrouble, type LogSeeds } from '../../ports/log-keys.ts';
import { type SecretStore, SecretsUnavailable } from '../../ports/secrets.ts';
import type { ByteCipher } from '../../ports/text-cipher.ts';

const FORMAT = 1;

const zPublicKey = z.base64().length(44);
const zRecord = z.object({
  format: z.literal(FORMAT),
  log_id: z.string().regex(/^[0-9a-f]{64}$/),
  log: zPublicKey,
  witness: zPublicKey,
  next: zPublicKey.optional(),
  kept: z.enum(['plain', 'sealed', 'keyring']),
  secret: z.string(),
  /** `checkOf` the other fields. Detects a damaged id, with which the log would be another log. */
  check: z.string(),
});
type FileRecord = z.infer<typeof zRecord>;

export interface LogKeyFile {
  /** Null keeps the keys in memory. */
  readonly path: string | null;
  /** Null keeps the secret part in the file. */
  readonly keyring: SecretStore | null;
}

export function createLogKeyStore({ path, keyring }: LogKeyFile): LogKeyStore {
  if (path === null) return keysInMemory();
  return {
    async read(cipher) {
      const record = await readRecord(path);
      if (record === null) return null;
      const secret = await secretOf(record, { path, keyring, cipher });
      return { logId: record.log_id, seeds: seedsOf(record, secret, path), isProtected: record.kept !== 'plain' };
    },
    async write({ logId, seeds }, cipher) {
      const secret = Buffer.concat([seeds.log, seeds.witness, ...(seeds.next === null ? [] : [seeds.next])]);
      const [kept, stored] = await storedSecret({ logId, secret }, { keyring, cipher });
      const fields = { format: FORMAT, log_id: logId, ...publicPart(seeds), kept, secret: stored } as const;
      const record: FileRecord = { ...fields, check: checkOf(fields) };
      await writeFileAtomically(path, `${JSON.stringify(record, null, 1)}\n`).catch((error: NodeJS.ErrnoException) => {
        throw new LogKeyTrouble(`The key of the log cannot be written: ${basename(path)} (${error.code}).`);
      });
      return { logId, seeds, isProtected: kept !== 'plain' };
    },
  };
}

/** Path of the key file by the settings. */
export function logKeyPath({ home, log_key }: { readonly home: string; readonly log_key: string }): string {
  return log_key === 'file' || log_key === 'keyring' ? join(home, 'log.key') : log_key;
}

/** Reads the public keys without a running daemon; null before the keys are created. Throws `LogKeyTrouble`. */
export async function readPublicKeys(path: string) {
  const record = await readRecord(path);
  if (record === null) return null;
  const { log_id: logId, log, witness } = record;
  return { logId, log: Buffer.from(log, 'base64'), witness: Buffer.from(witness, 'base64') };
}

function keysInMemory(): LogKeyStore {
  let kept: LogKeyRecord | null = null;
  return {
    read: async () => kept,
    write: async (record) => {
      kept = { ...record, isProtected: true };
      return kept;
    },
  };
}

interface Access {
  readonly keyring: SecretStore | null;
  readonly cipher: ByteCipher | null;
}

async function storedSecret(
  { logId, secret }: { readonly logId: string; readonly secret: Buffer },
  { keyring, cipher }: Access,
): Promise<[FileRecord['kept'], string]> {
  if (keyring !== null) {
    const entry = `log-${logId.slice(0, 16)}`;
    const text = secret.toString('base64');
    await askKeyring(() => keyring.set(entry, text));
    // Some keyrings accept a secret and lose it.
    if ((await askKeyring(() => keyring.get(entry))) !== text)
      throw new LogKeyTrouble('The keyring does not keep the key.');
    return ['keyring', entry];
  }
  if (cipher === null) return ['plain', secret.toString('base64')];
  return ['sealed', cipher.sealBytes(secret, sealedFor(logId)).toString('base64')];
}

const SEALED =
  'The key of the log is sealed with that of the encrypted memories. Unlock them; if the memories of this log are not ' +
  'encrypted, restore a backup from after their encryption, or put back a copy of the file from before it.';

async function secretOf(
  { kept, secret, log_id: logId }: FileRecord,
  { path, keyring, cipher }: Access & { readonly path: string },
): Promise<Buffer> {
  switch (kept) {
    case 'plain':
      return Buffer.from(secret, 'base64');
    case 'sealed':
      if (cipher === null) throw new LogKeyTrouble(SEALED);
      try {
        return cipher.openBytes(Buffer.from(secret, 'base64'), sealedFor(logId));
      } catch {
        throw new LogKeyTrouble(
          `The key of the log in ${basename(path)} does not open: it is sealed with the key of other memories, or damaged.`,
        );
      }
    case 'keyring': {
      if (keyring === null) throw new LogKeyTrouble('The key of the log is in the keyring; set log_key to keyring.');
      const text = await askKeyring(() => keyring.get(secret));
      if (text === null) throw new LogKeyTrouble(`The keyring has no entry ${secret} of daybook, the key of the log.`);
      return Buffer.from(text, 'base64');
    }
  }
}

/**
 * The seeds whose public keys the record has. The keyring is written before the file, so after a crash between them the
 * keyring may lack a seed of the record: the next one of a rotation that was undone, or the one that a completed
 * rotation replaced. Throws `LogKeyTrouble` when no other seed is missing.
 */
function seedsOf(record: FileRecord, secret: Buffer, path: string): LogSeeds {
  const parts = Array.from({ length: Math.floor(secret.length / SEED_BYTES) }, (_, at) =>
    secret.subarray(at * SEED_BYTES, (at + 1) * SEED_BYTES),
  );
  const seedOf = (key?: string): Buffer | null => parts.find((seed) => publicKeyOf(seed) === key) ?? null;
  const [witness, next] = [seedOf(record.witness), seedOf(record.next)];
  const log = seedOf(record.log) ?? next;
  if (witness !== null && log !== null) return { log, witness, next };
  throw new LogKeyTrouble(`The key of the log in ${basename(path)} is damaged: its parts do not fit each other.`);
}

function publicPart({ log, witness, next }: LogSeeds) {
  return { log: publicKeyOf(log), witness: publicKeyOf(witness), ...(next !== null && { next: publicKeyOf(next) }) };
}

function publicKeyOf(seed: Uint8Array): string {
  return Buffer.from(signingKey(seed).publicKey).toString('base64');
}

async function askKeyring<Result>(ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof SecretsUnavailable)) throw error;
    throw new LogKeyTrouble(`The key of the log is in the keyring, which does not answer (${error.reason}).`);
  }
}

async function readRecord(path: string): Promise<FileRecord | null> {
  const text = await readPrivateFile(path).catch(({ code = 'unknown error' }: NodeJS.ErrnoException) => {
    throw new LogKeyTrouble(`The key of the log cannot be read: ${basename(path)} (${code}).`);
  });
  if (text === null) return null;
  const value = parsedJson(text);
  const record = zRecord.safeParse(value);
  if (record.success && record.data.check === checkOf(record.data)) return record.data;
  const what = laterFormat(value, FORMAT) ?? 'is damaged. Put it back from a backup.';
  throw new LogKeyTrouble(`The key of the log in ${basename(path)} ${what}`);
}

function checkOf({ log_id, log, witness, next = '', kept, secret }: Omit<FileRecord, 'check'>): string {
  return hash('sha256', [log_id, log, witness, next, kept, secret].join('\n')).slice(0, 16);
}

function sealedFor(logId: string): string {
  return `log.key\n${logId}`;
}
