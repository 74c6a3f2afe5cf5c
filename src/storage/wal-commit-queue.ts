/**
 * Group commit on the write-ahead log, for `cow` and `lsm`: commits that wait together are written as one group of
 * records and share one sync.
 *
 * - Commits are written, applied and answered in the order of the calls.
 * - A durable commit is applied after its sync, so readers never see a commit that a power cut could undo.
 * - One group is under way at a time, while the next one collects commits. A small group of one commit is synced on
 *   this thread, unless its caller has other work. When the queue is idle, a commit that need not be durable is written
 *   and applied inside the call.
 * - After a failed write or sync every commit is refused, until the engine is opened again.
 */
import { type ByteRange, batchBytes, encodeBatch } from './batch.ts';
import { diskError } from './disk-error.ts';
import type { Change, CommitOptions, EngineEvents } from './engine.ts';
import type { StorageError } from './errors.ts';
import { RecordGroup, type Wal } from './wal.ts';
import { RECORD_HEADER_BYTES } from './wal-format.ts';

/** A waiting group takes commits up to this size, and at least one. */
const GROUP_BYTES_MAX = 8_388_608;
/** Group buffers that have grown larger are freed after use. */
const KEPT_BUFFER_BYTES_MAX = 1_048_576;
/** While syncs take less than this, a single commit is synced on this thread: a thread switch would cost more. */
const SYNC_HERE_SECONDS_MAX = 0.001;
/** Larger groups are synced on the thread pool. */
const SYNC_HERE_BYTES_MAX = 1_048_576;
/** After this many bytes, commits inside the call yield to the event loop. */
const BYTES_PER_TURN = 262_144;

/** What the queue needs from its engine. */
export interface CommitOwner {
  readonly wal: Wal;
  /** Makes a written record visible. `range` of `bytes` is its payload, valid only during the call. */
  apply(sequence: number, bytes: Uint8Array, range: ByteRange): void;
  /** Called when `apply` failed part way: the state in memory must not be read any more. */
  broken(reason: StorageError): void;
  /** The stall that the next group must wait for, or null. It resolves with a reason to refuse the group, or null. */
  backpressure(): Promise<StorageError | null> | null;
  /** Called after a failed write, sync or apply; the owner answers by calling `refuse`. */
  fail(reason: StorageError): void;
  readonly synced: EngineEvents['synced'];
}

/** Commits that are written and synced together. */
class CommitGroup {
  readonly records = new RecordGroup();
  readonly waiters: { readonly resolve: () => void; readonly reject: (reason: unknown) => void }[] = [];
  durable = false;
  offThread = false;
  /** Number of waiting callers, including those that share one commit. */
  writers = 0;

  clear(): void {
    this.records.clear();
    if (this.records.bytes.length > KEPT_BUFFER_BYTES_MAX) this.records.bytes = new Uint8Array(65_536);
    this.waiters.length = 0;
    this.durable = false;
    this.offThread = false;
    this.writers = 0;
  }
}

const DONE = Promise.resolve();

/** The commits of one engine. */
export class WalCommitQueue {
  readonly #owner: CommitOwner;
  /** Groups that wait to be written. The last one takes new commits; those before it are full. */
  readonly #waiting: CommitGroup[] = [new CommitGroup()];
  /** The next group to wait when all others are written. */
  #spare = new CommitGroup();
  /** The group of a commit that is written and applied inside the call. */
  readonly #solo = new CommitGroup();
  /** Whether a group waits or is under way. */
  #busy = false;
  /** Whether a group or `exclusively` uses the log and the engine's state. */
  #locked = false;
  readonly #unlocked: (() => void)[] = [];
  readonly #idle: (() => void)[] = [];
  #refusal: StorageError | null = null;
  #isClosing = false;
  #isAttesting = false;
  /** Moving average of the duration of a sync. */
  #syncSeconds = 0;
  #bytesThisTurn = 0;

  constructor(owner: CommitOwner) {
    this.#owner = owner;
  }

  /** See `KeyValueEngine.commit`. Rejects for an invalid batch, and with the reason once writes are refused. */
  commit(batch: readonly Change[], options: CommitOptions): Promise<void> {
    if (this.#refusal !== null) return Promise.reject(this.#refusal);
    try {
      const length = batchBytes(batch);
      const isQueued = options.durable || this.#busy || this.#locked || this.#mustYield();
      if (isQueued) return this.#enqueue(batch, length, options);
      this.#commitHere(batch, length);
      return DONE;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * Runs `work` while no group is being written, synced or applied; commits wait meanwhile. Rejects with the reason once
   * commits are refused because of a failure: the log may hold more than the engine has applied.
   */
  async exclusively<Result>(work: () => Promise<Result> | Result): Promise<Result> {
    await this.#lock();
    try {
      this.#checkWhole();
      return await work();
    } finally {
      this.#unlock();
    }
  }

  /** Refuses all later commits and those that wait. Called by the owner's `fail`. */
  refuse(reason: StorageError): void {
    this.#refusal ??= reason;
  }

  /** Refuses all later commits and resolves when all earlier ones are answered. */
  async close(reason: StorageError): Promise<void> {
    this.#refusal ??= reason;
    this.#isClosing = true;
    if (this.#busy) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Whether commits inside the call would starve the event loop, or must wait for a stall. */
  #mustYield(): boolean {
    return this.#bytesThisTurn > BYTES_PER_TURN || this.#owner.backpressure() !== null;
  }

  #commitHere(batch: readonly Change[], length: number): void {
    if (this.#bytesThisTurn === 0) {
      setImmediate(() => {
        this.#bytesThisTurn = 0;
      });
    }
    this.#bytesThisTurn += length + RECORD_HEADER_BYTES;
    const group = this.#solo;
    encodeBatch(batch, group.records, length);
    try {
      this.#apply(group, this.#write(group));
    } finally {
      group.clear();
    }
  }

  #enqueue(batch: readonly Change[], length: number, options: CommitOptions): Promise<void> {
    const { durable, writers = 1, offThread = false } = options;
    const group = this.#collecting();
    encodeBatch(batch, group.records, length);
    group.durable ||= durable;
    group.offThread ||= offThread;
    group.writers += writers;
    const answer = new Promise<void>((resolve, reject) => group.waiters.push({ resolve, reject }));
    if (!this.#busy) {
      this.#busy = true;
      this.#runLater();
    }
    return answer;
  }

  /** The group that takes new commits. */
  #collecting(): CommitGroup {
    const last = this.#waiting.at(-1)!;
    if (last.records.used < GROUP_BYTES_MAX) return last;
    const group = new CommitGroup();
    this.#waiting.push(group);
    return group;
  }

  /** Starts the next group after the callers that were just answered have run, so that their next commits join it. */
  #runLater(): void {
    if (this.#mustYield()) setImmediate(() => void this.#run());
    else process.nextTick(() => void this.#run());
  }

  async #run(): Promise<void> {
    let noRoom: StorageError | null = null;
    while (noRoom === null) {
      const stall = this.#owner.backpressure();
      if (stall === null) break;
      noRoom = await stall;
    }
    if (this.#locked) await this.#lock();
    else this.#locked = true;
    const group = this.#waiting.shift()!;
    if (this.#waiting.length === 0) this.#waiting.push(this.#spare);
    try {
      this.#checkWhole();
      if (noRoom !== null) throw noRoom;
      const first = this.#write(group);
      if (group.durable) await this.#sync(group);
      this.#apply(group, first);
      for (const waiter of group.waiters) waiter.resolve();
    } catch (error) {
      for (const waiter of group.waiters) waiter.reject(error);
    }
    if (group.durable) this.#attest(group);
    group.clear();
    this.#spare = group;
    this.#unlock();
    if (this.#waiting[0]!.waiters.length > 0) this.#runLater();
    else this.#rest();
  }

  /**
   * Marks the end of the log. After a single commit this happens immediately; after a shared group only if no other
   * group starts within a turn of the event loop, because the mark costs a write.
   */
  #attest(group: CommitGroup): void {
    if (this.#refusal !== null || this.#isAttesting || this.#waiting[0]!.waiters.length > 0) return;
    this.#isAttesting = group.waiters.length > 1;
    if (this.#isAttesting) setImmediate(this.#attestAtRest);
    else this.#owner.wal.attest();
  }

  readonly #attestAtRest = (): void => {
    this.#isAttesting = false;
    if (!this.#busy && !this.#locked && this.#refusal === null) this.#owner.wal.attest();
  };

  /** Throws the reason once commits are refused, except while the engine closes: earlier commits are still made. */
  #checkWhole(): void {
    if (this.#refusal !== null && !this.#isClosing) throw this.#refusal;
  }

  #rest(): void {
    this.#busy = false;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  async #lock(): Promise<void> {
    while (this.#locked) await new Promise<void>((resolve) => this.#unlocked.push(resolve));
    this.#locked = true;
  }

  #unlock(): void {
    this.#locked = false;
    this.#unlocked.shift()?.();
  }

  #write(group: CommitGroup): number {
    try {
      return this.#owner.wal.write(group.records);
    } catch (error) {
      throw this.#failed(diskError(error, 'Cannot write the write-ahead log'));
    }
  }

  async #sync(group: CommitGroup): Promise<void> {
    const began = performance.now();
    const { waiters, records, offThread } = group;
    const { wal } = this.#owner;
    const isSmall = waiters.length === 1 && records.used <= SYNC_HERE_BYTES_MAX;
    const isHere = isSmall && !offThread && !wal.isSyncing && this.#syncSeconds < SYNC_HERE_SECONDS_MAX;
    try {
      if (isHere) wal.syncNow();
      else await wal.sync();
    } catch (error) {
      throw this.#failed(diskError(error, 'Cannot sync the write-ahead log; nothing written since is certain'));
    }
    const seconds = (performance.now() - began) / 1000;
    this.#syncSeconds = this.#syncSeconds * 0.9 + seconds * 0.1;
    this.#owner.synced({ seconds, commits: group.writers, bytes: group.records.used });
  }

  /**
   * Applies a written group. If that fails, log and memory differ, so the state in memory must not be read any more.
   */
  #apply(group: CommitGroup, first: number): void {
    const { bytes, records } = group.records;
    try {
      for (let at = 0; at < records.length; at += 2) {
        const start = records[at]! + RECORD_HEADER_BYTES;
        this.#owner.apply(first + at / 2, bytes, { start, end: start + records[at + 1]! });
      }
    } catch (error) {
      const failure = diskError(error, 'Cannot apply a commit');
      this.#owner.broken(failure);
      throw this.#failed(failure);
    }
  }

  /**
   * Reports a failure. The owner calls `refuse`, which also refuses the commits that a closing queue would still take.
   */
  #failed(reason: StorageError): StorageError {
    this.#isClosing = false;
    this.#owner.fail(reason);
    return reason;
  }
}
