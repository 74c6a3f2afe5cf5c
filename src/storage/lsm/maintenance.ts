/**
 * Schedules flushes of frozen memtables and compactions of levels. The work itself runs in the background.
 *
 * - At most one flush and one compaction run at a time; memtables are flushed in the order in which they were frozen.
 * - A merge that meets a full disk changes nothing. It is tried again every second, and is no failure.
 * - After the first failure, or after `stop`, nothing new begins.
 */
import { diskError } from '../disk-error.ts';
import type { EngineEvents } from '../engine.ts';
import { StorageError } from '../errors.ts';
import type { Background } from './background.ts';
import type { LsmConfig } from './config.ts';
import type { ManifestEditor } from './manifest-editor.ts';
import type { Frozen } from './memtable.ts';
import { type MergeResult, type MergeSource, MergeStopped, type MergeTask } from './merge.ts';
import { type Compaction, CompactionPicker, wholeCompaction } from './picker.ts';
import type { ReadState } from './state.ts';
import type { Table } from './table.ts';

/** What maintenance needs from the engine. */
export interface MaintenanceOwner {
  readonly state: ReadState;
  readonly directory: string;
  readonly background: Background;
  readonly editor: ManifestEditor;
  readonly config: LsmConfig;
  /** Sequences of live snapshots, ascending. */
  snapshots(): readonly number[];
  /** Syncs the log: tables must not contain a commit that is not durable in the log. */
  syncLog(): Promise<void>;
  /** Reports that every commit up to `sequence` is in tables. */
  flushed(sequence: number): void;
  /** Reports that level 0 or the queue of frozen memtables may have become shorter. */
  relieved(): void;
  /** Reports that the disk has no room for a flush or compaction. */
  refused(reason: StorageError): void;
  readonly checkpointed: EngineEvents['checkpointed'];
  readonly compacted: EngineEvents['compacted'];
  fail(error: unknown): void;
}

/** The stop flag of a flush, which is never set: flushes run to their end. */
const NEVER = new Int32Array(new SharedArrayBuffer(4));

/** Milliseconds until a merge without room is tried again. */
const RETRY_MS = 1_000;

export type Progress = (done: number, total: number) => void;

/** Starts flushes and compactions when they are due. */
export class Maintenance {
  readonly #owner: MaintenanceOwner;
  readonly #picker: CompactionPicker;
  readonly #stop = new Int32Array(new SharedArrayBuffer(4));
  #isStopped = false;
  #areCompactionsStopped = false;
  #isFlushing = false;
  #retry: NodeJS.Timeout | null = null;
  /** Set when the latest flush or compaction found no room on the disk; null after any other outcome. */
  #noRoom: NoRoom | null = null;
  #isCompacting = false;
  #flushing: Promise<void> = Promise.resolve();
  #compacting: Promise<void> = Promise.resolve();
  #fullCompactions: Promise<void> = Promise.resolve();
  #fullCompactionsPending = 0;

  constructor(owner: MaintenanceOwner) {
    this.#owner = owner;
    this.#picker = new CompactionPicker(owner.config);
  }

  get pendingBytes(): number {
    const frozen = this.#owner.state.frozen.reduce((sum, { memtable }) => sum + memtable.bytes, 0);
    return frozen + this.#picker.pendingBytes(this.#owner.state.levels);
  }

  /** Begins due flushes and compactions unless they run already. */
  wake(): void {
    if (this.#isStopped) return;
    if (!this.#isFlushing) this.#flushing = this.#guard(this.#flushAll());
    if (!this.#isCompacting) this.#compacting = this.#guard(this.#compactDue());
  }

  /** Resolves when no frozen memtable is left, or the engine has failed. Throws `NoRoom` on a full disk. */
  async flush(): Promise<void> {
    while (this.#owner.state.frozen.length > 0 && !this.#isStopped) {
      this.#noRoom = null;
      this.wake();
      await this.#flushing;
      if (this.#noRoom !== null && this.#owner.state.frozen.length > 0) throw this.#noRoom;
    }
  }

  /** Compacts all tables into the deepest level in use; concurrent calls run one after the other. */
  compactAll(progress: Progress | undefined): Promise<void> {
    this.#fullCompactionsPending += 1;
    const whole = this.#fullCompactions.then(async () => {
      await this.#compacting;
      if (this.#areCompactionsStopped) throw new MergeStopped();
      const compaction = wholeCompaction(this.#owner.state.levels);
      if (compaction !== undefined) await this.#compact(compaction, progress);
    });
    this.#fullCompactions = whole.then(
      () => this.#onFullCompactionEnd(),
      () => this.#onFullCompactionEnd(),
    );
    return whole;
  }

  /** Prevents further compactions and ends a running one early; flushes continue. */
  stopCompactions(): void {
    this.#areCompactionsStopped = true;
    Atomics.store(this.#stop, 0, 1);
  }

  /** Prevents any further work and resolves when none is running. */
  async stop(): Promise<void> {
    this.stopCompactions();
    this.#isStopped = true;
    if (this.#retry !== null) clearTimeout(this.#retry);
    await this.#flushing;
    await this.#compacting;
    await this.#fullCompactions;
  }

  #onFullCompactionEnd(): void {
    this.#fullCompactionsPending -= 1;
    this.wake();
  }

  async #guard(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      if (error instanceof MergeStopped) return;
      if (error instanceof NoRoom) {
        this.#noRoom = error;
        this.#owner.refused(error);
        return this.#wakeLater();
      }
      this.#isStopped = true;
      this.#owner.fail(error);
    }
  }

  #wakeLater(): void {
    this.#retry ??= setTimeout(() => {
      this.#retry = null;
      this.wake();
    }, RETRY_MS).unref();
  }

  /** The flag is cleared in the same turn as the last check for work, so a later `wake` starts again. */
  async #flushAll(): Promise<void> {
    this.#isFlushing = true;
    try {
      for (let next = this.#nextFrozen(); next !== undefined; next = this.#nextFrozen()) {
        await this.#flushOne(next);
        this.wake();
      }
    } finally {
      this.#isFlushing = false;
    }
  }

  #nextFrozen(): Frozen | undefined {
    return this.#isStopped ? undefined : this.#owner.state.frozen.at(-1);
  }

  async #flushOne(frozen: Frozen): Promise<void> {
    const began = performance.now();
    const { state, editor } = this.#owner;
    const sources: MergeSource[] = [{ kind: 'memtable', image: frozen.memtable.image() }];
    const merging = this.#merge({ sources, deeper: null, ids: 1, tableBytes: Number.POSITIVE_INFINITY });
    const parts = [merging, this.#owner.syncLog()] as const;
    // Both end before a failure of one is reported: a close must not meet a sync under way.
    await Promise.allSettled(parts);
    const [result] = await Promise.all(parts);
    await editor.apply({
      remove: [],
      add: editor.tables(result.tables).map((table) => ({ level: 0, table })),
      lastSequence: frozen.lastSequence,
      onInstalled: () => state.drop(frozen),
    });
    this.#owner.flushed(frozen.lastSequence);
    this.#owner.checkpointed({ seconds: secondsSince(began), bytes: result.bytesWritten });
    this.#owner.relieved();
  }

  async #compactDue(): Promise<void> {
    this.#isCompacting = true;
    try {
      for (let next = this.#nextCompaction(); next !== undefined; next = this.#nextCompaction()) {
        const [first, ...others] = next.runs;
        // A table without overlap in the next level moves there by a manifest edit alone.
        if (others.length === 0 && first!.length === 1) await this.#install(next, first!);
        else await this.#compact(next, undefined);
        this.#owner.relieved();
      }
    } finally {
      this.#isCompacting = false;
    }
  }

  #nextCompaction(): Compaction | undefined {
    if (this.#isStopped || this.#areCompactionsStopped || this.#fullCompactionsPending > 0) return undefined;
    return this.#picker.pick(this.#owner.state.levels);
  }

  async #compact(compaction: Compaction, progress: Progress | undefined): Promise<void> {
    const began = performance.now();
    const { runs, target } = compaction;
    const { editor, state, config } = this.#owner;
    const metas = runs.flat().map((table) => table.meta);
    const total = metas.reduce((sum, meta) => sum + meta.rawBytes, 0);
    const inputBytes = metas.reduce((sum, meta) => sum + meta.fileBytes, 0);
    const result = await this.#merge({
      sources: runs.map((run) => ({ kind: 'tables', metas: run.map((table) => table.meta) })),
      deeper: state.levels.tables.slice(target + 1).map((tables) => tables.map((table) => table.meta)),
      // A merge writes at most about what it reads, in tables of at least `table_bytes` except the last.
      ids: Math.ceil((2 * inputBytes) / config.table_bytes) + 1,
      tableBytes: config.table_bytes,
      onProgress: (done) => progress?.(Math.min(done, total), total),
    });
    await this.#install(compaction, editor.tables(result.tables));
    progress?.(total, total);
    const { bytesRead, bytesWritten } = result;
    this.#owner.compacted({ seconds: secondsSince(began), bytesRead, bytesWritten });
  }

  #install(compaction: Compaction, tables: readonly Table[]): Promise<void> {
    return this.#owner.editor.apply({
      remove: compaction.runs.flat(),
      add: tables.map((table) => ({ level: compaction.target, table })),
    });
  }

  #merge(work: MergeWork): Promise<MergeResult> {
    const { sources, deeper, ids, tableBytes, onProgress } = work;
    const { directory, editor, background } = this.#owner;
    const task: MergeTask = {
      kind: 'merge',
      directory,
      sources,
      snapshots: this.#owner.snapshots(),
      deeper,
      firstId: editor.allocateIds(ids),
      tableBytes,
      stop: deeper === null ? NEVER : this.#stop,
    };
    return background.run(task, onProgress).catch((error: unknown) => {
      const reason = diskError(error, 'Cannot write a table');
      throw reason.code === 'STORAGE_FULL' ? new NoRoom(reason) : error;
    });
  }
}

/** A merge met a full disk, and removed what it had written. */
export class NoRoom extends StorageError {
  constructor({ message }: StorageError) {
    super('STORAGE_FULL', message);
  }
}

interface MergeWork {
  readonly sources: readonly MergeSource[];
  readonly deeper: MergeTask['deeper'];
  /** Number of tables that the merge may write. */
  readonly ids: number;
  readonly tableBytes: number;
  readonly onProgress?: (bytes: number) => void;
}

function secondsSince(began: number): number {
  return (performance.now() - began) / 1000;
}
