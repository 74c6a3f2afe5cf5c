/**
 * The merge of flushes and compactions: writes the visible versions of its sources to new tables. A generator over a
 * `Disk`, so that it runs in a worker thread or in steps between other work.
 *
 * - A version is kept when it is the newest of its key or a snapshot sees it. When every snapshot sees this version or
 *   a newer one, and no deeper table may hold the key, a tombstone is dropped and a value gets sequence 0.
 * - Sources are ordered newest first: for any key, all versions in a source are newer than those in later sources.
 * - At the end all tables and their names are durable. After a failure no table remains.
 */
import { join } from 'node:path';
import type { Disk } from '../disk.ts';
import type { Version } from './block-writer.ts';
import { compareKeys, compareWithPart } from './bytes.ts';
import type { MemtableImage } from './memtable.ts';
import { tableName } from './table-format.ts';
import { type TableMeta, TableWriter } from './table-writer.ts';
import { MemtableStream, TablesStream, type VersionStream } from './version-streams.ts';

const STEP_BYTES = 524_288;

export type MergeSource =
  | { readonly kind: 'memtable'; readonly image: MemtableImage }
  /** Disjoint tables in key order. */
  | { readonly kind: 'tables'; readonly metas: readonly TableMeta[] };

export interface KeySpan {
  readonly smallest: Uint8Array;
  readonly largest: Uint8Array;
}

export interface MergeTask {
  readonly kind: 'merge';
  readonly directory: string;
  readonly sources: readonly MergeSource[];
  /** Sequences of live snapshots, ascending. */
  readonly snapshots: readonly number[];
  /** Key spans of the tables below the target, one list per level; null when any key may exist below. */
  readonly deeper: readonly (readonly KeySpan[])[] | null;
  readonly firstId: number;
  readonly tableBytes: number;
  /** Shared memory; a value other than 0 stops the merge. */
  readonly stop: Int32Array;
}

export interface MergeResult {
  readonly tables: readonly TableMeta[];
  readonly bytesRead: number;
  readonly bytesWritten: number;
}

/** Yields the bytes read so far. Throws `MergeStopped` after `stop` was set. */
export function* merge(disk: Disk, task: MergeTask): Generator<number, MergeResult> {
  const output = new TableOutput(disk, task);
  const streams: VersionStream[] = [];
  try {
    for (const source of task.sources) streams.push(streamOf(disk, task.directory, source));
    const filter = new VersionFilter(task);
    let read = 0;
    let nextStep = STEP_BYTES;
    for (let stream = nearest(streams); stream !== undefined; stream = nearest(streams)) {
      const kept = filter.keep(stream);
      if (kept !== undefined) output.add(kept, filter.isNewKey);
      read += stream.keyEnd - stream.keyStart + stream.code;
      stream.next();
      if (read < nextStep) continue;
      nextStep = read + STEP_BYTES;
      yield read;
      if (Atomics.load(task.stop, 0) !== 0) throw new MergeStopped();
    }
    const tables = output.finish();
    disk.syncDirectory(task.directory);
    return { tables, bytesRead: read, bytesWritten: tables.reduce((sum, meta) => sum + meta.fileBytes, 0) };
  } catch (error) {
    output.abandon();
    throw error;
  } finally {
    for (const stream of streams) stream.close();
  }
}

/** The merge was stopped before its end; its tables are not used. */
export class MergeStopped extends Error {
  constructor() {
    super('the merge was stopped because the store is closing');
    this.name = 'MergeStopped';
  }
}

/**
 * Decides which versions are kept. Versions must come in table order.
 *
 * - The newest version of a key is kept; or it is a tombstone that is dropped, and then all older ones are dropped,
 *   too. So `isNewKey` is true for the first version of each key that is kept.
 */
class VersionFilter {
  /** Whether the last version has another key than the one before. */
  isNewKey = true;
  readonly #snapshots: readonly number[];
  readonly #below: DeeperKeys;
  #key = new Uint8Array(64);
  #keyLength = -1;
  /** Sequence of the previous version of the same key, infinite before the first. */
  #newer = Number.POSITIVE_INFINITY;

  constructor(task: MergeTask) {
    this.#snapshots = task.snapshots;
    this.#below = new DeeperKeys(task.deeper);
  }

  /** The version to write, undefined when it is dropped. */
  keep(version: Version): Version | undefined {
    this.#follow(version);
    const { sequence, code } = version;
    const isNeeded = this.#newer === Number.POSITIVE_INFINITY || this.#isSeen(sequence);
    this.#newer = sequence;
    if (!isNeeded) return undefined;
    const isSeenByAll = this.#snapshots.length === 0 || sequence <= this.#snapshots[0]!;
    if (!isSeenByAll || sequence === 0 || this.#below.mayHold(version)) return version;
    return code === 0 ? undefined : withoutSequence(version);
  }

  /** Whether a snapshot sees this version and not the next newer one. */
  #isSeen(sequence: number): boolean {
    for (const snapshot of this.#snapshots) if (snapshot >= sequence) return snapshot < this.#newer;
    return false;
  }

  #follow(version: Version): void {
    const { keyBytes, keyStart, keyEnd } = version;
    const length = keyEnd - keyStart;
    this.isNewKey =
      length !== this.#keyLength || compareWithPart(this.#key.subarray(0, length), keyBytes, keyStart, keyEnd) !== 0;
    if (!this.isNewKey) return;
    if (length > this.#key.length) this.#key = new Uint8Array(length * 2);
    for (let at = 0; at < length; at += 1) this.#key[at] = keyBytes[keyStart + at]!;
    this.#keyLength = length;
    this.#newer = Number.POSITIVE_INFINITY;
  }
}

/** The key spans below the target of a merge. Keys must be passed in order, so that each level is scanned once. */
class DeeperKeys {
  readonly #levels: readonly (readonly KeySpan[])[] | null;
  readonly #at: number[];

  constructor(levels: readonly (readonly KeySpan[])[] | null) {
    this.#levels = levels;
    this.#at = (levels ?? []).map(() => 0);
  }

  mayHold(version: Version): boolean {
    if (this.#levels === null) return true;
    const { keyBytes, keyStart, keyEnd } = version;
    for (const [level, spans] of this.#levels.entries()) {
      let at = this.#at[level]!;
      while (at < spans.length && compareWithPart(spans[at]!.largest, keyBytes, keyStart, keyEnd) < 0) at += 1;
      this.#at[level] = at;
      const span = spans[at];
      if (span !== undefined && compareWithPart(span.smallest, keyBytes, keyStart, keyEnd) <= 0) return true;
    }
    return false;
  }
}

/** The tables that a merge writes. A table that is large enough ends before the next new key. */
class TableOutput {
  readonly #disk: Disk;
  readonly #task: MergeTask;
  readonly #tables: TableMeta[] = [];
  #writer: TableWriter | undefined;
  #nextId: number;

  constructor(disk: Disk, task: MergeTask) {
    this.#disk = disk;
    this.#task = task;
    this.#nextId = task.firstId;
  }

  add(version: Version, isNewKey: boolean): void {
    if (isNewKey && this.#writer !== undefined && this.#writer.bytes >= this.#task.tableBytes) this.#end(this.#writer);
    if (this.#writer === undefined) {
      this.#writer = new TableWriter(this.#disk, this.#task.directory, this.#nextId);
      this.#nextId += 1;
    }
    this.#writer.add(version, isNewKey);
  }

  finish(): readonly TableMeta[] {
    if (this.#writer !== undefined) this.#end(this.#writer);
    return this.#tables;
  }

  /** Removes the tables written so far, as far as the disk allows; the next open removes the rest. */
  abandon(): void {
    this.#writer?.abandon();
    for (let id = this.#task.firstId; id < this.#nextId; id += 1) {
      try {
        this.#disk.remove(join(this.#task.directory, tableName(id)));
      } catch {
        // The failure that led here is the one to report.
      }
    }
  }

  #end(writer: TableWriter): void {
    this.#tables.push(writer.finish());
    this.#writer = undefined;
  }
}

function streamOf(disk: Disk, directory: string, source: MergeSource): VersionStream {
  if (source.kind === 'memtable') return new MemtableStream(source.image);
  return new TablesStream({ disk, directory }, source.metas);
}

/** The stream with the lowest key; of several with equal keys, the first. */
function nearest(streams: readonly VersionStream[]): VersionStream | undefined {
  let first: VersionStream | undefined;
  for (const stream of streams) {
    if (!stream.isDone && (first === undefined || compareKeys(stream, first) < 0)) first = stream;
  }
  return first;
}

function withoutSequence(version: Version): Version {
  const { keyBytes, keyStart, keyEnd, valueBytes, valueStart, code } = version;
  return { keyBytes, keyStart, keyEnd, sequence: 0, valueBytes, valueStart, code };
}
