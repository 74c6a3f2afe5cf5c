/**
 * The keys of this log while the daemon runs: created at the first start, sealed when the home is encrypted, rotated
 * when the owner asks.
 *
 * - A rotation writes both keys, then appends the event, then deletes the old key. After a crash the log shows which of
 *   the two keys is valid.
 * - Nothing is signed from the first step of a rotation to the last: a checkpoint that contains the event must have a
 *   signature of the new key.
 */
import { hash } from 'node:crypto';
import {
  keyPart,
  LOG_KEY_STREAM_ID,
  type LogKeyState,
  logKey,
  type RotateLogKey,
} from '../../commands/tlog/log-key.ts';
import { Mutex } from '../../lib/keyed-mutex.ts';
import {
  COSIGNATURE,
  ED25519,
  formatNote,
  formatVerifierKey,
  SEED_BYTES,
  type SigningKey,
  signingKey,
  signText,
  verifierKey,
} from '../../lib/tlog/signed-note.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import { type LogKeyRecord, type LogKeyStore, LogKeyTrouble, type LogSeeds } from '../../ports/log-keys.ts';
import type { ByteCipher } from '../../ports/text-cipher.ts';
import type { EventLog } from '../../storage/event-log.ts';
import type { CommandHandler } from '../../streams/command-handler.ts';

export interface LogKeysParts {
  readonly store: LogKeyStore;
  /** The encryption of this home: its cipher is null while it is locked or disabled. */
  readonly encryption: { isEncrypted(): boolean; cipher(): ByteCipher | null };
  readonly commandHandler: Pick<CommandHandler, 'load'>;
  readonly ids: Pick<IdGenerator, 'hex'>;
  readonly log: Pick<EventLog, 'head'>;
  readonly announce: (line: string) => void;
  /** The name that the settings give the log; undefined: the default name. */
  readonly origin: string | undefined;
  /** Called before the first key is created, which it prevents by throwing. */
  readonly beforeFirstKey?: (() => Promise<void>) | undefined;
}

/** Keys in use. */
export interface OpenKeys {
  readonly logId: string;
  /** Name of the log and of its key. */
  readonly origin: string;
  readonly log: SigningKey;
  readonly witnessName: string;
  readonly witness: SigningKey;
}

const DEFAULT_ORIGIN = 'daybook.local/';
const ID_DIGITS_IN_ORIGIN = 16;
const ROTATION = 'daybook-log-key-rotation/v1';

export class LogKeys {
  readonly #parts: LogKeysParts;
  readonly #mutex = new Mutex();
  /** Events that were in the log before this process wrote to it. */
  readonly #eventsAtStart: number;
  #record: LogKeyRecord | null = null;
  #keys: OpenKeys | null = null;

  constructor(parts: LogKeysParts) {
    this.#parts = parts;
    this.#eventsAtStart = parts.log.head().position;
  }

  /** Whether the keys are in use and sign the log. */
  get areSigning(): boolean {
    return this.#keys !== null && !this.#isReplaced(this.#keys);
  }

  /**
   * The keys, created if there are none, sealed if the home was encrypted meanwhile. Waits for a rotation to end.
   * Throws `LogKeyTrouble`.
   */
  async open(): Promise<OpenKeys> {
    if (this.#keys !== null && this.#isSettled(this.#record!)) return this.#keys;
    return this.#mutex.run(() => this.#open());
  }

  /** The keys that sign the log. Throws `LogKeyTrouble`, also when the log has replaced the key that is stored here. */
  async openToSign(): Promise<OpenKeys> {
    const keys = await this.open();
    this.#requireCurrent(keys);
    return keys;
  }

  /** Replaces the key of the log. Returns its verifier key, which the command has as `to`. */
  async rotate(send: (command: RotateLogKey) => Promise<unknown>): Promise<string> {
    return this.#mutex.run(async () => {
      // A rotation before this one may have recorded its key and not written it: that key must not be lost.
      this.#requireCurrent(await this.#open());
      const { logId, seeds } = this.#record!;
      const next = this.#newSeed();
      const { origin, log } = await this.#write({ logId, seeds: { ...seeds, next } });
      const keys = { from: vkeyOf(origin, log), to: vkeyOf(origin, signingKey(next)) };
      const text = `${ROTATION}\n${origin}\n${logId}\n${keys.from}\n${keys.to}\n`;
      const signatures = [signText(log, origin, text), signText(signingKey(next), origin, text)];
      const statement = formatNote({ text, signatures });
      await send({ type: 'RotateLogKey', log_id: logId, ...keys, statement });
      await this.#open();
      return keys.to;
    });
  }

  #isSettled(record: LogKeyRecord): boolean {
    return record.seeds.next === null && !this.#isToBeSealed(record);
  }

  async #open(): Promise<OpenKeys> {
    const { encryption, store } = this.#parts;
    const cipher = encryption.cipher();
    if (encryption.isEncrypted() && cipher === null) {
      throw new LogKeyTrouble('The key of the log is locked, as the memories of this home are.');
    }
    const stored = this.#record ?? (await store.read(cipher));
    if (stored === null) return this.#openFirst();
    if (this.#isSettled(stored)) return this.#use(stored);
    return this.#write({ logId: stored.logId, seeds: this.#settledSeeds(stored) });
  }

  #requireCurrent(keys: OpenKeys): void {
    if (!this.#isReplaced(keys)) return;
    throw new LogKeyTrouble(
      'The key of the log here is one that the log has replaced. Put back the newest copy of its file; without one, ' +
        'remove the file: the next start makes a new key, and without log_origin a new name of the log.',
    );
  }

  /** Whether the log has replaced the key: an older copy of the file was put back, or another daemon replaced it. */
  #isReplaced({ origin, log }: OpenKeys): boolean {
    return this.#recorded().replaced.includes(keyPart(vkeyOf(origin, log)));
  }

  #recorded(): LogKeyState {
    return this.#parts.commandHandler.load(logKey, LOG_KEY_STREAM_ID);
  }

  async #openFirst(): Promise<OpenKeys> {
    const { beforeFirstKey, announce } = this.#parts;
    await beforeFirstKey?.();
    const keys = await this.#write(this.#newRecord());
    const events = this.#eventsAtStart;
    const remedy = 'If it had a key before, stop the daemon and put the file of that key back.';
    if (events > 0) announce(`The log had ${events} events and no key here: it has a new one now. ${remedy}`);
    return keys;
  }

  #isToBeSealed({ isProtected }: LogKeyRecord): boolean {
    return !isProtected && this.#parts.encryption.cipher() !== null;
  }

  /** Completes or undoes a rotation, according to the log. */
  #settledSeeds({ seeds }: LogKeyRecord): LogSeeds {
    if (seeds.next === null) return seeds;
    const { current } = this.#recorded();
    const next = verifierKeyPart(seeds.next);
    const isRecorded = current?.endsWith(`+${next}`) === true;
    return { ...seeds, log: isRecorded ? seeds.next : seeds.log, next: null };
  }

  async #write(record: Pick<LogKeyRecord, 'logId' | 'seeds'>): Promise<OpenKeys> {
    return this.#use(await this.#parts.store.write(record, this.#parts.encryption.cipher()));
  }

  #use(record: LogKeyRecord): OpenKeys {
    const { logId, seeds } = record;
    const origin = originOf(logId, this.#parts.origin);
    const [log, witness] = [signingKey(seeds.log), signingKey(seeds.witness)];
    this.#record = record;
    this.#keys = { logId, origin, log, witness, witnessName: witnessNameOf(origin) };
    return this.#keys;
  }

  #newRecord(): Pick<LogKeyRecord, 'logId' | 'seeds'> {
    const log = this.#newSeed();
    const logId = hash('sha256', signingKey(log).publicKey);
    return { logId, seeds: { log, witness: this.#newSeed(), next: null } };
  }

  #newSeed(): Uint8Array {
    return Buffer.from(this.#parts.ids.hex(SEED_BYTES), 'hex');
  }
}

/** The verifier key of the log, as readers of its checkpoints need it. */
export function vkeyOf(origin: string, { publicKey }: Pick<SigningKey, 'publicKey'>): string {
  return formatVerifierKey(verifierKey(origin, ED25519, publicKey));
}

/** The verifier key with which this Daybook cosigns the checkpoints of other logs. */
export function witnessVkeyOf(origin: string, { publicKey }: Pick<SigningKey, 'publicKey'>): string {
  return formatVerifierKey(verifierKey(witnessNameOf(origin), COSIGNATURE, publicKey));
}

export function originOf(logId: string, setting: string | undefined): string {
  return setting ?? DEFAULT_ORIGIN + logId.slice(0, ID_DIGITS_IN_ORIGIN);
}

function witnessNameOf(origin: string): string {
  return `${origin}/witness`;
}

function verifierKeyPart(seed: Uint8Array): string {
  return Buffer.concat([Buffer.of(ED25519), signingKey(seed).publicKey]).toString('base64');
}
