/**
 * The event log on a key-value engine (docs/formats/event-log.md).
 *
 * - Single writer: appends are decided one after the other, and positions are assigned in that order.
 * - Visible events are durable: reads stop at the head, and the head advances only after the engine's commit resolved.
 * - Writers and listeners get events equal to those that any later read returns.
 */
import type { Bytes, KeyValueEngine } from '../engine.ts';
import { StorageError, valueInvalid } from '../errors.ts';
import {
  type AppendOptions,
  type AppendResult,
  type ConsistencyProof,
  ERASURES_STREAM,
  type EventLog,
  type EventPlace,
  type InclusionProof,
  type LogHead,
  type LogVerification,
  type ReadOptions,
  type RecordedEvent,
  type StreamAppend,
  type TreeHashRange,
} from '../event-log.ts';
import { AppendBatch } from './append-batch.ts';
import { AppendQueue, type BatchCircumstances } from './append-queue.ts';
import { erasureOf } from './erase.ts';
import { isName, prepareAppend } from './prepare.ts';
import type { Primary } from './primary.ts';
import { Proofs } from './proofs.ts';
import { type RawEvent, readAll, readPlaces, readRaw, readStream, recordAt } from './reads.ts';
import { decodeEvent } from './record.ts';
import { Replica } from './replica.ts';
import { headOf, type LogState, loadState, treeOf } from './state.ts';
import { PartialTile } from './tiles.ts';
import { verifyLog } from './verify.ts';

export interface EventLogOptions {
  /** Unix milliseconds; stamps the events that the log itself appends. Default: `Date.now`. */
  readonly clock?: () => number;
  /** Why appends and copies are refused at the moment; null while they are accepted, as by default. */
  readonly refusal?: () => StorageError | null;
}

export interface ReplicatedLogOptions extends EventLogOptions {
  /** The store that this log copies. */
  readonly primary: Primary;
  /** Called once, when the primary turns out to have another history than the log. */
  readonly broke?: (reason: StorageError) => void;
}

/** An `EventLog` that also reads and copies stored records, for export, import and migration. */
export interface StoredEventLog extends EventLog {
  /** The stored records by position, not decoded. */
  readRaw(options?: ReadOptions): IterableIterator<RawEvent>;
  /**
   * Appends records of another log unchanged, in one atomic, durable commit. Rejects with `STORAGE_VALUE_INVALID`
   * unless every record is intact and continues this log.
   */
  copy(records: readonly Bytes[]): Promise<void>;
}

/** A log whose engine holds a copy of a primary store. */
export interface ReplicatedEventLog extends StoredEventLog {
  /**
   * Copies the events that the log lacks; `progress` receives the positions of the log and of the primary. Rejects with
   * `STORAGE_UNAVAILABLE`, and with `STORAGE_CORRUPT` when the primary has other events than the log.
   */
  follow(progress?: (done: number, total: number) => void): Promise<void>;
  /** Compares the leaf hashes up to a position with the primary. Rejects as `follow`. */
  compare(through: number): Promise<void>;
}

/**
 * Opens the log in `engine`, in a time that does not depend on its length. Closing the log leaves the engine open.
 * Throws `STORAGE_CORRUPT` when the head does not match the last event.
 */
export function openEventLog(engine: KeyValueEngine, options: EventLogOptions = {}): StoredEventLog {
  return new EngineEventLog(engine, options);
}

/** Like `openEventLog`, for an engine with a copy of `primary`. `follow` copies the events that it lacks. */
export function openReplicatedLog(engine: KeyValueEngine, options: ReplicatedLogOptions): ReplicatedEventLog {
  return new EngineEventLog(engine, options);
}

/** Approximate size of the tombstone and the erasure record of one event. */
const ERASED_BYTES = 512;

type Listener = (events: readonly RecordedEvent[]) => void;

class EngineEventLog implements ReplicatedEventLog {
  readonly #engine: KeyValueEngine;
  readonly #clock: () => number;
  readonly #refusal: () => StorageError | null;
  readonly #state: LogState;
  readonly #partialTile: PartialTile;
  readonly #proofs: Proofs;
  readonly #queue: AppendQueue<AppendBatch>;
  readonly #replica: Replica | null;
  readonly #listeners = new Set<Listener>();
  #isClosed = false;

  constructor(engine: KeyValueEngine, options: EventLogOptions & Partial<ReplicatedLogOptions>) {
    const { clock = Date.now, refusal = () => null, primary, broke = () => {} } = options;
    this.#engine = engine;
    this.#clock = clock;
    this.#refusal = refusal;
    this.#state = loadState(engine);
    this.#partialTile = new PartialTile(engine, this.#state.frontier.size);
    this.#proofs = new Proofs({ reader: engine, state: this.#state, partialTile: this.#partialTile });
    this.#replica = primary === undefined ? null : this.#replicaOf(primary, broke);
    this.#queue = new AppendQueue({
      begin: () => this.#begin(),
      commit: (batch, circumstances) => this.#commit(batch, circumstances),
      notify: (batch) => this.#notify(batch),
    });
  }

  get failure(): StorageError | null {
    return this.#engine.failure ?? this.#replica?.failure ?? this.#refusal();
  }

  append(batch: readonly StreamAppend[], { fences = [] }: AppendOptions = {}): Promise<AppendResult> {
    try {
      this.#checkAccepting();
      const prepared = prepareAppend(batch);
      for (const { stream } of batch) {
        if (stream !== ERASURES_STREAM) continue;
        throw valueInvalid(`Only the log itself appends to ${ERASURES_STREAM}.`);
      }
      const decide = (pending: AppendBatch) => {
        this.#replica?.lostFences.check(fences);
        const result = pending.decide(prepared);
        if (result.kind === 'appended') pending.fences.push(...fences);
        return result;
      };
      return this.#queue.add({ bytes: prepared.bytes, isExclusive: false, decide }) as Promise<AppendResult>;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  readAll(options: ReadOptions = {}): IterableIterator<RecordedEvent> {
    return readAll(this.#engine, this.#state.frontier.size, options);
  }

  readRaw(options: ReadOptions = {}): IterableIterator<RawEvent> {
    return readRaw(this.#engine, this.#state.frontier.size, options);
  }

  readStream(stream: string, options: ReadOptions = {}): IterableIterator<RecordedEvent> {
    return readStream(this.#engine, { name: stream, version: this.streamVersion(stream) }, options);
  }

  placesOf(category: string): IterableIterator<EventPlace> {
    return readPlaces(this.#engine, category, this.#state.frontier.size);
  }

  at(position: number): RecordedEvent | undefined {
    if (!Number.isSafeInteger(position) || position < 1 || position > this.#state.frontier.size) return undefined;
    return decodeEvent(recordAt(this.#engine, position), position);
  }

  streamVersion(stream: string): number {
    return isName(stream) ? this.#state.versions.get(stream) : 0;
  }

  head(): LogHead {
    return headOf(this.#state);
  }

  treeHash(size: number): string {
    return this.#proofs.treeHash(size);
  }

  inclusionProof(position: number, size: number): InclusionProof {
    return this.#proofs.inclusion(position, size);
  }

  consistencyProof(from: number, to: number): ConsistencyProof {
    return this.#proofs.consistency(from, to);
  }

  treeHashes(range: TreeHashRange): Uint8Array {
    return this.#proofs.treeHashes(range);
  }

  onAppended(listener: Listener): () => void {
    // A wrapper: the same function may subscribe twice.
    const subscriber: Listener = (events) => listener(events);
    this.#listeners.add(subscriber);
    return () => this.#listeners.delete(subscriber);
  }

  async copy(records: readonly Bytes[]): Promise<void> {
    this.#checkAccepting();
    const bytes = records.reduce((sum, record) => sum + record.length, 0);
    await this.#queue.add({ bytes, isExclusive: true, decide: (batch) => batch.copy(records) });
  }

  async erase(positions: readonly number[]): Promise<void> {
    this.#checkWritable();
    const decide = (batch: AppendBatch) => this.#erase(batch, positions);
    await this.#queue.add({ bytes: positions.length * ERASED_BYTES, isExclusive: true, decide });
  }

  verify(progress?: (done: number, total: number) => void): Promise<LogVerification> {
    return verifyLog(this.#engine, progress);
  }

  async follow(progress: (done: number, total: number) => void = () => {}): Promise<void> {
    const decide = (batch: AppendBatch) => {
      batch.followProgress = progress;
    };
    await this.#queue.add({ bytes: 0, isExclusive: true, decide });
  }

  async compare(through: number): Promise<void> {
    await this.#replica?.compare(through);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#replica?.stop();
    await this.#queue.idle();
    this.#listeners.clear();
  }

  async #commit(batch: AppendBatch, { writers, isBusy }: BatchCircumstances): Promise<void> {
    const replica = this.#replica;
    if (batch.followProgress !== null) return replica?.follow(batch.followProgress);
    if (replica !== null) await replica.commit(batch);
    const changes = batch.seal();
    if (changes.length === 0) return;
    await this.#engine.commit(changes, { durable: replica === null, writers, offThread: isBusy });
    batch.apply();
  }

  #begin(): AppendBatch {
    return new AppendBatch({ reader: this.#engine, state: this.#state, partialTile: this.#partialTile });
  }

  #replicaOf(primary: Primary, broke: (reason: StorageError) => void): Replica {
    return new Replica({
      primary,
      broke,
      queueFollow: () => this.follow(),
      begin: () => this.#begin(),
      head: () => ({ position: this.#state.frontier.size, tree: treeOf(this.#state) }),
      leaves: (first, count) => this.treeHashes({ level: 0, first, count }),
      store: async (batch) => {
        await this.#engine.commit(batch.seal(), { durable: false });
        batch.apply();
        this.#notify(batch);
      },
    });
  }

  /** The events are durable already, so a listener's error, which is a bug, becomes an uncaught exception. */
  #notify(batch: AppendBatch): void {
    if (batch.records.length === 0 || this.#listeners.size === 0) return;
    const { events } = batch;
    for (const listener of this.#listeners) {
      try {
        listener(events);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  #erase(batch: AppendBatch, positions: readonly number[]): void {
    for (const position of positions) {
      if (Number.isSafeInteger(position) && position >= 1 && position <= this.#state.frontier.size) continue;
      throw new RangeError(`There is no event at position ${position}; the log ends at ${this.#state.frontier.size}.`);
    }
    const { tombstones, events } = erasureOf(this.#engine, positions, this.#clock());
    if (events.length === 0) return;
    // The events first: when they are refused, no payload must be gone.
    batch.decide(prepareAppend([{ stream: ERASURES_STREAM, expectedVersion: 'any', events }]));
    batch.replace(tombstones);
  }

  /** For appends and copies. Erasures are accepted also while these are refused: they free space. */
  #checkAccepting(): void {
    this.#checkWritable();
    const refusal = this.#refusal();
    if (refusal !== null) throw refusal;
  }

  #checkWritable(): void {
    if (this.#isClosed) throw new StorageError('STORAGE_CLOSED', 'The event log is closed.');
    const unreplicated = this.#replica?.obstacle ?? null;
    if (unreplicated !== null) throw unreplicated;
    const { failure } = this.#engine;
    if (failure === null) return;
    throw new StorageError('STORAGE_READ_ONLY', `The log is read-only since an error: ${failure.message}`, {
      cause: failure,
    });
  }
}
