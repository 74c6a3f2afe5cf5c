/** Snapshots of all engines. */
import { checkKey, checkRange } from './checks.ts';
import type { Bytes, Entry, RangeOptions, Snapshot } from './engine.ts';
import { StorageError } from './errors.ts';

/** A committed state that an engine holds for a snapshot. */
export interface SnapshotSource {
  get(key: Bytes): Bytes | undefined;
  /** `check` is called before each step, and throws when the state must not be read any more. */
  range(options: RangeOptions, check: () => void): IterableIterator<Entry>;
  /** Called once. */
  release(): void;
}

/** A snapshot of the state. `checkReadable` throws when the store must not be read any more. */
export function snapshotOf(state: SnapshotSource, checkReadable: () => void): Snapshot {
  let held: SnapshotSource | null = state;
  const check = (): SnapshotSource => {
    checkReadable();
    if (held === null) throw new StorageError('STORAGE_CLOSED', 'The snapshot was released.');
    return held;
  };
  return {
    get(key) {
      const current = check();
      checkKey(key);
      return current.get(key);
    },
    range(options = {}) {
      const current = check();
      checkRange(options);
      return current.range(options, check);
    },
    release() {
      held?.release();
      held = null;
    },
  };
}
