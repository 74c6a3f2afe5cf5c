/**
 * The event log's public interface: all that the rest of Daybook sees of the storage. `openEventLog` in
 * `log/event-log.ts` opens a log on any key-value engine.
 *
 * - Positions number the events of the whole log, versions those of one stream. Both start at 1 and have no gaps.
 * - The events of a resolved `append` are durable. Readers and listeners see only durable events.
 * - The leaf hash of an event is SHA-256(0x00 ‖ canonical bytes). The canonical bytes are the RFC 8785 JSON of
 *   `{position, stream, version, id, type, schema, at, actor, correlation, causation, data}`.
 *
 *     await log.append([{ stream: 'note-7', expectedVersion: 'none', events: [created] }]);
 *     for (const event of log.readStream('note-7')) console.log(event.version, event.type);
 */

/** The stream to which the log itself appends the positions of erased payloads. Other appends to it are refused. */
export const ERASURES_STREAM = 'log-erasures';

/** An append-only log of events, grouped into streams, with an RFC 9162 Merkle tree over all of them. */
export interface EventLog {
  /**
   * Appends to one or several streams in one atomic, durable commit; concurrent calls share a commit (group commit).
   * One append holds at most 10 000 events and 64 MiB of canonical JSON, one event at most 16 MiB.
   *
   * A version conflict is a result, not an error. Rejects with a `StorageError`: `STORAGE_VALUE_INVALID` when the
   * append itself is malformed, `STORAGE_BUSY` when too many appends wait for the disk, `STORAGE_READ_ONLY` or
   * `STORAGE_CLOSED` when the log takes no appends, `STORAGE_IO` or `STORAGE_FULL` when the commit failed. A log in a
   * database also rejects with `STORAGE_UNAVAILABLE` when the database does not answer: the append may have happened,
   * and a retry with the same ids gets its answer. It rejects with `STORAGE_FENCED` when a lease of `options` was lost.
   */
  append(batch: readonly StreamAppend[], options?: AppendOptions): Promise<AppendResult>;
  /**
   * The events by position, up to the head at the time of the call. Lazy: a limit of 10 over a million events reads
   * ten. Iterating throws `RangeError` for malformed options and `STORAGE_CORRUPT` for damage.
   */
  readAll(options?: ReadOptions): IterableIterator<RecordedEvent>;
  /** The events of one stream by version, where `after` is a version; otherwise as `readAll`. */
  readStream(stream: string, options?: ReadOptions): IterableIterator<RecordedEvent>;
  /**
   * Where the events of a category are, by stream name and version, up to the head at the time of the call. A category
   * is what precedes the first `-` in a stream's name. Lazy; reads the stream index and no event. Iterating throws
   * `STORAGE_CORRUPT` for damage.
   */
  placesOf(category: string): IterableIterator<EventPlace>;
  /** The event at a position, or undefined when there is none. */
  at(position: number): RecordedEvent | undefined;
  /** The version of the last event of a stream; 0 when the stream does not exist, also for an invalid name. */
  streamVersion(stream: string): number;
  head(): LogHead;
  /** The root hash over the first `size` events, 64 hex digits. Throws `RangeError` unless 0 ≤ size ≤ head. */
  treeHash(size: number): string;
  /** Proves an event to be part of the first `size` events. Throws `RangeError` unless 1 ≤ position ≤ size ≤ head. */
  inclusionProof(position: number, size: number): InclusionProof;
  /**
   * Proves the first `from` events to be a prefix of the first `to`. Throws `RangeError` unless 0 ≤ from ≤ to ≤ head.
   */
  consistencyProof(from: number, to: number): ConsistencyProof;
  /**
   * Hashes of the tree, 32 bytes each, one after the other: the roots of the complete subtrees over 256^`level` leaves
   * each, `count` of them from number `first` (from 0). Level 0 holds the leaf hashes. Throws `RangeError` when the log
   * does not have all of them.
   */
  treeHashes(range: TreeHashRange): Uint8Array;
  /**
   * Calls `listener` with the events of each commit, in order of position. The call is synchronous and precedes the
   * resolution of the append's promise, so a writer that continues finds the listener's work done. Returns the function
   * that unsubscribes.
   */
  onAppended(listener: (events: readonly RecordedEvent[]) => void): () => void;
  /**
   * Replaces payloads by tombstones, which keep the leaf hashes, and appends `PayloadErased` events that name them. The
   * bytes leave the disk when the engine compacts. Positions that are erased already are skipped. Rejects with a
   * `RangeError` when a position does not exist or holds the record of an erasure, and with `STORAGE_VALUE_INVALID`
   * when these events exceed one append, which 300 000 positions do not. Then nothing is erased.
   */
  erase(positions: readonly number[]): Promise<void>;
  /**
   * Recomputes every leaf hash, version, index and tree node from the stored bytes. Reports at most 100 faults and does
   * not throw for them. `progress` receives the events checked and the events in total. Rejects with `STORAGE_CLOSED`
   * when the store is closed meanwhile.
   */
  verify(progress?: (done: number, total: number) => void): Promise<LogVerification>;
  /** Why the log refuses appends, null while it accepts them. Reads still work. */
  readonly failure: Error | null;
  /** Refuses new appends and resolves when the pending ones are answered. The engine stays open. */
  close(): Promise<void>;
}

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** An event to append. */
export interface NewEvent {
  /** UUIDv7 in lower case. Also the idempotency key: a retried append is recognised by its ids. */
  readonly id: string;
  readonly type: string;
  /** Version of the schema of `data`, from 1. */
  readonly schema: number;
  /** Unix time in milliseconds. */
  readonly at: number;
  /** Who caused the event: `owner`, `system`, `agent:<run>` … */
  readonly actor: string;
  /** The request or run that the event belongs to. */
  readonly correlation: string | null;
  /** The command or event that led to this event. */
  readonly causation: string | null;
  readonly data: Json;
}

/** An event as the log holds it. After an erasure `data` is null and `erased` is true; all other fields stay. */
export interface RecordedEvent extends NewEvent {
  readonly position: number;
  readonly stream: string;
  readonly version: number;
  /** 64 lower-case hex digits. */
  readonly leafHash: string;
  readonly erased?: true;
}

/** `none`: the stream must not exist. A number: the stream must be at that version. `any`: no condition. */
export type ExpectedVersion = number | 'any' | 'none';

export interface StreamAppend {
  readonly stream: string;
  readonly expectedVersion: ExpectedVersion;
  readonly events: readonly NewEvent[];
}

/** A lease with its holder and epoch. */
export interface Fence {
  readonly name: string;
  readonly holder: string;
  /** Grows whenever the lease changes its holder. */
  readonly epoch: number;
}

export interface AppendOptions {
  /**
   * Leases that must still be held when the append is committed. A log that only one process can open has no leases and
   * ignores them.
   */
  readonly fences?: readonly Fence[];
}

export type AppendResult =
  | { readonly kind: 'appended'; readonly events: readonly RecordedEvent[] }
  /** The log holds every event id of the append already: the events as they were recorded the first time. */
  | { readonly kind: 'duplicate'; readonly events: readonly RecordedEvent[] }
  | { readonly kind: 'conflict'; readonly stream: string; readonly expected: ExpectedVersion; readonly actual: number };

export interface ReadOptions {
  /** Exclusive start: events after this position or version, and in a reverse read events before it. */
  readonly after?: number;
  /** Number of events at most; unlimited when absent. */
  readonly limit?: number;
  /** Newest first. */
  readonly reverse?: boolean;
}

/** Consecutive positions whose events one append added to one stream. */
export interface EventPlace {
  /** Position of the first event. */
  readonly position: number;
  /** Number of events. */
  readonly count: number;
}

/** The end of the log. In an empty log `position` is 0 and `at` is null. */
export interface LogHead {
  readonly position: number;
  /** Root hash over all events, 64 hex digits. */
  readonly treeHash: string;
  /** Time of the newest event, Unix milliseconds. */
  readonly at: number | null;
}

/** An RFC 9162 audit path. Hashes in hex, the path from the leaf upward. */
export interface InclusionProof {
  readonly position: number;
  readonly size: number;
  readonly leafHash: string;
  readonly path: readonly string[];
  readonly treeHash: string;
}

/** An RFC 9162 consistency proof between the trees over the first `from` and the first `to` events. Hashes in hex. */
export interface ConsistencyProof {
  readonly from: number;
  readonly to: number;
  readonly path: readonly string[];
  readonly fromHash: string;
  readonly toHash: string;
}

/** Some hashes of one level of the tree's tiles. */
export interface TreeHashRange {
  /** 0 for the leaves; each further level is eight levels of the tree. */
  readonly level: number;
  readonly first: number;
  readonly count: number;
}

export interface LogVerification {
  readonly ok: boolean;
  /** Number of events checked. */
  readonly head: number;
  readonly treeHash: string;
  /** Faults found: the file, the byte offset when known, and a sentence. */
  readonly errors: readonly { readonly file: string; readonly offset: number | null; readonly what: string }[];
}

/** The events after a position of the log, lazily and in order: of one stream, or of all streams. */
export function eventsAfter(
  log: Pick<EventLog, 'readAll' | 'readStream' | 'streamVersion'>,
  position: number,
  stream: string | undefined,
): IterableIterator<RecordedEvent> {
  if (stream === undefined) return log.readAll({ after: position });
  return log.readStream(stream, { after: versionAt(log, position, stream) });
}

/**
 * The number of events of a stream up to a position of the log. Positions ascend with versions, so a binary search
 * finds it.
 */
export function versionAt(
  log: Pick<EventLog, 'readStream' | 'streamVersion'>,
  position: number,
  stream: string,
): number {
  let [before, through] = [0, log.streamVersion(stream)];
  while (before < through) {
    const middle = Math.floor((before + through) / 2);
    const [event] = log.readStream(stream, { after: middle, limit: 1 });
    if (event!.position > position) through = middle;
    else before = middle + 1;
  }
  return before;
}
