/**
 * The write-ahead log of `cow` and `lsm`: preallocated, recycled segments of checksummed records
 * (`docs/formats/wal.md`).
 *
 * Use: `openWal` replays the log. Then add payloads to a `RecordGroup`, `write` it, `sync` it, and `release` the
 * commits that the owner's files contain. (`WalCommitQueue` does all but the last.)
 *
 * - One caller at a time uses `write`. A `write` during a `sync` is allowed, but not covered by it.
 * - One sync runs at a time: of two, only one may get the error of a failed write-back.
 * - After an error of `write`, `sync`, `release` or `scrub` the owner becomes read-only. After a failed sync the log
 *   refuses every call; after a failed change of its files it can only be synced.
 * - `attest` marks the end of an idle log, so that damage to its last record is not taken for a torn write.
 */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { withRoom } from './copies.ts';
import { diskError } from './disk-error.ts';
import type { Fault } from './engine.ts';
import { RECORD_HEADER_BYTES, recordBytes, SEGMENT_HEADER_BYTES, sealRecord } from './wal-format.ts';
import { type RecoveredLog, recoverSegments, type WalOptions } from './wal-recovery.ts';
import { type Segment, SegmentMaker } from './wal-segments.ts';

/** Recovers the log in `directory`, or creates it. Throws `STORAGE_CORRUPT` for damage. */
export function openWal(options: WalOptions): Wal {
  const { disk, directory, segmentBytes } = options;
  const maker = new SegmentMaker({ disk, directory }, segmentBytes);
  return new Wal(maker, recoverSegments(options, maker));
}

/** Payloads that are written and synced together; reusable after `clear`. */
export class RecordGroup {
  bytes: Uint8Array<ArrayBuffer>;
  used = 0;
  /** The offset of each record and the length of its payload, alternating. */
  readonly records: number[] = [];

  constructor(bytes = 65_536) {
    this.bytes = new Uint8Array(bytes);
  }

  /** Adds a record and returns the offset in `bytes` at which the caller writes its payload of `length` bytes. */
  reserve(length: number): number {
    const at = this.used;
    const end = at + recordBytes(length);
    this.bytes = withRoom(this.bytes, end);
    for (let pad = at + RECORD_HEADER_BYTES + length; pad < end; pad += 1) this.bytes[pad] = 0;
    this.records.push(at, length);
    this.used = end;
    return at + RECORD_HEADER_BYTES;
  }

  clear(): void {
    this.used = 0;
    this.records.length = 0;
  }
}

/** An open write-ahead log; made by `openWal`. */
export class Wal {
  readonly #maker: SegmentMaker;
  readonly #segments: Segment[];
  #last: number;
  #durable: number;
  /** The sync that is under way. */
  #syncing: Promise<void> | null = null;
  /** A sync has failed: a later one that succeeds would prove nothing. */
  #hasFailedSync = false;
  /** The error of the first sync or change of the files that failed. */
  #failure: unknown = null;
  readonly #attestation = new RecordGroup(RECORD_HEADER_BYTES);
  /** Records that opening found damaged or missing, and that the owner's files contain. */
  readonly damaged: readonly Fault[];

  constructor(maker: SegmentMaker, recovered: RecoveredLog) {
    this.#maker = maker;
    this.#segments = recovered.segments;
    this.#last = recovered.last;
    this.#durable = recovered.last;
    this.damaged = recovered.damaged;
    this.#attestation.reserve(0);
  }

  /** Sequence of the last record written, 0 when there is none. */
  get lastSequence(): number {
    return this.#last;
  }

  /** Every record up to this sequence is synced. */
  get durableSequence(): number {
    return this.#durable;
  }

  /** Bytes of records in segments that are not released. */
  get bytes(): number {
    return this.#segments.reduce((sum, segment) => sum + segment.end - SEGMENT_HEADER_BYTES, 0);
  }

  /** Bytes of the log's files, including spares. */
  get diskBytes(): number {
    return this.#segments.reduce((sum, segment) => sum + segment.header.capacity, this.#maker.spareBytes);
  }

  /** Whether a `sync` is under way: then `syncNow` must not be called. */
  get isSyncing(): boolean {
    return this.#syncing !== null;
  }

  /** Writes the group after the last record and returns the sequence of its first record. `sync` makes it durable. */
  write(group: RecordGroup): number {
    this.#checkWhole();
    const segment = this.#roomFor(group.used);
    const first = this.#last + 1;
    let sequence = first;
    for (let at = 0; at < group.records.length; at += 2) {
      const record = { length: group.records[at + 1]!, sequence, durable: this.#durable, salt: segment.header.salt };
      sealRecord(group.bytes, group.records[at]!, record);
      sequence += 1;
    }
    segment.write(group.bytes, group.used);
    if (segment.first === 0) segment.first = first;
    segment.last = sequence - 1;
    this.#last = sequence - 1;
    if (segment.end * 2 > segment.header.capacity) this.#maker.prepare();
    return first;
  }

  /** Makes everything written so far durable. Waits for a sync that is under way. */
  async sync(): Promise<void> {
    while (this.#syncing !== null) await this.#syncing;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#syncing = promise;
    try {
      this.#checkSynced();
      const target = this.#last;
      for (const segment of this.#unsynced()) {
        const covered = segment.last;
        await segment.file.sync();
        segment.synced = covered;
      }
      this.#durable = target;
    } catch (error) {
      throw this.#failed(error, { isSync: true });
    } finally {
      this.#syncing = null;
      resolve();
    }
  }

  /** Makes everything written so far durable, on the calling thread. */
  syncNow(): void {
    this.#checkSynced();
    try {
      for (const segment of this.#unsynced()) {
        segment.file.syncNow();
        segment.synced = segment.last;
      }
    } catch (error) {
      throw this.#failed(error, { isSync: true });
    }
    this.#durable = this.#last;
  }

  /**
   * Writes an attestation after the last record, if all records are synced; the next `write` overwrites it. Best
   * effort: the log is complete without it. The owner calls this when no `write` is about to follow.
   */
  attest(): void {
    const segment = this.#segments.at(-1)!;
    if (this.#durable !== this.#last || segment.first === 0) return;
    const record = { length: 0, sequence: this.#last, durable: this.#last, salt: segment.header.salt };
    sealRecord(this.#attestation.bytes, 0, record);
    try {
      segment.file.write(segment.end, this.#attestation.bytes);
    } catch {
      // A disk error will fail the next commit, which reports it.
    }
  }

  /** Adds an empty record after the last commits, which proves that they were durable, and an attestation of it. */
  async seal(): Promise<void> {
    await this.sync();
    this.#writeEmpty();
    await this.sync();
    this.attest();
  }

  /** Releases segments whose records are all up to `sequence`, which the owner's files must contain durably. */
  release(sequence: number): void {
    let count = 0;
    for (let at = 0; at + 1 < this.#segments.length; at += 1) {
      const next = this.#segments[at + 1]!;
      const nextIsDurable = next.first !== 0 && next.first <= this.#durable;
      if (this.#segments[at]!.last > sequence || !nextIsDurable) break;
      count += 1;
    }
    if (count === 0) return;
    this.#checkWhole();
    try {
      this.#maker.recycle(this.#segments.splice(0, count));
    } catch (error) {
      throw this.#failed(error);
    }
  }

  /**
   * Removes every payload from the disk and continues in a new segment with one empty record. The owner's files must
   * contain every commit up to `lastSequence` durably, and the owner must not write meanwhile.
   */
  async scrub(): Promise<void> {
    this.#checkWhole();
    try {
      await this.#maker.discardSpares();
      this.#segments.push(this.#maker.makeZeroed(this.#segments.at(-1)!.header.number + 1));
      this.#durable = this.#last;
      this.#writeEmpty();
      await this.sync();
      while (this.#segments.length > 1) this.#segments.shift()!.remove();
      this.#maker.syncNames();
    } catch (error) {
      throw this.#failed(error);
    }
  }

  /** Reads the segments again and returns their faults. */
  async verify(): Promise<Fault[]> {
    const faults: Fault[] = [];
    for (const segment of [...this.#segments]) {
      if (this.#segments.includes(segment)) faults.push(...segment.verify());
      await yieldToOthers();
    }
    return faults;
  }

  /** Makes everything durable, unless a sync has failed before, and closes the files. */
  async close(): Promise<void> {
    await this.#maker.close();
    try {
      if (!this.#hasFailedSync) await this.sync();
    } catch (error) {
      throw diskError(error, 'Cannot sync the write-ahead log; the last commits are not certain');
    } finally {
      for (const segment of this.#segments) segment.file.close();
    }
  }

  #writeEmpty(): void {
    const group = new RecordGroup(RECORD_HEADER_BYTES);
    group.reserve(0);
    this.write(group);
  }

  #checkWhole(): void {
    if (this.#failure !== null) throw this.#failure;
  }

  #checkSynced(): void {
    if (this.#hasFailedSync) throw this.#failure;
  }

  /** Records a failure, and returns it for the caller. */
  #failed(error: unknown, { isSync = false } = {}): unknown {
    this.#hasFailedSync ||= isSync;
    this.#failure ??= error;
    return error;
  }

  /** A copy, because a release during a sync changes the list of segments. */
  #unsynced(): Segment[] {
    return this.#segments.filter((segment) => segment.synced < segment.last);
  }

  /**
   * The segment for the next `bytes`: the active one while they fit with an attestation after them, else a new one. An
   * empty segment that is too small is replaced by a larger one of the same name.
   */
  #roomFor(bytes: number): Segment {
    const active = this.#segments.at(-1)!;
    const room = bytes + RECORD_HEADER_BYTES;
    if (active.end + room <= active.header.capacity) return active;
    const isEmpty = active.first === 0;
    const next = this.#maker.make(active.header.number + (isEmpty ? 0 : 1), SEGMENT_HEADER_BYTES + room);
    if (isEmpty) this.#segments.pop()!.file.close();
    this.#segments.push(next);
    return next;
  }
}
