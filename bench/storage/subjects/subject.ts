/** The operations that the benchmark measures for every subject. */
import type { Put } from '../data.ts';

/** Nothing to wait for, or a promise: each subject uses its fastest honest form. */
export type Maybe<Value> = Value | Promise<Value>;

export interface Subject {
  /** An accepted batch: atomic, not synced. */
  load(batch: readonly Put[]): Maybe<void>;
  get(key: Uint8Array): Uint8Array | undefined;
  /** The asynchronous form of `get`, if there is one. */
  getAwaited?(key: Uint8Array): Promise<Uint8Array | undefined>;
  /** Reads up to `limit` entries starting at `key` and returns the bytes of their values. */
  range?(key: Uint8Array, limit: number): Maybe<number>;
  /** One commit, accepted. */
  put(put: Put): Maybe<void>;
  /** One commit, accepted; several may be in flight. */
  putQueued?(put: Put): Promise<void>;
  /** Called before the first durable commit, for which some subjects must be reopened. */
  makeDurable?(): Maybe<void>;
  /** One commit, on disk when it resolves. */
  putDurable?(put: Put): Maybe<void>;
  /** The same; several may be in flight. */
  putDurableQueued?(put: Put): Promise<void>;
  batchDurable?(batch: readonly Put[]): Maybe<void>;
  /** Checks everything and returns the number of faults. */
  verify?(): Maybe<number>;
  compact?(): Maybe<void>;
  walBytes?(): number;
  /** Counts compactions from now on. */
  onCompaction?(listener: () => void): void;
  close(): Maybe<void>;
}

export interface Place {
  readonly directory: string;
  readonly valueBytes: number;
}
