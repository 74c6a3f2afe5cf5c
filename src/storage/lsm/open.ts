/**
 * Opens the files of an `lsm` store: manifest, tables, log; or creates a new store (docs/formats/lsm.md, "Open").
 *
 * - A missing or damaged file fails the open with `STORAGE_CORRUPT`; nothing is repaired by guessing.
 * - Only files that a crash left over and that the manifest does not name are removed.
 */
import { join } from 'node:path';
import type { Disk } from '../disk.ts';
import { StorageError } from '../errors.ts';
import { openWal, type Wal } from '../wal.ts';
import type { LsmConfig } from './config.ts';
import { encodeManifest, MANIFEST, MANIFEST_NEW, type Manifest, readManifest, replaceManifest } from './manifest.ts';
import { type Frozen, Memtable } from './memtable.ts';
import { tableIdOf, tableName } from './table-format.ts';
import { checkTable } from './table-frame.ts';

export interface StorePlace {
  readonly disk: Disk;
  readonly directory: string;
  readonly config: LsmConfig;
}

/** The commits that are in the log but not in tables, in memtables of the configured size. */
export class ReplayedMemtables {
  active = new Memtable();
  /** Newest first. */
  readonly frozen: Frozen[] = [];
  lastSequence: number;
  readonly #bytesMax: number;

  constructor(bytesMax: number, lastSequence: number) {
    this.#bytesMax = bytesMax;
    this.lastSequence = lastSequence;
  }

  apply(sequence: number, payload: Uint8Array): void {
    this.active.apply(sequence, payload);
    this.lastSequence = sequence;
    if (this.active.bytes < this.#bytesMax) return;
    this.frozen.unshift({ memtable: this.active, lastSequence: sequence });
    this.active = new Memtable();
  }
}

/** The state of a store from its files. */
export interface OpenedStore {
  readonly manifest: Manifest;
  readonly wal: Wal;
  readonly memtables: ReplayedMemtables;
}

/** Opens or creates the store. Rejects with a `StorageError`, or the disk's own error. */
export async function openStore(place: StorePlace): Promise<OpenedStore> {
  const { disk, directory } = place;
  disk.makeDirectory(directory);
  const manifest = readManifest(disk, directory);
  if (manifest === undefined) return createStore(place);
  if (disk.exists(join(directory, MANIFEST_NEW))) disk.remove(join(directory, MANIFEST_NEW));
  checkTables(place, manifest);
  const memtables = new ReplayedMemtables(place.config.memtable_bytes, manifest.lastSequence);
  const wal = openLog(place, { after: manifest.lastSequence, create: false, memtables });
  return { manifest, wal, memtables };
}

/** Creates an empty store. The log is created before the manifest, because a manifest without a log is damage. */
async function createStore(place: StorePlace): Promise<OpenedStore> {
  const { disk, directory, config } = place;
  const table = disk.list(directory).find((name) => tableIdOf(name) !== undefined);
  if (table !== undefined) throw manifestMissing(`there are tables (${table})`);
  const memtables = new ReplayedMemtables(config.memtable_bytes, 0);
  const wal = openLog(place, { after: 0, create: true, memtables });
  try {
    if (wal.lastSequence > 0) throw manifestMissing('the write-ahead log holds commits');
    const manifest: Manifest = { edit: 1, lastSequence: 0, nextTableId: 1, levels: [] };
    replaceManifest(disk, directory, encodeManifest(manifest));
    return { manifest, wal, memtables };
  } catch (error) {
    await wal.close();
    throw error;
  }
}

function openLog(
  place: StorePlace,
  from: { readonly after: number; readonly create: boolean; readonly memtables: ReplayedMemtables },
): Wal {
  const { disk, directory, config } = place;
  return openWal({
    disk,
    directory,
    segmentBytes: config.wal_segment_bytes,
    after: from.after,
    create: from.create,
    visit: (sequence, bytes, { start, end }) => from.memtables.apply(sequence, bytes.subarray(start, end)),
  });
}

/** Checks that every table exists as the manifest describes it, and removes tables that a crash left over. */
function checkTables(place: StorePlace, manifest: Manifest): void {
  const { disk, directory } = place;
  const named = new Set<string>();
  for (const meta of manifest.levels.flat()) {
    checkTable(place, meta);
    named.add(tableName(meta.id));
  }
  for (const name of disk.list(directory)) {
    if (tableIdOf(name) !== undefined && !named.has(name)) disk.remove(join(directory, name));
  }
}

function manifestMissing(because: string): StorageError {
  return new StorageError('STORAGE_CORRUPT', `${MANIFEST} is missing although ${because}.`, {
    file: MANIFEST,
    offset: 0,
  });
}
