/** Point reads, range reads and snapshots of a store. */
import { checkKey, checkRange } from '../checks.ts';
import type { Bytes, Entry, RangeOptions, Snapshot } from '../engine.ts';
import { StorageError } from '../errors.ts';
import type { NodeRef } from './branch.ts';
import { countRead, type ReadCounts } from './cache.ts';
import { Cursor, type CursorSource } from './cursor.ts';
import type { Probe } from './keys.ts';
import { lookupKey } from './leaf-search.ts';
import type { Store } from './store.ts';
import { ValueRef } from './value-ref.ts';

const probe: Probe = { bytes: new Uint8Array(), start: 0, end: 0 };

/** A state that is read, and where the reads are counted. */
interface ReadState {
  readonly store: Store;
  readonly root: NodeRef;
  readonly counts: ReadCounts;
}

/** The value of `key` in the state, or undefined. */
export function readKey({ store, root, counts }: ReadState, key: Bytes): Bytes | undefined {
  probe.bytes = key;
  probe.end = key.length;
  const { cache } = store.tree;
  const loaded = cache.misses;
  const leaf = store.tree.leafFor(root, probe);
  countRead(counts, cache.misses > loaded);
  const index = lookupKey(leaf, probe);
  if (index < 0) return undefined;
  const value = leaf.valueAt(index);
  return value instanceof ValueRef ? store.readValue(value) : value;
}

/** A state that a range or a snapshot reads. */
export interface HeldState extends ReadState {
  /** Idempotent. */
  readonly release: () => void;
}

/** What a range reads. */
export interface RangeView {
  /** Called before each step; throws when nothing may be read any more. */
  check(): void;
  /** The state at the first step; `release` follows at the end. */
  hold(): HeldState;
}

/** The entries within the bounds. */
export function readRange({ check, hold }: RangeView, options: RangeOptions): IterableIterator<Entry> {
  checkRange(options);
  const open = (): CursorSource => {
    const { store, root, counts, release } = hold();
    return { cache: store.tree.cache, root, counts, release, readValue: (value) => store.readValue(value) };
  };
  return new Cursor({ check, open }, options);
}

/** A snapshot of a state, held until `release`. */
export class StoreSnapshot implements Snapshot {
  #state: HeldState | null;
  readonly #checkReadable: () => void;

  constructor(state: HeldState, checkReadable: () => void) {
    this.#state = state;
    this.#checkReadable = checkReadable;
  }

  get(key: Bytes): Bytes | undefined {
    const state = this.#held();
    checkKey(key);
    return readKey(state, key);
  }

  range(options: RangeOptions = {}): IterableIterator<Entry> {
    this.#held();
    const check = (): void => void this.#held();
    return readRange({ check, hold: () => ({ ...this.#held(), release: () => {} }) }, options);
  }

  release(): void {
    this.#state?.release();
    this.#state = null;
  }

  #held(): HeldState {
    this.#checkReadable();
    if (this.#state === null) throw new StorageError('STORAGE_CLOSED', 'The snapshot was released.');
    return this.#state;
  }
}
