/**
 * Keys that all daemons of a log must share: the key that signs the log, the passphrase of the vaults, the key of the
 * memories. The first daemon records fingerprints in the database. A daemon with other keys does not start.
 */
import { hash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { keyPart, LOG_KEY_STREAM_ID, logKey } from '../commands/tlog/log-key.ts';
import { ConfigError } from '../config.ts';
import { keyFromPassphrase } from '../integrations/vault/text-cipher.ts';
import type { Leases } from '../ports/leases.ts';
import { LogKeyTrouble } from '../ports/log-keys.ts';
import type { NodeTable } from '../ports/nodes.ts';
import type { EncryptionProcess } from '../reactors/memory/encryption.ts';
import { type LogKeys, vkeyOf } from '../reactors/tlog/log-keys.ts';
import type { CommandHandler } from '../streams/command-handler.ts';

const LOG_KEY = 'log_key';
const VAULT_PASSPHRASE = 'vault_passphrase';
const SALT_BYTES = 16;
/** Held by the daemon that creates the first key, until the key is recorded. */
const CREATION_LEASE = 'log-key';
const CREATION_RETRY_MS = 100;

interface AgreedKeysParts {
  readonly table: Pick<NodeTable, 'facts' | 'agree'>;
  readonly leases: Pick<Leases, 'acquire' | 'release'>;
  readonly logKeys: Pick<LogKeys, 'open'>;
  readonly commandHandler: Pick<CommandHandler, 'load'>;
  readonly encryptionProcess: Pick<EncryptionProcess, 'hasOtherKey'>;
  readonly vaultPassphrase: string | undefined;
}

/** Compares the keys, and records them if they are the first. Rejects with a `ConfigError` when a key differs. */
export async function agreeOnKeys(parts: AgreedKeysParts): Promise<void> {
  if (parts.encryptionProcess.hasOtherKey) {
    throw new ConfigError(
      'The memories of this log are encrypted with another key than the one given here (DAYBOOK_MEMORY_PASSPHRASE): ' +
        'all daemons of a log need the same.',
    );
  }
  await agreeOnLogKey(parts);
  await agreeOnPassphrase(parts);
}

interface ComparisonParts {
  /** Rejects with code `STORAGE_UNAVAILABLE` while the database is unreachable, or when a key differs. */
  readonly compare: () => Promise<void>;
  readonly leases: Pick<Leases, 'onTableRead'>;
  readonly announce: (line: string) => void;
  /** Called when a deferred comparison finds a difference. */
  readonly differ: () => void;
}

/**
 * Compares the keys, and rejects when one differs. While the database is unreachable, the daemon starts from its copy
 * and the comparison is deferred until the database is reachable.
 */
export async function compareOnceThere({ compare, leases, announce, differ }: ComparisonParts): Promise<void> {
  const later = (): void => {
    const leave = leases.onTableRead(() => {
      leave();
      void compare().catch((error: Error) => {
        if (isUnavailable(error)) return later();
        announce(`The daemon stops: ${error.message}`);
        differ();
      });
    });
  };
  await compare().catch((error: Error) => {
    if (!isUnavailable(error)) throw error;
    announce(`The keys of this log are compared when its database is there again: ${error.message}`);
    later();
  });
}

function isUnavailable(error: Error): boolean {
  return 'code' in error && error.code === 'STORAGE_UNAVAILABLE';
}

/**
 * Called before a key is created. Throws `LogKeyTrouble` when another daemon has created the key of this log. Of several
 * daemons that start at the same time one creates the key; the others wait until it is recorded.
 */
export async function refuseSecondKey({ table, leases }: Pick<AgreedKeysParts, 'table' | 'leases'>): Promise<void> {
  while ((await leases.acquire(CREATION_LEASE)) === null) {
    if (LOG_KEY in (await table.facts([LOG_KEY]))) break;
    await sleep(CREATION_RETRY_MS);
  }
  if (!(LOG_KEY in (await table.facts([LOG_KEY])))) return;
  await leases.release(CREATION_LEASE);
  throw new LogKeyTrouble(
    'The key that signs this log is at other daemons of it. They sign; to sign here, too, put a copy of their log.key ' +
      'into the home, or name it with DAYBOOK_LOG_KEY. If none has it any more, see "Keys" in docs/nodes.md.',
  );
}

async function agreeOnLogKey({ table, leases, logKeys, commandHandler }: AgreedKeysParts): Promise<void> {
  const keys = await logKeys.open().catch((error: unknown) => {
    // Without a key this daemon signs nothing; `Checkpoints` reports the reason.
    if (error instanceof LogKeyTrouble) return null;
    throw error;
  });
  if (keys === null) return;
  const { [LOG_KEY]: known } = await table.agree({ [LOG_KEY]: keys.logId });
  await leases.release(CREATION_LEASE);
  const { logId, current } = commandHandler.load(logKey, LOG_KEY_STREAM_ID);
  // A rotation of an earlier key, which every daemon has lost, says nothing about this one.
  const isCurrent =
    current === null || logId !== keys.logId || keyPart(current) === keyPart(vkeyOf(keys.origin, keys.log));
  if (known === keys.logId && isCurrent) return;
  throw new ConfigError(
    'The key that signs this log is another one than the one here (log.key in the home, or DAYBOOK_LOG_KEY). Put a copy ' +
      'of the file of another daemon in its place; without any file this daemon leaves the signing to the others.',
  );
}

async function agreeOnPassphrase({ table, vaultPassphrase }: AgreedKeysParts): Promise<void> {
  if (vaultPassphrase === undefined || vaultPassphrase === '') return;
  const own = await fingerprint(vaultPassphrase, randomBytes(SALT_BYTES).toString('hex'));
  const { [VAULT_PASSPHRASE]: known = own } = await table.agree({ [VAULT_PASSPHRASE]: own });
  const [salt = ''] = known.split(':', 1);
  if ((await fingerprint(vaultPassphrase, salt)) === known) return;
  throw new ConfigError(
    'DAYBOOK_VAULT_PASSPHRASE is another one than that of the other daemons of this log: all of them need the same.',
  );
}

/** A salted hash of the key derived from the passphrase: no easier to guess from than the vault. */
async function fingerprint(passphrase: string, salt: string): Promise<string> {
  const key = await keyFromPassphrase(passphrase, salt);
  return `${salt}:${hash('sha256', key)}`;
}
