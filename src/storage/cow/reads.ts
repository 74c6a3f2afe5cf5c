/** Point reads of a store, and the states that are read. */
import type { Bytes } from '../engine.ts';
import type { NodeRef } from './branch.ts';
import { countRead, type ReadCounts } from './cache.ts';
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
