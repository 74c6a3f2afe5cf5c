/**
 * The event log: what `src/streams` sees of the storage. Types only; `openEventLog` in `log/` builds it on any engine.
 *
 * - Positions are global, dense, from 1; versions are per stream, dense, from 1.
 * - An append that resolved is durable. Nothing is visible to readers or listeners before it is durable.
 * - The leaf hash of an event is SHA-256(0x00 ‖ canonical bytes); the canonical bytes are the RFC 8785 JSON of
 *   `{position, stream, version, id, type, schema, at, actor, correlation, causation, data}`.
 */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** An event as its writer hands it over. */
export interface NewEvent {
  /** UUIDv7, lower case; the key of idempotency. */
  readonly id: string;
  readonly type: string;
  /** Version of the schema of `data`, from 1. */
  readonly schema: number;
  /** Unix time in milliseconds. */
  readonly at: number;
  /** Who: `owner`, `system`, `agent:<run>` … */
  readonly actor: string;
  /** The request or run this belongs to. */
  readonly correlation: string | null;
  /** The command or event that led to it. */
  readonly causation: string | null;
  readonly data: Json;
}

/** An event as the log holds it. After an erase `data` is null and `erased` true; everything else stays. */
export interface RecordedEvent extends NewEvent {
  readonly position: number;
  readonly stream: string;
  readonly version: number;
  /** 64 lower-case hex digits. */
  readonly leafHash: string;
  readonly erased?: true;
}

/** `none`: the stream must not exist; a number: its version must be just that; `any`: no condition. */
export type ExpectedVersion = number | 'any' | 'none';

export interface StreamAppend {
  readonly stream: string;
  readonly expectedVersion: ExpectedVersion;
  readonly events: readonly NewEvent[];
}

export type AppendResult =
  | { readonly kind: 'appended'; readonly events: readonly RecordedEvent[] }
  /** Every event id was appended before: the events as they were recorded the first time. */
  | { readonly kind: 'duplicate'; readonly events: readonly RecordedEvent[] }
  | { readonly kind: 'conflict'; readonly stream: string; readonly expected: ExpectedVersion; readonly actual: number };

export interface ReadOptions {
  /** Exclusive: events after this position (or version). Reversed: events before it. */
  readonly after?: number;
  readonly limit?: number;
  readonly reverse?: boolean;
}

/** Head of the log: `position` 0 and `at` null when empty; `treeHash` in hex. */
export interface LogHead {
  readonly position: number;
  readonly treeHash: string;
  readonly at: number | null;
}

export interface InclusionProof {
  readonly position: number;
  readonly size: number;
  readonly leafHash: string;
  readonly path: readonly string[];
  readonly treeHash: string;
}

export interface ConsistencyProof {
  readonly from: number;
  readonly to: number;
  readonly path: readonly string[];
  readonly fromHash: string;
  readonly toHash: string;
}

export interface LogVerification {
  readonly ok: boolean;
  readonly head: number;
  readonly treeHash: string;
  readonly errors: readonly { readonly file: string; readonly offset: number | null; readonly what: string }[];
}

export interface EventLog {
  /**
   * Appends to one or several streams in one atomic durable commit. Concurrent calls share one commit (group commit).
   */
  append(batch: readonly StreamAppend[]): Promise<AppendResult>;
  /** Events by position. Lazy: a limit of 10 over a million events reads ten. */
  readAll(options?: ReadOptions): IterableIterator<RecordedEvent>;
  /** Events of one stream by version (`after` is a version). */
  readStream(stream: string, options?: ReadOptions): IterableIterator<RecordedEvent>;
  /** The event at a position, or undefined past the head. */
  at(position: number): RecordedEvent | undefined;
  /** Version of the last event of a stream, 0 when it does not exist. */
  streamVersion(stream: string): number;
  head(): LogHead;
  /** Throws RangeError unless 0 ≤ size ≤ head. */
  treeHash(size: number): string;
  inclusionProof(position: number, size: number): InclusionProof;
  consistencyProof(from: number, to: number): ConsistencyProof;
  /**
   * Calls `listener` with every batch after it is durable, in order, synchronously and before the append's promise
   * resolves: what a listener did is done when the writer goes on. Returns the way to stop.
   */
  onAppended(listener: (events: readonly RecordedEvent[]) => void): () => void;
  /** Replaces the payloads by tombstones that keep the leaf hashes; the bytes leave the disk at compaction. */
  erase(positions: readonly number[]): Promise<void>;
  /** Recomputes every leaf from the stored bytes, every version, index and the tree. */
  verify(progress?: (done: number, total: number) => void): Promise<LogVerification>;
  /** Why appends are refused, or null while the log is well. */
  readonly failure: Error | null;
  close(): Promise<void>;
}
