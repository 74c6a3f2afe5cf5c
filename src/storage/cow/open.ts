/** Opens or creates the files of a `cow` directory (`docs/formats/cow.md`, "Recovery"). */
import { join } from 'node:path';
import { decodeBatch } from '../batch.ts';
import type { Disk } from '../disk.ts';
import { diskError } from '../disk-error.ts';
import type { Fault } from '../engine.ts';
import { StorageError } from '../errors.ts';
import { openWal, type Wal } from '../wal.ts';
import { TreeBuilder } from './builder.ts';
import type { CowConfig } from './config.ts';
import { PAGE_FILE, PageFile } from './page-file.ts';
import { Store } from './store.ts';

/** A page file under construction; never opened as a store. */
export const DRAFT_FILE = `${PAGE_FILE}.new`;

export interface Place {
  readonly directory: string;
  readonly disk: Disk;
  readonly config: Required<CowConfig>;
}

export interface OpenFiles {
  readonly store: Store;
  readonly wal: Wal;
  /** Bytes of records that the newest checkpoint does not contain. */
  readonly replayedBytes: number;
  /** Meta pages that were torn or damaged and are written again, and records of the log that the tree contains. */
  readonly repaired: readonly Fault[];
}

/** Opens the store in the directory of `place`, or creates it, and replays the log. Rejects with a `StorageError`. */
export async function openFiles(place: Place): Promise<OpenFiles> {
  const { directory, disk } = place;
  try {
    disk.makeDirectory(directory);
    removeDraft(place);
    if (!disk.exists(join(directory, PAGE_FILE))) await createFiles(place);
    return await recover(place);
  } catch (error) {
    throw diskError(error, `Cannot open the store in ${directory}`);
  }
}

/** Deletes an unfinished page file. */
export function removeDraft({ directory, disk }: Place): void {
  const path = join(directory, DRAFT_FILE);
  if (disk.exists(path)) disk.remove(path);
}

/** Deletes the draft after a failure, and ignores further errors: the first failure is the one to report. */
export function abandonDraft(place: Place): void {
  try {
    removeDraft(place);
  } catch {
    // The next open deletes it.
  }
}

/** Creates an empty store. The page file gets its name last, so that an interrupted creation leaves no store. */
async function createFiles(place: Place): Promise<void> {
  {
    using draft = new PageFile(place.disk, { directory: place.directory, name: DRAFT_FILE, mode: 'create' });
    await new TreeBuilder(draft, place.config.max_keys_per_node).finish(0);
  }
  await publish(place);
}

/** Creates an empty log beside a finished draft, and gives the draft its final name. */
export async function publish(place: Place): Promise<void> {
  const { directory, disk, config } = place;
  const visit = (): never => {
    throw missingPageFile();
  };
  const wal = openWal({ directory, disk, segmentBytes: config.wal_buffer_size, after: 0, create: true, visit });
  await wal.close();
  disk.rename(join(directory, DRAFT_FILE), join(directory, PAGE_FILE));
  disk.syncDirectory(directory);
}

async function recover(place: Place): Promise<OpenFiles> {
  const { directory, disk, config } = place;
  const file = new PageFile(disk, { directory, name: PAGE_FILE, mode: 'open' });
  try {
    const store = Store.open(file, { keysMax: config.max_keys_per_node, cacheBytes: config.cache_bytes });
    const log = replayLog(place, store);
    const repaired = await store.repairMeta().catch(async (error: unknown) => {
      await log.wal.close();
      throw error;
    });
    return { store, ...log, repaired: [...repaired, ...log.wal.damaged] };
  } catch (error) {
    file.close();
    throw error;
  }
}

function replayLog({ directory, disk, config }: Place, store: Store): { wal: Wal; replayedBytes: number } {
  let replayedBytes = 0;
  const wal = openWal({
    directory,
    disk,
    segmentBytes: config.wal_buffer_size,
    after: store.meta.sequence,
    create: false,
    visit: (_, bytes, range) => {
      replayedBytes += range.end - range.start;
      decodeBatch(bytes, range, (change) => store.tree.apply(change));
    },
  });
  return { wal, replayedBytes };
}

function missingPageFile(): StorageError {
  const what = `${PAGE_FILE} is missing though the write-ahead log has records`;
  return new StorageError('STORAGE_CORRUPT', what, { file: PAGE_FILE, offset: 0 });
}
