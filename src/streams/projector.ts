/**
 * Runs the projections: folds the log into the views.
 *
 * - A batch that this process appends is folded at once. Everything else that the views lack is folded by a catch-up:
 *   at the start, in a rebuild, and after a stall.
 * - A projection whose fold throws, or that folds an event whose data fits no schema, is taken out and named; the
 *   others, and the log, go on without it.
 * - Views that meet a full disk are written again as long as `makeRoom` makes room for them.
 * - When the views take no writes (a full disk), they stall at their last commit and are tried again until they hold
 *   all that the log has. A read model is right or refused, never stale.
 */
import { type Refused, refused } from '../commands/refusal.ts';
import { NewerEventError } from '../events/decode.ts';
import type { EventTable } from '../events/define.ts';
import type { Projection, Seen } from '../projections/projection.ts';
import type { ViewsStore } from '../projections/views.ts';
import { isDiskFull, isOutOfReach, viewsFailure } from '../projections/views-failures.ts';
import type { EventLog, ReadOptions, RecordedEvent } from '../storage/event-log.ts';
import { Checkpoints } from './checkpoints.ts';
import {
  appendedBatch,
  areCurrent,
  type FoldBatch,
  FoldError,
  type FoldedCategories,
  foldBatch,
  storedBatch,
} from './fold.ts';
import type { CatchUpProgress, FoldAhead } from './fold-ahead.ts';
import { Stall } from './stall.ts';
import { ViewsTransaction } from './views-transaction.ts';

export interface ProjectorParts {
  readonly log: EventLog;
  readonly store: ViewsStore;
  readonly projections: readonly Projection[];
  /** The definitions of all event types that the projections fold. */
  readonly events: EventTable;
  /** Where left out, events of unknown types stop no projection. */
  readonly categories?: FoldedCategories;
  readonly report: (message: string) => void;
  /** Frees space of a full disk; false when there is none to free, as when left out. */
  readonly makeRoom?: (() => boolean) | undefined;
  /** Where left out, everything is folded here. */
  readonly ahead?: FoldAhead | undefined;
  /** Milliseconds between two attempts to write stalled views; 1 000 when left out. */
  readonly retryMs?: number;
}

const BATCH_EVENTS = 2_000;

export class Projector {
  readonly #parts: ProjectorParts;
  #checkpoints: Checkpoints;
  #transaction: ViewsTransaction;
  readonly #stall: Stall;
  readonly #failures = new Map<string, string>();
  /** Why projections do not go on that met an event of a newer program, by name. */
  readonly #outdated = new Map<string, string>();
  readonly #closed = new AbortController();
  readonly #caughtUpListeners: (() => void)[] = [];
  #isCatchingUp = false;
  /** Whether the latest stall began on a full disk. */
  #isDiskFull = false;

  constructor(parts: ProjectorParts) {
    this.#parts = parts;
    this.#checkpoints = new Checkpoints(parts.store, parts.log);
    this.#transaction = new ViewsTransaction(parts.store, this.#checkpoints);
    this.#stall = new Stall({
      retryMs: parts.retryMs,
      closed: this.#closed.signal,
      report: parts.report,
      attempt: () => this.#attempt(),
      failed: (error) => {
        if (!this.#closed.signal.aborted && this.#rollBack(error)) this.#resume();
      },
    });
  }

  /** The position that all healthy projections have reached. */
  position(): number {
    const positions = this.#healthy().map((projection) => this.#checkpoints.of(projection));
    return positions.length === 0 ? 0 : Math.min(...positions);
  }

  /** Why each projection that was taken out failed, by its name. */
  get failures(): ReadonlyMap<string, string> {
    return this.#failures;
  }

  /** For callers: why projections do not go on that met an event of a newer program, by name. */
  get outdated(): ReadonlyMap<string, string> {
    return this.#outdated;
  }

  /** Why the views take no writes and are behind the log, null while they take them. */
  get stalled(): string | null {
    return this.#stall.reason;
  }

  /** False while the views catch up, are rebuilt or are stalled: they may lack events that `apply` was given. */
  get isFollowing(): boolean {
    return !this.#isCatchingUp && this.#stall.reason === null;
  }

  /** Calls `listener` whenever views that were behind the log follow it again. */
  onCaughtUp(listener: () => void): void {
    this.#caughtUpListeners.push(listener);
  }

  /**
   * Folds everything the views lack, yielding to the event loop between batches. Where the disk is too full for it, the
   * views are folded into memory. Waits as long as they are stalled; throws when they are closed meanwhile.
   */
  async catchUp(progress?: CatchUpProgress): Promise<void> {
    this.settle();
    if (await this.#attempt(progress)) return;
    if (this.#isDiskFull && this.#parts.store.moveToMemory()) {
      this.#parts.report('they are kept in memory until the next start.');
      this.#checkpoints = new Checkpoints(this.#parts.store, this.#parts.log);
      this.#transaction = new ViewsTransaction(this.#parts.store, this.#checkpoints);
    }
    while (!(await this.#attempt(progress))) await this.#stall.retried();
  }

  /**
   * Folds a batch that was just appended, here or by another daemon, into every projection that has everything before
   * it.
   */
  apply(events: readonly RecordedEvent[]): void {
    if (this.stalled !== null || this.#parts.ahead?.isRunning === true) return;
    const { events: table, categories } = this.#parts;
    this.#fold(areCurrent(events, table) ? appendedBatch(events) : storedBatch(events, table, categories));
    this.#transaction.commitSoon(() => this.settle());
  }

  /**
   * The result of `work` while the views hold events that follow the log but are not appended; then they are taken back.
   * Throws `Refused` (unavailable) while the views do not follow the log, and what a fold throws.
   */
  preview<Result>(events: readonly Seen[], work: () => Result): Result {
    if (!this.isFollowing) throw this.#outOfReach();
    const [first] = events;
    if (first === undefined) return work();
    const head = first.position - 1;
    try {
      return this.#parts.store.tentatively(() => {
        // In the turn of a commit the log may be ahead of the views for a moment.
        for (const batch of [
          this.#stored({ after: this.position(), limit: head - this.position() }),
          appendedBatch(events),
        ]) {
          for (const projection of this.#healthy()) {
            foldBatch(projection, batch, this.#parts.store, this.#checkpoints.of(projection));
          }
        }
        return work();
      });
    } catch (error) {
      const cause = error instanceof FoldError ? error.cause : error;
      if (!isOutOfReach(cause)) throw cause;
      this.#rollBack(error);
      throw this.#outOfReach();
    }
  }

  /** Commits what is folded, for the next process. */
  settle(): void {
    this.#commit();
  }

  /** Settles; whatever still is to be folded is left to the next process. */
  close(): void {
    this.settle();
    this.#closed.abort(new Error('The views were closed.'));
    void this.#parts.ahead?.stop();
  }

  /** Forgets every view and folds the log again. Throws when they stall: then what is missing is folded later. */
  async rebuild(progress?: CatchUpProgress): Promise<void> {
    this.#failures.clear();
    this.#outdated.clear();
    this.#parts.store.refuse(new Map());
    this.settle();
    const isEmpty = this.#write(() => this.#checkpoints.reset(this.#parts.projections));
    if (!isEmpty || !(await this.#attempt(progress))) throw new Error(this.stalled ?? 'The views cannot be written.');
  }

  #healthy(): readonly Projection[] {
    return this.#parts.projections.filter(({ name }) => !this.#failures.has(name) && !this.#outdated.has(name));
  }

  /** Events of the log, decoded. */
  #stored(range: ReadOptions): FoldBatch {
    const { log, events, categories } = this.#parts;
    return storedBatch([...log.readAll(range)], events, categories);
  }

  /** One attempt of a catch-up; false when the views take no writes. */
  async #attempt(progress?: CatchUpProgress): Promise<boolean> {
    this.#isCatchingUp = true;
    try {
      if (!(await this.#foldMissing(progress))) return false;
      if (this.stalled !== null) this.#parts.report('they follow the log again.');
      this.#stall.end();
      return true;
    } finally {
      this.#isCatchingUp = false;
      if (this.isFollowing && !this.#closed.signal.aborted) this.#resume();
    }
  }

  /** Folds everything the views lack; false when they take no writes. */
  async #foldMissing(progress: CatchUpProgress | undefined): Promise<boolean> {
    const { log, projections, ahead } = this.#parts;
    const load = () => this.#write(() => this.#checkpoints.load(projections));
    if (ahead?.isRunning !== true && !load()) return false;
    if (await this.#foldAhead(progress)) {
      this.#closed.signal.throwIfAborted();
      if (!load()) return false;
    }
    for (let at = this.position(); at < log.head().position && this.#healthy().length > 0; at = this.position()) {
      if (!this.#fold(this.#stored({ after: at, limit: BATCH_EVENTS })) || !this.#commit()) return false;
      progress?.(this.position(), log.head().position);
      await new Promise((resolve) => setImmediate(resolve));
      this.#closed.signal.throwIfAborted();
    }
    return true;
  }

  /** Whether views that lack much were folded elsewhere. */
  async #foldAhead(progress: CatchUpProgress = () => {}): Promise<boolean> {
    const { log, ahead } = this.#parts;
    if (ahead === undefined) return false;
    if (!ahead.isRunning) {
      const isWhole = this.#failures.size === 0 && this.#outdated.size === 0;
      if (!isWhole || !ahead.isWorth(log.head().position - this.position())) return false;
      ahead.begin(this.#checkpoints.positions);
    }
    await ahead.end(progress);
    return true;
  }

  /**
   * Folds the batch. After a failure the open transaction is taken back, and all of its events are folded again without
   * the projection at fault. False when the views take no writes.
   */
  #fold(batch: FoldBatch): boolean {
    let left = batch;
    while (left.size > 0 && this.#healthy().length > 0) {
      try {
        this.#transaction.fold(left, this.#healthy());
        return true;
      } catch (error) {
        if (!this.#rollBack(error)) return false;
      }
      left = this.#stored({ after: this.position() });
    }
    return true;
  }

  /** Commits the open transaction; `again` fills it anew when room had to be made. False as `again` and `#fold`. */
  #commit(again: () => boolean = () => this.#foldRolledBack()): boolean {
    try {
      this.#transaction.commit(this.#healthy());
      return true;
    } catch (error) {
      if (!this.#rollBack(error)) return false;
      return this.#healthy().length === 0 || (again() && this.#commit(again));
    }
  }

  #foldRolledBack(): boolean {
    return this.#fold(this.#stored({ after: this.position() }));
  }

  /** Does the work and commits it; false when the views take no writes. Any other failure of the work is thrown. */
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
      return this.#stalls(error as Error);
    }
  }

  /**
   * Takes the open transaction back and takes the projections at fault out. False when none is at fault and no room was
   * made: then the views take no writes, and stall.
   */
  #rollBack(error: unknown): boolean {
    this.#transaction.rollback();
    const cause = error instanceof FoldError ? error.cause : error;
    if (isDiskFull(cause) && this.#parts.makeRoom?.()) return true;
    if (isOutOfReach(cause)) {
      return this.#stalls(cause as Error);
    }
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof FoldError && cause instanceof NewerEventError) {
      this.#outdate(error.projection, cause.sentence);
      this.#parts.report(message);
      return true;
    }
    const atFault = error instanceof FoldError ? [error.projection] : this.#healthy().map(({ name }) => name);
    for (const name of atFault) this.#failures.set(name, message);
    this.#parts.report(message);
    return true;
  }

  /** Takes out a projection that met an event of a newer program. Nobody reads its rows: they would be a guess. */
  #outdate(name: string, sentence: string): void {
    this.#outdated.set(name, sentence);
    const tables = this.#parts.projections.flatMap((projection) => {
      const why = this.#outdated.get(projection.name);
      return why === undefined ? [] : projection.tables.map((table) => [table, why] as const);
    });
    this.#parts.store.refuse(new Map(tables));
  }

  #outOfReach(): Refused {
    const why = this.stalled === null ? null : viewsFailure([this.stalled]);
    return refused('unavailable', why ?? 'The views are being rebuilt from the log.');
  }

  #stalls(error: Error): false {
    this.#isDiskFull = isDiskFull(error);
    this.#stall.begin(error);
    return false;
  }

  #resume(): void {
    this.#stall.end();
    for (const listener of this.#caughtUpListeners) listener();
  }
}
