/**
 * Folds events into the views and commits them, also after failures.
 *
 * - A failure rolls the open transaction back to the last commit. The events since then are folded again: without the
 *   projection at fault, or after `makeRoom` has made room on a full disk.
 * - When the views take no writes (a full disk, a file out of reach), the methods call `stalled` and return false.
 */
import type { Projection } from '../projections/projection.ts';
import type { ViewsStore } from '../projections/views.ts';
import { isDiskFull, isOutOfReach } from '../projections/views-failures.ts';
import type { ReadOptions } from '../storage/event-log.ts';
import { Checkpoints, type FoldedLog } from './checkpoints.ts';
import { type FoldBatch, FoldError, foldBatch } from './fold.ts';
import type { ProjectionHealth } from './projection-health.ts';
import { ViewsTransaction } from './views-transaction.ts';

export interface ViewsWriterParts {
  readonly log: FoldedLog;
  readonly store: ViewsStore;
  readonly projections: readonly Projection[];
  readonly health: ProjectionHealth;
  /** Reads and decodes events of the log. */
  readonly read: (range: ReadOptions) => FoldBatch;
  /** Frees space of a full disk; false when there is none to free, as when left out. */
  readonly makeRoom?: (() => boolean) | undefined;
  /** The views take no writes. */
  readonly stalled: (error: Error) => void;
}

/** Writes batches of events into the views. */
export class ViewsWriter {
  readonly #parts: ViewsWriterParts;
  #checkpoints: Checkpoints;
  #transaction: ViewsTransaction;

  constructor(parts: ViewsWriterParts) {
    this.#parts = parts;
    this.#checkpoints = new Checkpoints(parts.store, parts.log);
    this.#transaction = new ViewsTransaction(parts.store, this.#checkpoints);
  }

  /** The position that all healthy projections have reached; 0 without any. */
  get position(): number {
    const positions = this.#parts.health.healthy.map((projection) => this.#checkpoints.of(projection));
    return positions.length === 0 ? 0 : Math.min(...positions);
  }

  /** The position of each projection by its name. */
  get positions(): ReadonlyMap<string, number> {
    return this.#checkpoints.positions;
  }

  /** Reads the stored checkpoints; projections that cannot go on from theirs start again, with empty tables. */
  load(): boolean {
    return this.#write(() => this.#checkpoints.load(this.#parts.projections));
  }

  /** All projections start again. Their tables are emptied by the next `load`, or by the thread that folds ahead. */
  reset(): boolean {
    return this.#write(() => this.#checkpoints.reset(this.#parts.projections));
  }

  /** Replaces the views by empty ones in memory; false when they are in memory already. */
  moveToMemory(): boolean {
    const { store, log } = this.#parts;
    if (!store.moveToMemory()) return false;
    this.#checkpoints = new Checkpoints(store, log);
    this.#transaction = new ViewsTransaction(store, this.#checkpoints);
    return true;
  }

  /** Folds the batch into every healthy projection that has everything before it, without a commit. */
  fold(batch: FoldBatch): boolean {
    const { health } = this.#parts;
    let left = batch;
    while (left.size > 0 && health.healthy.length > 0) {
      try {
        this.#transaction.fold(left, health.healthy);
        return true;
      } catch (error) {
        if (!this.recover(error)) return false;
      }
      left = this.#missing(batch.last);
    }
    return true;
  }

  /** Commits the open transaction. */
  commit(): boolean {
    const { position } = this;
    return this.#commit(() => this.fold(this.#missing(position)));
  }

  /** Commits now when the transaction is full, otherwise soon. */
  commitSoon(): void {
    this.#transaction.commitSoon(() => this.commit());
  }

  /**
   * The result of `work` while the views also hold the batches, which are rolled back afterwards. Throws what `work`
   * and the folds throw.
   */
  tentatively<Result>(batches: readonly FoldBatch[], work: () => Result): Result {
    const { store, health } = this.#parts;
    return store.tentatively(() => {
      for (const batch of batches) {
        for (const projection of health.healthy) {
          foldBatch(projection, batch, store, this.#checkpoints.of(projection));
        }
      }
      return work();
    });
  }

  /** Rolls the open transaction back, then makes room or takes the projections at fault out. */
  recover(error: unknown): boolean {
    this.#transaction.rollback();
    const cause = error instanceof FoldError ? error.cause : error;
    if (isDiskFull(cause) && this.#parts.makeRoom?.()) return true;
    if (isOutOfReach(cause)) {
      this.#parts.stalled(cause as Error);
      return false;
    }
    this.#parts.health.takeOut(error);
    return true;
  }

  /** The events up to `end` that a healthy projection lacks. */
  #missing(end: number): FoldBatch {
    const after = this.position;
    return this.#parts.read({ after, limit: Math.max(0, end - after) });
  }

  /** After a failure `again` fills the transaction anew, and it is committed then. */
  #commit(again: () => boolean): boolean {
    const { health } = this.#parts;
    try {
      this.#transaction.commit(health.healthy);
      return true;
    } catch (error) {
      if (!this.recover(error)) return false;
      return health.healthy.length === 0 || (again() && this.#commit(again));
    }
  }

  /** Runs `work` in a new transaction and commits it. Throws failures of `work` that are not those of the disk. */
  #write(work: () => void): boolean {
    const begin = (): boolean => {
      this.#transaction.begin();
      work();
      return true;
    };
    try {
      begin();
      return this.#commit(begin);
    } catch (error) {
      this.#transaction.rollback();
      if (isDiskFull(error) && this.#parts.makeRoom?.()) return this.#write(work);
      if (!isOutOfReach(error)) throw error;
      this.#parts.stalled(error as Error);
      return false;
    }
  }
}
