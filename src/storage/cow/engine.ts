/**
 * The `cow` engine: a copy-on-write B+ tree behind a write-ahead log. Bytes and crash cases in docs/formats/cow.md.
 *
 * - Reads never wait: they see the newest applied commit, or the state of their snapshot.
 * - Checkpoints, compaction and verification take turns with each other, never with commits, but that commits wait when
 *   the log has grown twice too long while a checkpoint is under way.
 * - After a failed write or sync the engine only reads; after a commit that could be applied only in part, not even that.
 */
import { EventEmitter } from 'node:events';
import { performance } from 'node:perf_hooks';
import { type ByteRange, decodeBatch, type EncodedChange } from '../batch.ts';
import { checkKey, checkRange } from '../checks.ts';
import { CommitQueue } from '../commit-queue.ts';
import type { Disk } from '../disk.ts';
import { diskError } from '../disk-error.ts';
import type {
  Bytes,
  Change,
  CommitOptions,
  EngineEvents,
  EngineStats,
  Entry,
  Fault,
  KeyValueEngine,
  RangeOptions,
  Snapshot,
} from '../engine.ts';
import { StorageError } from '../errors.ts';
import type { Wal } from '../wal.ts';
import { RECORD_HEADER_BYTES } from '../wal-format.ts';
import { backupStore } from './backup.ts';
import { compactStore } from './compact.ts';
import { type CowConfig, checkedConfig } from './config.ts';
import { type OpenFiles, openFiles, type Place } from './open.ts';
import { StoreReads } from './reads.ts';
import type { Store } from './store.ts';
import { verifyTree } from './verify.ts';

/** A checkpoint is due when the log has grown by this many segments. */
const CHECKPOINT_SEGMENTS = 16;
/** `getMany` gives way to the event loop after this many reads from the disk. */
const COLD_READS_PER_TURN = 32;

export async function openCow(options: {
  readonly directory: string;
  readonly disk: Disk;
  readonly config?: CowConfig;
}): Promise<KeyValueEngine> {
  const { directory, disk } = options;
  const place = { directory, disk, config: checkedConfig(options.config ?? {}) };
  return new CowEngine(place, await openFiles(place));
}
