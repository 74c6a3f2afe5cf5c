/**
 * Keeps the views up to date with the log.
 *
 * - `apply` folds a batch that was just appended. Everything else that the views lack is folded by a catch-up: at the
 *   start, in a rebuild, and after a stall.
 * - A projection that fails is taken out and reported; the log and the other projections go on without it.
 * - When the views take no writes (a full disk), they stall at their last commit. Writing is tried again until the
 *   views hold the whole log. A read model is right or refused, never stale.
 */
import { type Refused, refused } from '../commands/refusal.ts';
import type { EventTable } from '../events/define.ts';
import type { Projection, Seen } from '../projections/projection.ts';
import type { ViewsStore } from '../projections/views.ts';
import { isDiskFull, isOutOfReach, viewsFailure } from '../projections/views-failures.ts';
import type { EventLog, ReadOptions, RecordedEvent } from '../storage/event-log.ts';
import { appendedBatch, areCurrent, type FoldBatch, FoldError, type FoldedCategories, storedBatch } from './fold.ts';
import type { CatchUpProgress, FoldAhead } from './fold-ahead.ts';
import { ProjectionHealth } from './projection-health.ts';
import { Stall } from './stall.ts';
import { ViewsWriter } from './views-writer.ts';

export interface ProjectorParts {
  readonly log: EventLog;
  readonly store: ViewsStore;
  readonly projections: readonly Projection[];
  /** The definitions of all event types that the projections fold. */
  readonly events: EventTable;
  /** When left out, events of unknown types stop no projection. */
  readonly categories?: FoldedCategories;
  readonly report: (message: string) => void;
  /** Frees space of a full disk; false when there is none to free, as when left out. */
  readonly makeRoom?: (() => boolean) | undefined;
  /** Folds most of a long catch-up in another thread; when left out, all events are folded in this one. */
  readonly ahead?: FoldAhead | undefined;
  /** Milliseconds between two attempts to write stalled views; 1 000 when left out. */
  readonly retryMs?: number;
}

/** Stored events that a catch-up folds in one turn of the event loop. */
const BATCH_EVENTS = 2_000;

/** Folds the log into the views. */
export class Projector {
  readonly #parts: ProjectorParts;
  readonly #health: ProjectionHealth;
  readonly #writer: ViewsWriter;
  readonly #stall: Stall;
  readonly #closed = new AbortController();
  readonly #caughtUpListeners: (() => void)[] = [];
  #catchingUp: Promise<void> | null = null;
  /** Catch-ups and rebuilds that run or wait for their turn. */
  #pending = 0;
  /** Resolves when the last of them has ended. */
  #lastEnded: Promise<unknown> = Promise.resolve();
  /** Whether the latest stall began on a full disk. */
  #isDiskFull = false;

  constructor(parts: ProjectorParts) {
    this.#parts = parts;
    this.#health = new ProjectionHealth(parts);
    this.#writer = new ViewsWriter({
      ...parts,
      health: this.#health,
      read: (range) => this.#stored(range),
      stalled: (error) => {
        this.#isDiskFull = isDiskFull(error);
        this.#stall.begin(error);
      },
    });
    this.#stall = new Stall({
      retryMs: parts.retryMs,
      closed: this.#closed.signal,
      report: parts.report,
      attempt: () => this.#attempt(),
      failed: (error) => {
        if (!this.#closed.signal.aborted && this.#writer.recover(error)) this.#resume();
      },
    });
  }

  /** The position that all healthy projections have reached; 0 without any. */
  get position(): number {
    return this.#writer.position;
  }

  /** Error message of each failed projection, by its name. */
  get failures(): ReadonlyMap<string, string> {
    return this.#health.failures;
  }

  /** For each projection that met an event of a newer program, by its name: a sentence for clients. */
  get outdated(): ReadonlyMap<string, string> {
    return this.#health.outdated;
  }

  /** Why the views take no writes and are behind the log; null while they take them. */
  get stalled(): string | null {
    return this.#stall.reason;
  }

  /** False while the views catch up, are rebuilt or are stalled: they may lack events that `apply` got. */
  get isFollowing(): boolean {
    return this.#pending === 0 && this.#stall.reason === null;
  }

  /** Calls `listener` whenever views that were behind the log follow it again. */
  onCaughtUp(listener: () => void): void {
    this.#caughtUpListeners.push(listener);
  }

  /**
   * Folds everything that the views lack, yielding to the event loop between batches. When the disk is too full for it,
   * the views are folded into memory. Waits while they are stalled, and for a rebuild that was requested meanwhile.
   * Throws when they are closed meanwhile. A catch-up that runs is joined.
   */
  catchUp(progress?: CatchUpProgress): Promise<void> {
    this.#catchingUp ??= this.#catchUp(progress).finally(() => {
      this.#catchingUp = null;
    });
    return this.#catchingUp;
  }

  async #catchUp(progress: CatchUpProgress | undefined): Promise<void> {
    this.settle();
    if (!(await this.#attempt(progress)) && this.#isDiskFull && this.#writer.moveToMemory()) {
      this.#parts.report('they are kept in memory until the next start.');
    }
    while (!this.isFollowing) {
      if (!(await this.#attempt(progress))) await this.#stall.retried();
    }
  }

  /**
   * Folds a batch that was just appended, by this daemon or another one, into every projection that has everything
   * before it.
   */
  apply(events: readonly RecordedEvent[]): void {
    if (this.stalled !== null || this.#parts.ahead?.isRunning === true) return;
    const { events: table, categories } = this.#parts;
    this.#writer.fold(areCurrent(events, table) ? appendedBatch(events) : storedBatch(events, table, categories));
    this.#writer.commitSoon();
  }

  /**
   * The result of `work` while the views also hold events that are about to be appended; they are rolled back
   * afterwards. Throws `Refused` (unavailable) while the views do not follow the log, and what a fold throws.
   */
  preview<Result>(events: readonly Seen[], work: () => Result): Result {
    if (!this.isFollowing) throw this.#outOfReach();
    const [first] = events;
    if (first === undefined) return work();
    try {
      // In the turn of a commit the log may be ahead of the views for a moment.
      const missing = this.#stored({ after: this.position, limit: first.position - 1 - this.position });
      return this.#writer.tentatively([missing, appendedBatch(events)], work);
    } catch (error) {
      const cause = error instanceof FoldError ? error.cause : error;
      if (!isOutOfReach(cause)) throw cause;
      this.#writer.recover(error);
      throw this.#outOfReach();
    }
  }

  /** Commits everything that is folded. */
  settle(): void {
    this.#writer.commit();
  }

  /** Settles. Events that are not folded yet are left to the next process. */
  close(): void {
    this.settle();
    this.#closed.abort(new Error('The views were closed.'));
    void this.#parts.ahead?.stop();
  }

  /**
   * Empties every view and folds the log again, after a catch-up that runs. Throws when the views stall: then the rest
   * is folded later.
   */
  async rebuild(progress?: CatchUpProgress): Promise<void> {
    const isRebuilt = await this.#inTurn(async () => {
      await this.#parts.ahead?.stop();
      this.#health.reset();
      this.settle();
      if (!this.#writer.reset()) return false;
      // To empty the tables of a long log takes long, and the thread does that, too.
      this.#beginAhead();
      return this.#foldMissing(progress);
    });
    if (!isRebuilt) throw new Error(this.stalled ?? 'The views cannot be written.');
  }

  /** Events of the log, decoded. */
  #stored(range: ReadOptions): FoldBatch {
    const { log, events, categories } = this.#parts;
    return storedBatch([...log.readAll(range)], events, categories);
  }

  /** One attempt of a catch-up; false when the views take no writes. */
  #attempt(progress?: CatchUpProgress): Promise<boolean> {
    return this.#inTurn(() => this.#foldMissing(progress));
  }

  /**
   * Folds the views once the catch-ups and rebuilds that were requested before have ended, because one of them may have
   * another thread write the views. False when the views take no writes.
   */
  async #inTurn(fold: () => Promise<boolean>): Promise<boolean> {
    this.#pending += 1;
    const isComplete = this.#lastEnded.then(() => {
      this.#closed.signal.throwIfAborted();
      return fold();
    });
    this.#lastEnded = isComplete.catch(() => {});
    try {
      if (!(await isComplete)) return false;
      if (this.stalled !== null) this.#parts.report('they follow the log again.');
      this.#stall.end();
      return true;
    } finally {
      this.#pending -= 1;
      if (this.isFollowing && !this.#closed.signal.aborted) this.#resume();
    }
  }

  /** Folds everything that the views lack; false when they take no writes. */
  async #foldMissing(progress: CatchUpProgress | undefined): Promise<boolean> {
    const { log, ahead } = this.#parts;
    // The stored checkpoints lack what the open transaction has folded.
    if (ahead?.isRunning !== true && !(this.#writer.commit() && this.#writer.load())) return false;
    if (await this.#foldAhead(progress)) {
      this.#closed.signal.throwIfAborted();
      if (!this.#writer.load()) return false;
    }
    while (this.#lacksEvents()) {
      const batch = this.#stored({ after: this.position, limit: BATCH_EVENTS });
      if (!this.#writer.fold(batch) || !this.#writer.commit()) return false;
      progress?.(this.position, log.head().position);
      // Compared in the same turn: while others append, each turn may bring new events.
      if (!this.#lacksEvents()) break;
      await new Promise((resolve) => setImmediate(resolve));
      this.#closed.signal.throwIfAborted();
    }
    return true;
  }

  /** Whether the log holds events that a healthy projection lacks. */
  #lacksEvents(): boolean {
    return this.position < this.#parts.log.head().position && this.#health.healthy.length > 0;
  }

  /** Lets another thread fold a long catch-up. Returns whether it did. */
  async #foldAhead(progress: CatchUpProgress = () => {}): Promise<boolean> {
    this.#beginAhead();
    const { ahead } = this.#parts;
    if (ahead?.isRunning !== true) return false;
    await ahead.end(progress);
    return true;
  }

  #beginAhead(): void {
    const { log, store, ahead } = this.#parts;
    // The thread writes the file, which keeps its rows when the views have moved to memory.
    if (ahead === undefined || store.isInMemory || ahead.isRunning || !this.#health.areAllHealthy) return;
    if (ahead.isWorth(log.head().position - this.position)) ahead.begin(this.#writer.positions);
  }

  #outOfReach(): Refused {
    const reason = this.stalled === null ? null : viewsFailure([this.stalled]);
    return refused('unavailable', reason ?? 'The views are being rebuilt from the log.');
  }

  #resume(): void {
    this.#stall.end();
    for (const listener of this.#caughtUpListeners) listener();
  }
}
