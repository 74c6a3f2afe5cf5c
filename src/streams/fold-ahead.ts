/** What the projector asks of another thread that folds most of a long catch-up. */

/** Called after each batch of a catch-up: the position that is folded, and the position of the newest event. */
export type CatchUpProgress = (done: number, total: number) => void;

/** A thread with its own connection to the file of the views. */
export interface FoldAhead {
  /** True from `begin` until `end` resolves. Meanwhile nothing else may write the views. */
  readonly isRunning: boolean;
  /** Whether the thread folds this many events faster than the caller. */
  isWorth(events: number): boolean;
  /** Starts the thread at these positions, by name. It empties the tables of projections that have no checkpoint. */
  begin(positions: ReadonlyMap<string, number>): void;
  /** Resolves when the thread has folded the log, has failed or was stopped. Never rejects. */
  end(progress: CatchUpProgress): Promise<void>;
  /** Stops the thread; the views keep its last commit. */
  stop(): Promise<void>;
}
