/** What the benchmark asks of everybody it measures. */
import type { Put } from '../data.ts';

/** Nothing to wait for, or a promise: each subject in its quickest honest form. */
export type Maybe<Value> = Value | Promise<Value>;

export interface Subject {
  /** A batch that is accepted: atomic, not synced. */
  load(batch: readonly Put[]): Maybe<void>;
  get(key: Uint8Array): Uint8Array | undefined;
  /** The asynchronous form of `get`, where there is one. */
  getAwaited?(key: Uint8Array): Promise<Uint8Array | undefined>;
  /** Reads up to `limit` entries from `key` on and answers the bytes of their values. */
  range?(key: Uint8Array, limit: number): Maybe<number>;
  /** One commit, accepted. */
  put(put: Put): Maybe<void>;
  /** One commit, accepted, of which several may be in flight. */
  putQueued?(put: Put): Promise<void>;
  /** Called before the first durable commit: some must be opened anew for it. */
  makeDurable?(): Maybe<void>;
  /** One commit, on the disk when it answers. */
  putDurable?(put: Put): Maybe<void>;
  /** The same, of which several may be in flight. */
  putDurableQueued?(put: Put): Promise<void>;
  batchDurable?(batch: readonly Put[]): Maybe<void>;
  /** Checks everything and answers the number of faults. */
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
