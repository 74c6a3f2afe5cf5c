/**
 * The primary store of a replicated log: a batch is committed when the primary has taken it, and the engine of the log
 * follows (docs/decisions/0014).
 */
import type { Bytes } from '../engine.ts';
import type { StorageError } from '../errors.ts';
import type { Fence, RecordedEvent } from '../event-log.ts';
import { HASH_BYTES, type Hash } from '../merkle.ts';

/** A size of the log and the root hash of its tree at that size. */
export interface TreeHead {
  readonly position: number;
  readonly tree: Hash;
}

/** A record that replaces the one at a position. */
export interface Tombstone {
  readonly position: number;
  readonly record: Bytes;
}

/** One commit: events that continue the log at `base`, and tombstones of erased payloads. */
export interface PrimaryBatch {
  readonly base: TreeHead;
  /** The root hash with the batch. */
  readonly tree: Hash;
  readonly events: readonly RecordedEvent[];
  /** The records of the events. */
  readonly records: readonly Bytes[];
  readonly tombstones: readonly Tombstone[];
  readonly fences: readonly Fence[];
}

export type PrimaryOutcome =
  | { readonly kind: 'taken' }
  /** The primary has events after the base of the batch, or lacks some before it; it took nothing. */
  | { readonly kind: 'behind' }
  /** The primary has the same number of events, but other ones; it took nothing. */
  | { readonly kind: 'forked' }
  /** These fences of the batch are lost; it took nothing. */
  | { readonly kind: 'fenced'; readonly lost: readonly Fence[] };

/** The records after a position, as many as fit one answer, and the head at that time. */
export interface Tail {
  readonly head: TreeHead;
  /** The leaf hash at the position, null when it has none. */
  readonly leaf: Hash | null;
  readonly records: readonly Bytes[];
}

/** Every call rejects with `STORAGE_UNAVAILABLE` while the primary is out of reach. */
export interface Primary {
  /** Takes the batch in one transaction, or nothing. After `STORAGE_UNAVAILABLE` the outcome is unknown. */
  append(batch: PrimaryBatch): Promise<PrimaryOutcome>;
  /** Keeps other writers out until the next `append` or `release`, for a few seconds at most. */
  hold(): Promise<void>;
  release(): Promise<void>;
  /** The records after a position. */
  tail(after: number): Promise<Tail>;
  /** The leaf hashes after a position, `count` of them or fewer, one after the other. */
  leaves(after: number, count: number): Promise<Bytes>;
  /** The records at these positions, in their order. */
  records(positions: readonly number[]): Promise<readonly Bytes[]>;
  /** Calls `listener` with positions that the primary has reached, after a short delay and maybe more than once. */
  onHead(listener: (position: number) => void): void;
  /** Why the primary takes no appends at the moment; null while it does, or when that is unknown. */
  readonly failure: StorageError | null;
  /** Called when a writer is refused after its wait: `failure` has the reason until the primary answers again. */
  gaveUp(): void;
  /** How long writers wait for a primary that is out of reach, in milliseconds. */
  readonly patienceMs: number;
}

/** Leaf hashes that are read for one comparison. */
const COMPARED_LEAVES = 16_384;

/**
 * The first position up to `end` at which the leaf hashes of the primary differ from those that `leaves` returns in the
 * same form; null when none does.
 */
export async function firstDifference(
  end: number,
  primary: Pick<Primary, 'leaves'>,
  leaves: (after: number, count: number) => Uint8Array,
): Promise<number | null> {
  for (let after = 0; after < end; after += COMPARED_LEAVES) {
    const count = Math.min(COMPARED_LEAVES, end - after);
    const theirs = await primary.leaves(after, count);
    const own = leaves(after, count);
    const differing = own.findIndex((byte, at) => byte !== theirs[at]);
    if (differing >= 0) return after + Math.floor(differing / HASH_BYTES) + 1;
  }
  return null;
}
