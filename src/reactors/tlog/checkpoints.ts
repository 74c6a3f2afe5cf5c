/**
 * Signs checkpoints of the log: at most one a second while it grows, and one whenever a reply needs the newest.
 *
 * - Signing delays no append: a commit only sets a timer.
 * - A checkpoint that cannot be written, on a full disk for example, is kept in memory and written later.
 * - A log must never sign two histories. Before its first signature this process compares the newest checkpoint
 *   signed under this name with the log; if the log does not continue that checkpoint, nothing is signed.
 */
import type { Observable, Subscription } from 'rxjs';
import { refused } from '../../commands/refusal.ts';
import type { Timers } from '../../lib/timers.ts';
import { formatCheckpoint, parseCheckpoint } from '../../lib/tlog/checkpoint.ts';
import { formatNote, parseNote, signText } from '../../lib/tlog/signed-note.ts';
import type { CheckpointStore, StoredCheckpoint } from '../../ports/checkpoint-store.ts';
import type { Clock } from '../../ports/clock.ts';
import { LogKeyTrouble } from '../../ports/log-keys.ts';
import type { EventLog } from '../../storage/event-log.ts';
import type { LogKeys, OpenKeys } from './log-keys.ts';

export interface CheckpointsParts {
  readonly log: Pick<EventLog, 'head' | 'treeHash'>;
  readonly keys: LogKeys;
  readonly store: CheckpointStore;
  readonly clock: Clock;
  /** Every batch of events once it is durable. */
  readonly appended$: Observable<unknown>;
  readonly after: Timers['after'];
  readonly announce: (line: string) => void;
  /** Whether this daemon signs the checkpoints that no reply needs. */
  readonly isOnDuty: () => boolean;
}

/** Minimum time between two checkpoints that no reply needs. */
export const CHECKPOINT_MS_MIN = 1_000;
/** Time between two attempts to write the unsaved checkpoints. */
export const UNSAVED_RETRY_MS = 10_000;
/** Further unsaved checkpoints are dropped: they can be signed again from the log. */
const UNSAVED_MAX = 10_000;

type Signed = Omit<StoredCheckpoint, 'witnesses'>;

export class Checkpoints {
  readonly #parts: CheckpointsParts;
  #subscription: Subscription | undefined;
  #cancel: (() => void) | null = null;
  /** When the last checkpoint that no reply needed was signed, or could not be. */
  #triedAt = Number.NEGATIVE_INFINITY;
  #isStopped = false;
  #last: StoredCheckpoint | null = null;
  /** The name under which the newest checkpoint was compared with the log. */
  #comparedOrigin: string | null = null;
  /** Why the log signs nothing, null while it signs. */
  #trouble: string | null = null;
  /** By size, in the order in which they were signed. */
  readonly #unsaved = new Map<number, Signed>();
  /** Why checkpoints cannot be written, null when all are written. */
  #writeTrouble: string | null = null;
  #cancelRetry: (() => void) | null = null;
  /** Called with each new checkpoint. */
  #listeners: ((checkpoint: StoredCheckpoint) => void)[] = [];

  constructor(parts: CheckpointsParts) {
    this.#parts = parts;
  }

  /** Signs the head, then follows the log. Never rejects. */
  async start(): Promise<void> {
    this.#subscription = this.#parts.appended$.subscribe(() => this.#arm());
    await this.sign();
    if (this.#parts.store.isDisplaced) this.#writeUnsaved();
  }

  stop(): void {
    this.#isStopped = true;
    this.#subscription?.unsubscribe();
    this.#cancel?.();
    this.#cancelRetry?.();
    this.#parts.store.close();
  }

  onSigned(listener: (checkpoint: StoredCheckpoint) => void): void {
    this.#listeners.push(listener);
  }

  /** The newest checkpoint of this process, null before the first. */
  get last(): StoredCheckpoint | null {
    return this.#last;
  }

  /** Why the log is not signed, null while it is. Contains no path and no secret. */
  get trouble(): string | null {
    return this.#trouble;
  }

  /** The checkpoint of the head, signed if it was not yet. Throws `Refused` when the log cannot sign. */
  async newest(): Promise<StoredCheckpoint> {
    return this.#orRefuse(async () => this.#sign(await this.#parts.keys.openToSign(), this.#parts.log.head().position));
  }

  /** The checkpoint of an earlier size, signed if it was not yet. Throws `Refused`, `RangeError`. */
  async ofSize(size: number): Promise<StoredCheckpoint> {
    return this.#orRefuse(async () => this.#sign(await this.#parts.keys.openToSign(), size));
  }

  /** The signed checkpoints larger than `after`, by size. Throws `Refused`. */
  async list(page: { readonly after: number; readonly limit: number }): Promise<readonly StoredCheckpoint[]> {
    return this.#orRefuse(async () => {
      const { origin } = await this.#parts.keys.open();
      const written = this.#parts.store.list(origin, page);
      const unsaved = [...this.#unsaved.values()].filter((each) => each.origin === origin && each.size > page.after);
      if (unsaved.length === 0) return written;
      const all = [...written, ...unsaved.map((each) => ({ ...each, witnesses: [] }))];
      return all.sort((left, right) => left.size - right.size).slice(0, page.limit);
    });
  }

  async #orRefuse<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof LogKeyTrouble)) throw error;
      this.#note(error.message);
      throw refused('unavailable', error.message);
    }
  }

  #arm(): void {
    if (this.#cancel !== null || this.#isStopped) return;
    const wait = CHECKPOINT_MS_MIN - (this.#parts.clock.now() - this.#triedAt);
    this.#cancel = this.#parts.after(Math.min(CHECKPOINT_MS_MIN, Math.max(0, wait)), () => {
      this.#cancel = null;
      if (this.#parts.isOnDuty()) void this.sign();
    });
  }

  /** Signs the head in the background. Never rejects. */
  async sign(): Promise<void> {
    try {
      await this.newest();
    } catch (error) {
      this.#triedAt = this.#parts.clock.now();
      this.#note((error as Error).message);
    }
  }

  /** Announces a trouble once, although it may recur every second. */
  #note(trouble: string | null): void {
    if (trouble !== null && trouble !== this.#trouble) this.#parts.announce(`The signed log: ${trouble}`);
    this.#trouble = trouble;
  }

  #sign(keys: OpenKeys, size: number): StoredCheckpoint {
    const { log, store, clock } = this.#parts;
    const { origin } = keys;
    if (this.#comparedOrigin !== origin) this.#compare(origin);
    const known = store.ofSize(origin, size);
    if (known !== undefined) {
      if (size === log.head().position) this.#last = known;
      this.#note(this.#writeTrouble);
      return known;
    }
    const text = formatCheckpoint({ origin, size, root: Buffer.from(log.treeHash(size), 'hex') });
    const at = clock.now();
    const note = formatNote({ text, signatures: [signText(keys.log, origin, text)] });
    const checkpoint = { origin, size, at, note };
    this.#remember(checkpoint);
    const signed = { ...checkpoint, witnesses: [] };
    if (size !== log.head().position) return signed;
    this.#triedAt = at;
    this.#last = signed;
    for (const listener of this.#listeners) listener(signed);
    return signed;
  }

  /** A checkpoint that cannot be written is still valid. */
  #remember(checkpoint: Signed): void {
    try {
      this.#parts.store.add(checkpoint);
      this.#note(this.#writeTrouble);
    } catch (error) {
      if (this.#unsaved.size < UNSAVED_MAX) this.#unsaved.set(checkpoint.size, checkpoint);
      this.#retryAfter(error);
    }
  }

  #retryAfter(error: unknown): void {
    const { code = 'unknown error' } = error as { readonly code?: string };
    this.#writeTrouble = `signed checkpoints cannot be written down (${code}).`;
    this.#note(this.#writeTrouble);
    this.#retryLater();
  }

  #retryLater(): void {
    if (this.#isStopped) return;
    this.#cancelRetry ??= this.#parts.after(UNSAVED_RETRY_MS, () => {
      this.#cancelRetry = null;
      this.#writeUnsaved();
    });
  }

  #writeUnsaved(): void {
    const { store } = this.#parts;
    try {
      if (store.isDisplaced) {
        store.restore();
        // The file may know checkpoints that this process could not see at its start.
        this.#comparedOrigin = null;
      }
      for (const [size, checkpoint] of this.#unsaved) {
        store.add(checkpoint);
        this.#unsaved.delete(size);
      }
    } catch (error) {
      this.#retryAfter(error);
      return;
    }
    this.#writeTrouble = null;
    // Listeners are called again: cosignatures that came meanwhile could not be stored.
    void this.sign().then(() => {
      if (this.#last !== null) for (const listener of this.#listeners) listener(this.#last);
    });
  }

  /** Throws `LogKeyTrouble` when the log does not continue the newest checkpoint signed under this name. */
  #compare(origin: string): void {
    const { log, store } = this.#parts;
    const newest = store.newest(origin);
    if (newest !== undefined) {
      const { size, root } = parseCheckpoint(parseNote(newest.note).text);
      const head = log.head().position;
      const remedy =
        'Restore a backup with those events; if they are lost, give the log another name (DAYBOOK_LOG_ORIGIN).';
      if (size > head) {
        const what = `it has fewer events than the ${size} that it has signed: it was rolled back to an earlier state`;
        throw new LogKeyTrouble(`The log is behind itself: ${what}. ${remedy}`);
      }
      if (log.treeHash(size) !== Buffer.from(root).toString('hex')) {
        throw new LogKeyTrouble(`The log does not continue the ${size} events that it signed before. ${remedy}`);
      }
    }
    this.#comparedOrigin = origin;
  }
}
