/**
 * Decides when a checkpoint is due, runs it, and delays commits when it cannot keep up.
 *
 * - A checkpoint is due when the log has grown by 16 segments since the last one was frozen, or when dirty nodes take
 *   twice the cache. At twice as much log, or three times the cache, commits wait for a running checkpoint.
 * - On a disk without room for it, a checkpoint is postponed: the log holds every commit.
 */
import { diskError } from '../disk-error.ts';
import type { EngineEvents } from '../engine.ts';
import type { StorageError } from '../errors.ts';
import type { Wal } from '../wal.ts';
import type { WalCommitQueue } from '../wal-commit-queue.ts';
import type { CowConfig } from './config.ts';
import type { Store } from './store.ts';

/** A checkpoint is due when the log has grown by this many segments. */
const CHECKPOINT_SEGMENTS = 16;
/** Room for the map of the units of a page file of 32 GiB. */
const MAP_BYTES = 1_048_576;

/** What checkpoints need from their engine. */
export interface CheckpointOwner {
  readonly wal: Wal;
  readonly queue: WalCommitQueue;
  readonly config: Required<CowConfig>;
  store(): Store;
  /** Bytes that can be written into the page file. */
  freeBytes(): number;
  /** Sequence of the newest applied commit. */
  sequence(): number;
  /** Whether writes are refused. */
  hasFailed(): boolean;
  /** Runs `work` after all other maintenance of the store. */
  queueMaintenance(work: () => Promise<void>): Promise<void>;
  fail(reason: StorageError): void;
  readonly checkpointed: EngineEvents['checkpointed'];
  readonly stalled: EngineEvents['stalled'];
}

/** Schedules the checkpoints of one store. */
export class Checkpoints {
  readonly #owner: CheckpointOwner;
  /** Bytes of records since the newest checkpoint was frozen. */
  #bytesSince: number;
  /** The checkpoint that is under way or queued. */
  #running: Promise<void> | null = null;
  #stall: Promise<null> | null = null;

  /** `replayedBytes`: bytes of records in the log that the newest checkpoint does not contain. */
  constructor(owner: CheckpointOwner, replayedBytes: number) {
    this.#owner = owner;
    this.#bytesSince = replayedBytes;
    this.#beginIfDue();
  }

  /** Counts the record of an applied commit, and begins a checkpoint when one is due. */
  count(recordBytes: number): void {
    this.#bytesSince += recordBytes;
    this.#beginIfDue();
  }

  /** The log has been emptied: its records are in the page file. */
  logEmptied(): void {
    this.#bytesSince = 0;
  }

  /** The stall that commits must wait for, or null. */
  backpressure(): Promise<null> | null {
    if (this.#running === null || !this.#isDue(2)) return null;
    if (this.#stall === null) {
      const began = performance.now();
      this.#stall = this.#running.then(() => {
        this.#stall = null;
        this.#owner.stalled({ seconds: secondsSince(began) });
        return null;
      });
    }
    return this.#stall;
  }

  /** Writes a checkpoint if the page file lacks a commit. Called as maintenance; a failure fails the engine. */
  async write(): Promise<void> {
    const { wal, queue, sequence: newest } = this.#owner;
    const store = this.#owner.store();
    if (!store.isDirty(newest())) return;
    const began = performance.now();
    this.#bytesSince = 0;
    try {
      const { bytes, sequence } = await store.checkpoint(newest, () => queue.exclusively(() => wal.sync()));
      wal.release(sequence);
      this.#owner.checkpointed({ seconds: secondsSince(began), bytes });
    } catch (error) {
      const reason = diskError(error, 'Cannot write a checkpoint');
      this.#owner.fail(reason);
      throw reason;
    }
  }

  #beginIfDue(): void {
    if (!this.#isDue(1) || this.#running !== null || this.#owner.hasFailed() || !this.#hasRoom()) return;
    this.#running = this.#owner
      .queueMaintenance(() => this.write())
      .catch(() => {})
      .finally(() => {
        this.#running = null;
      });
  }

  /** Nodes take whole units of the file, and the map of the units is written too. */
  #hasRoom(): boolean {
    return this.#owner.freeBytes() >= 2 * this.#owner.store().tree.cache.dirtyBytes + MAP_BYTES;
  }

  /** Whether the log exceeds `times` its limit, or dirty nodes `times + 1` times the cache. */
  #isDue(times: number): boolean {
    const { wal_buffer_size: segmentBytes, cache_bytes: cacheBytes } = this.#owner.config;
    if (this.#bytesSince >= times * CHECKPOINT_SEGMENTS * segmentBytes) return true;
    return this.#owner.store().tree.cache.dirtyBytes >= (times + 1) * cacheBytes;
  }
}

function secondsSince(began: number): number {
  return (performance.now() - began) / 1000;
}
