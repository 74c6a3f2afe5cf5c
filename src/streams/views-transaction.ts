/**
 * The transaction that writes rows of the views together with their checkpoints. It stays open for a moment, so that
 * several batches share a commit. Readers use the same connection and see the uncommitted rows. After a crash the views
 * are behind the log, never wrong.
 */
import type { Projection } from '../projections/projection.ts';
import type { ViewsStore } from '../projections/views.ts';
import type { Checkpoints } from './checkpoints.ts';
import { type FoldBatch, foldBatch } from './fold.ts';

/** The transaction is committed at either limit. */
const OPEN_EVENTS_MAX = 2_000;
const OPEN_MS_MAX = 100;

/** The open transaction of the views. */
export class ViewsTransaction {
  readonly #store: ViewsStore;
  readonly #checkpoints: Checkpoints;
  #events = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(store: ViewsStore, checkpoints: Checkpoints) {
    this.#store = store;
    this.#checkpoints = checkpoints;
  }

  /** Number of events that are folded and not committed. */
  get size(): number {
    return this.#events;
  }

  begin(): void {
    this.#store.begin();
  }

  /** Folds the events of the batch that a projection lacks; skips projections that lack earlier events too. */
  fold(batch: FoldBatch, projections: readonly Projection[]): void {
    this.begin();
    for (const projection of projections) {
      const after = this.#checkpoints.of(projection);
      if (batch.first > after + 1 || batch.last <= after) continue;
      foldBatch(projection, batch, this.#store, after);
      this.#checkpoints.advance(projection, batch.last);
    }
    this.#events += batch.size;
  }

  /** Calls `commit` now when the transaction is full, otherwise within `OPEN_MS_MAX` ms. */
  commitSoon(commit: () => void): void {
    if (this.#events >= OPEN_EVENTS_MAX) commit();
    else if (this.#events > 0) this.#timer ??= setTimeout(commit, OPEN_MS_MAX).unref();
  }

  /** Commits the rows, and the checkpoints of the given projections. */
  commit(projections: readonly Projection[]): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#checkpoints.save(projections);
    this.#store.commit();
    this.#checkpoints.committed();
    this.#events = 0;
  }

  /** Rolls rows and checkpoints back to the last commit. */
  rollback(): void {
    this.#store.rollback();
    this.#checkpoints.rolledBack();
    this.#events = 0;
  }
}
