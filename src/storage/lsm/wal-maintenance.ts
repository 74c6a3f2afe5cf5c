/**
 * Maintenance of the engine's write-ahead log: releasing segments, emptying the log.
 *
 * - The manifest covers every record before it leaves the log.
 * - A failure here is a failure of the engine.
 */
import type { Wal } from '../wal.ts';
import type { WalCommitQueue } from '../wal-commit-queue.ts';
import type { ManifestEditor } from './manifest-editor.ts';

export interface WalMaintenanceParts {
  readonly wal: Wal;
  readonly queue: WalCommitQueue;
  readonly editor: ManifestEditor;
  readonly fail: (error: unknown) => void;
}

/** Releases and empties the write-ahead log of one engine. */
export class WalMaintenance {
  readonly #parts: WalMaintenanceParts;
  #releasing: Promise<void> = Promise.resolve();

  constructor(parts: WalMaintenanceParts) {
    this.#parts = parts;
  }

  /** Releases the segments up to `sequence`, which is in tables. Waits until no sync runs: it may use the segments. */
  release(sequence: number): void {
    const { queue, wal, fail } = this.#parts;
    this.#releasing = queue.exclusively(() => wal.release(sequence)).catch(fail);
  }

  /** Resolves when no release is pending. */
  settled(): Promise<void> {
    return this.#releasing;
  }

  /** Removes every payload from the log. All commits must be in tables, and no commit may run meanwhile. */
  async scrub(): Promise<void> {
    const { wal, editor, fail } = this.#parts;
    try {
      // Records without payload are in no table, but the manifest must cover their sequences.
      await editor.cover(wal.lastSequence);
      await wal.scrub();
    } catch (error) {
      fail(error);
      throw error;
    }
  }
}
