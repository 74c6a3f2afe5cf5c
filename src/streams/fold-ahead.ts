/** Folding elsewhere than in the turns of the projector: what it asks of a thread that folds most of the log. */

/** Called after each batch of a catch-up, with positions of the log. */
export type CatchUpProgress = (done: number, total: number) => void;

/** Folds most of what the views lack elsewhere, through a connection of its own to their file. */
export interface FoldAhead {
  /** Whether it has begun and not ended. Then nobody else may write the views. */
  readonly isRunning: boolean;
  /** Whether it takes less time for so many events. */
  isWorth(events: number): boolean;
  /** Begins at these positions of the projections, whose tables exist. */
  begin(positions: ReadonlyMap<string, number>): void;
  /** Folds the rest of the log. Resolves when it does no more, also because something went wrong or it was stopped. */
  end(progress: CatchUpProgress): Promise<void>;
  /** Breaks it off; the views keep its last commit. */
  stop(): Promise<void>;
}
