/**
 * The event log on a key-value engine (docs/formats/event-log.md).
 *
 * - One writer: positions are assigned in the order in which appends are decided, and every reader sees them in that
 *   order.
 * - What is visible is durable: reads stop at the head, and the head moves only after the engine's commit resolved.
 * - The events that writers and listeners get are decoded from the stored bytes: just what any later read will give.
 */
import type { Bytes, KeyValueEngine } from '../engine.ts';
import { StorageError } from '../errors.ts';
import type {
  AppendResult,
  ConsistencyProof,
  EventLog,
  InclusionProof,
  LogHead,
  LogVerification,
  ReadOptions,
  RecordedEvent,
  StreamAppend,
} from '../event-log.ts';
import { consistencyPath, frontierHash, inclusionPath, type NodeReader, treeHash } from '../merkle.ts';
import { damaged } from './damage.ts';
import { ERASED_TYPE, ERASURES_STREAM, eraseFrom } from './erase.ts';
import { Group } from './group.ts';
import { eventKey } from './keys.ts';
import { loadState } from './load.ts';
import { checkName, prepareAppend } from './prepare.ts';
import { CommitQueue, type Writers } from './queue.ts';
import { type RawEvent, readAll, readRaw, readStream } from './reads.ts';
import { decodeEvent, leafOf, toHex } from './record.ts';
import type { LogState } from './state.ts';
import { nodeReader, Tail } from './tree.ts';
import { uuidV7 } from './uuid.ts';
import { verifyLog } from './verify.ts';

export interface EventLogOptions {
  /** Unix milliseconds, for the events the log appends itself. */
  readonly clock?: () => number;
}

/** The log of `src/storage/event-log.ts`, and raw reads for export and copies. */
export interface StoredEventLog extends EventLog {
  /** Stored records by position, undecoded. */
  readRaw(options?: ReadOptions): IterableIterator<RawEvent>;
  /**
   * Appends records of another log as they are: they must be intact and continue this one. One atomic durable commit.
   */
  copy(records: readonly Bytes[]): Promise<void>;
}

/** Opens the log that `engine` holds, in a time that does not grow with it. The engine stays the caller's to close. */
export function openEventLog(engine: KeyValueEngine, options: EventLogOptions = {}): StoredEventLog {
  return new EngineEventLog(engine, options.clock ?? Date.now);
}

type Listener = (events: readonly RecordedEvent[]) => void;

class EngineEventLog implements StoredEventLog {
  readonly #engine: KeyValueEngine;
  readonly #clock: () => number;
  readonly #state: LogState;
  readonly #tail: Tail;
  readonly #nodes: NodeReader;
  readonly #queue: CommitQueue<Group>;
  readonly #listeners = new Set<Listener>();
  #isClosed = false;

  constructor(engine: KeyValueEngine, clock: () => number) {
    this.#engine = engine;
    this.#clock = clock;
    this.#state = loadState(engine);
    this.#tail = new Tail(engine, this.#state.frontier.size);
    this.#nodes = nodeReader(engine, this.#tail);
    this.#queue = new CommitQueue({
      begin: (before) => new Group({ reader: engine, state: this.#state, tail: this.#tail }, before),
      commit: (group, who) => this.#commit(group, who),
      tell: ({ events }) => this.#tell(events),
    });
  }

  get failure(): StorageError | null {
    return this.#engine.failure;
  }

  append(batch: readonly StreamAppend[]): Promise<AppendResult> {
    try {
      this.#checkWritable();
      const prepared = prepareAppend(batch);
      for (const { stream } of batch) {
        if (stream !== ERASURES_STREAM) continue;
        throw new StorageError('STORAGE_VALUE_INVALID', `Only the log itself appends to ${ERASURES_STREAM}.`);
      }
      const decide = (group: Group) => group.decide(prepared);
      return this.#queue.add({ bytes: prepared.bytes, isAlone: false, decide }) as Promise<AppendResult>;
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

  at(position: number): RecordedEvent | undefined {
    if (!Number.isSafeInteger(position) || position < 1 || position > this.#state.frontier.size) return undefined;
    const record = this.#engine.get(eventKey(position));
    if (record === undefined) throw damaged(`the event at position ${position} is missing`);
    return decodeEvent(record, position);
  }

  streamVersion(stream: string): number {
    checkName('stream name', stream);
    return this.#state.versions.get(stream);
  }

  head(): LogHead {
    const { frontier, at } = this.#state;
    return { position: frontier.size, treeHash: toHex(frontierHash(frontier)), at };
  }

  treeHash(size: number): string {
    this.#checkSize(size);
    return toHex(size === this.#state.frontier.size ? frontierHash(this.#state.frontier) : treeHash(size, this.#nodes));
  }

  inclusionProof(position: number, size: number): InclusionProof {
    this.#checkSize(size);
    if (!Number.isSafeInteger(position) || position < 1 || position > size) {
      throw new RangeError(`The position must lie between 1 and ${size}; it is ${position}.`);
    }
    const record = this.#engine.get(eventKey(position));
    if (record === undefined) throw damaged(`the event at position ${position} is missing`);
    const path = inclusionPath(position - 1, size, this.#nodes).map(toHex);
    return { position, size, leafHash: toHex(leafOf(record)), path, treeHash: this.treeHash(size) };
  }

  consistencyProof(from: number, to: number): ConsistencyProof {
    this.#checkSize(to);
    this.#checkSize(from);
    if (from > to)
      throw new RangeError(`A consistency proof goes from a smaller size to a larger, not ${from} to ${to}.`);
    const path = consistencyPath(from, to, this.#nodes).map(toHex);
    return { from, to, path, fromHash: this.treeHash(from), toHash: this.treeHash(to) };
  }

  onAppended(listener: Listener): () => void {
    const own: Listener = (events) => listener(events);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  async copy(records: readonly Bytes[]): Promise<void> {
    this.#checkWritable();
    const bytes = records.reduce((sum, record) => sum + record.length, 0);
    await this.#queue.add({ bytes, isAlone: true, decide: (group) => group.copy(records) });
  }

  async erase(positions: readonly number[]): Promise<void> {
    this.#checkWritable();
    const decide = (group: Group) => this.#erase(group, positions);
    await this.#queue.add({ bytes: positions.length * 512, isAlone: true, decide });
  }

  verify(progress?: (done: number, total: number) => void): Promise<LogVerification> {
    return verifyLog(this.#engine, progress);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#queue.idle();
    this.#listeners.clear();
  }

  async #commit(group: Group, who: Writers): Promise<void> {
    const changes = group.seal();
    if (changes.length === 0) return;
    await this.#engine.commit(changes, { durable: true, ...who });
    group.apply();
  }

  /** The events are durable whatever a listener does: its error is a bug of the program and ends up as uncaught. */
  #tell(events: readonly RecordedEvent[]): void {
    if (events.length === 0) return;
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

  #erase(group: Group, positions: readonly number[]): void {
    for (const position of positions) {
      if (Number.isSafeInteger(position) && position >= 1 && position <= this.#state.frontier.size) continue;
      throw new RangeError(`There is no event at position ${position}; the log ends at ${this.#state.frontier.size}.`);
    }
    const { changes, records } = eraseFrom(this.#engine, positions);
    if (records.length === 0) return;
    const at = this.#clock();
    const events = records.map((data) => ({
      id: uuidV7(at),
      type: ERASED_TYPE,
      schema: 1,
      at,
      actor: 'system',
      correlation: null,
      causation: null,
      data,
    }));
    group.changes.push(...changes);
    group.decide(prepareAppend([{ stream: ERASURES_STREAM, expectedVersion: 'any', events }]));
  }

  #checkSize(size: number): void {
    const head = this.#state.frontier.size;
    if (Number.isSafeInteger(size) && size >= 0 && size <= head) return;
    throw new RangeError(`A tree size must be a whole number from 0 to ${head}; it is ${size}.`);
  }

  #checkWritable(): void {
    if (this.#isClosed) throw new StorageError('STORAGE_CLOSED', 'The event log is closed.');
    const { failure } = this.#engine;
    if (failure === null) return;
    throw new StorageError('STORAGE_READ_ONLY', `The log is read-only since an error: ${failure.message}`, {
      cause: failure,
    });
  }
}
