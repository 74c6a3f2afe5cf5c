/**
 * What the engine does with its log besides writing commits: giving segments back, emptying it, sealing it.
 *
 * - The manifest covers every record that leaves the log.
 * - A failure here is a failure of the engine.
 */

import { RecordGroup, type Wal } from '../wal.ts';
import type { WalCommitQueue } from '../wal-commit-queue.ts';
import type { ManifestEditor } from './manifest-editor.ts';

export interface WalMaintenanceParts {
  readonly wal: Wal;
  readonly queue: WalCommitQueue;
  readonly editor: ManifestEditor;
  readonly fail: (error: unknown) => void;
}

export class WalMaintenance {
  readonly #parts: WalMaintenanceParts;
  #releasing: Promise<void> = Promise.resolve();

  constructor(parts: WalMaintenanceParts) {
    this.#parts = parts;
  }

  /** Everything up to `sequence` is in tables. Waits for its turn: a segment must not go while one is being synced. */
  release(sequence: number): void {
    const { queue, wal, fail } = this.#parts;
    this.#releasing = queue.exclusively(() => wal.release(sequence)).catch(fail);
  }

  /** Resolves when no release is waiting. */
  settled(): Promise<void> {
    return this.#releasing;
  }

  /** Removes every payload from the log; nobody may write meanwhile, and all commits must be in tables. */
  async scrub(): Promise<void> {
    const { wal, editor, fail } = this.#parts;
    try {
      // Records without payload are in no table, but the manifest must know that they were there.
      await editor.cover(wal.lastSequence);
      await wal.scrub();
    } catch (error) {
      fail(error);
      throw error;
    }
  }

  /** Puts an empty record behind the last commits: it proves that they were durable. */
  seal(): void {
    const { wal } = this.#parts;
    const seal = new RecordGroup();
    seal.reserve(0);
    wal.syncNow();
    wal.write(seal);
    wal.syncNow();
  }
}
