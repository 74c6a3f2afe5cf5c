/**
 * Compaction: rewrites the page file with live data only, while commits continue (`docs/formats/cow.md`, "Compaction
 * and backup").
 *
 * - Until the rename the old file is the store; an error before the rename changes nothing.
 */
import { join } from 'node:path';
import { decodeBatch } from '../batch.ts';
import { diskError } from '../disk-error.ts';
import type { StorageError } from '../errors.ts';
import type { Wal } from '../wal.ts';
import type { WalCommitQueue } from '../wal-commit-queue.ts';
import { abandonDraft, DRAFT_FILE, type Place, removeDraft } from './open.ts';
import { PAGE_FILE, PageFile } from './page-file.ts';
import { rebuild } from './rebuild.ts';
import { Store } from './store.ts';
import { TimeSlice } from './time-slice.ts';

export interface Compaction {
  readonly place: Place;
  readonly from: Store;
  readonly queue: WalCommitQueue;
  readonly wal: Wal;
  /** Sequence of the newest applied commit. */
  readonly sequence: () => number;
  /** Also passes every payload that is applied from now on to `sink`; null ends it. */
  readonly follow: (sink: ((payload: Uint8Array) => void) | null) => void;
  /** The store in use. */
  readonly current: () => Store;
  /** Switches to the new store; called while no commit is under way. */
  readonly replace: (store: Store) => void;
  /** The log now holds only an empty record. */
  readonly scrubbed: () => void;
  /** Called for an error after which it is unknown which file is the store. */
  readonly fail: (reason: StorageError) => void;
  readonly progress: (done: number, total: number) => void;
}

/** Resolves with the bytes written, once the new page file has its name and the log holds no old payload. */
export async function compactStore(compaction: Compaction): Promise<number> {
  const { from, queue, follow } = compaction;
  const reader = from.acquireReader();
  const missed: Uint8Array[] = [];
  const sequence = compaction.sequence();
  follow((payload) => missed.push(payload));
  try {
    const { store, bytes } = await writeDraft(compaction, { sequence, state: reader });
    try {
      await applyAll(store, missed);
      await queue.exclusively(() => finish(compaction, store, missed));
    } finally {
      if (compaction.current() !== store) store.file.close();
    }
    return bytes;
  } finally {
    follow(null);
    from.releaseReader(reader);
    await from.closed();
  }
}

async function writeDraft(
  compaction: Compaction,
  from: { readonly sequence: number; readonly state: ReturnType<Store['acquireReader']> },
): Promise<{ readonly store: Store; readonly bytes: number }> {
  const { directory, disk, config } = compaction.place;
  const { max_keys_per_node: keysMax, cache_bytes: cacheBytes } = config;
  let file: PageFile | null = null;
  try {
    removeDraft(compaction.place);
    file = new PageFile(disk, { directory, name: DRAFT_FILE, mode: 'create' });
    const { progress } = compaction;
    const bytes = await rebuild({ from: compaction.from, to: file, keysMax, progress, ...from });
    return { store: Store.open(file, { keysMax, cacheBytes }), bytes };
  } catch (error) {
    file?.close();
    abandonDraft(compaction.place);
    throw diskError(error, 'Cannot write the compacted page file; the store is as it was');
  }
}

function switchTo({ place, from, replace }: Compaction, store: Store): void {
  const { directory, disk } = place;
  disk.rename(join(directory, DRAFT_FILE), join(directory, PAGE_FILE));
  replace(store);
  from.retire();
  disk.syncDirectory(directory);
}

/** Runs while no commit is under way: applies the last commits to the new file, renames it, and empties the log. */
async function finish(compaction: Compaction, store: Store, missed: Uint8Array[]): Promise<void> {
  try {
    for (const payload of missed.splice(0)) applyTo(store, payload);
    await compaction.wal.sync();
    switchTo(compaction, store);
    await scrub(compaction, store);
  } catch (error) {
    const reason = diskError(error, 'Cannot finish the compaction');
    compaction.fail(reason);
    throw reason;
  }
}

/**
 * Writes the commits that arrived meanwhile to the page file, so that no record of the log is needed; scrubs the log.
 */
async function scrub({ wal, sequence, scrubbed }: Compaction, store: Store): Promise<void> {
  if (store.isDirty(sequence())) await store.checkpoint(sequence, () => wal.sync());
  await wal.scrub();
  scrubbed();
}

async function applyAll(store: Store, missed: Uint8Array[]): Promise<void> {
  const slice = new TimeSlice();
  while (missed.length > 0) {
    applyTo(store, missed.shift()!);
    const pause = slice.pause();
    if (pause !== null) await pause;
  }
}

function applyTo(store: Store, payload: Uint8Array): void {
  decodeBatch(payload, { start: 0, end: payload.length }, (change) => store.tree.apply(change));
}
