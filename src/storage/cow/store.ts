/**
 * A page file with its tree in memory: opens it and writes checkpoints (`docs/formats/cow.md`, "Checkpoint").
 *
 * - One checkpoint runs at a time. It reads a frozen state, so commits continue meanwhile.
 * - A unit is reused only after a checkpoint that does not reach it is durable, and after the last reader that might
 *   reach it has been released.
 */
import { faultOf } from '../disk-error.ts';
import type { Fault } from '../engine.ts';
import { Branch, NodeRef, type TreeNode } from './branch.ts';
import { NodeCache } from './cache.ts';
import type { FreedPage, TreeReader } from './epochs.ts';
import { type Meta, PAGE_HEADER_BYTES, type Reference, UNIT_BYTES, unitsOf } from './format.ts';
import { Leaf } from './leaf.ts';
import type { PageFile } from './page-file.ts';
import { TimeSlice } from './time-slice.ts';
import { Tree } from './tree.ts';
import { UnitAllocator } from './unit-allocator.ts';
import type { ValueRef } from './value-ref.ts';

export interface StoreConfig {
  readonly keysMax: number;
  readonly cacheBytes: number;
}

/** A page file, its tree, and the checkpoints from one to the other. */
export class Store {
  readonly file: PageFile;
  readonly tree: Tree;
  readonly units: UnitAllocator;
  /** The newest durable meta page. */
  meta: Meta;
  /** Pages that neither the newest checkpoint nor any later state reaches, kept for readers of earlier states. */
  #waiting: FreedPage[] = [];
  /** false after an open: when the last process failed to sync the meta page, only the page cache may hold it. */
  #isMetaDurable = false;
  #isRetired = false;
  #closing: Promise<void> | null = null;

  constructor(file: PageFile, config: StoreConfig, state: { readonly meta: Meta; readonly units: UnitAllocator }) {
    this.file = file;
    this.meta = state.meta;
    this.units = state.units;
    const { root, levels, keys, bytes } = state.meta;
    const cache = new NodeCache(file, config.cacheBytes);
    this.tree = new Tree(cache, config.keysMax, { root: NodeRef.onDisk(root, levels), keys, bytes });
  }

  /** Reads the newest valid meta page, the free map and the root. Throws `STORAGE_CORRUPT`. */
  static open(file: PageFile, config: StoreConfig): Store {
    const meta = newestMeta(file);
    if (file.size() < meta.units * UNIT_BYTES) throw file.corrupt(file.size(), 'the file was cut short');
    const store = new Store(file, config, {
      meta,
      units: new UnitAllocator(file.readFreeMap(meta.freeMap), meta.units),
    });
    store.tree.cache.load(store.tree.root);
    return store;
  }

  readValue(value: ValueRef): Uint8Array {
    return value.bytes ?? this.file.readValue(value);
  }

  /** Acquires the newest state for reading; `releaseReader` must follow. */
  acquireReader(): TreeReader {
    return this.tree.read();
  }

  releaseReader(reader: TreeReader): void {
    this.tree.epochs.release(reader);
    this.#closeWhenUnread();
  }

  /** Ends the use of this store, whose file was replaced: the file is closed when the last reader is released. */
  retire(): void {
    this.#isRetired = true;
    this.#closeWhenUnread();
  }

  /** Resolves when a close that has begun is over: the blocks of the file are free. */
  async closed(): Promise<void> {
    await this.#closing;
  }

  /** Pages in use outside the tree: the free map, and pages that wait to be freed. */
  pagesOutsideTree(): Reference[] {
    const freed = [...this.#waiting, ...this.tree.epochs.freed].map(({ page }) => ({ ...page }));
    return [this.meta.freeMap, ...freed.filter((page) => page.unit !== 0)];
  }

  /**
   * Rewrites a torn or damaged meta page, so that both name the newest tree, and returns its fault. Called after the
   * log has been replayed on this tree without a gap.
   */
  async repairMeta(): Promise<readonly Fault[]> {
    const faults = this.#metaFaults();
    if (faults.length === 0) return faults;
    const { checkpoint } = this.meta;
    this.file.writeMeta({ ...this.meta, checkpoint: checkpoint === 0 ? 1 : checkpoint - 1 });
    await this.file.sync();
    return faults;
  }

  /** Reads the meta pages and the free map from disk and returns their faults. */
  verifyFrame(): Fault[] {
    try {
      const faults = this.#metaFaults();
      this.file.readFreeMap(this.meta.freeMap);
      return faults;
    } catch (error) {
      return [faultOf(error, this.file.name, 0)];
    }
  }

  /** Whether the newest state differs from the newest checkpoint. */
  isDirty(sequence: number): boolean {
    return this.tree.root.unit === 0 || this.meta.sequence !== sequence;
  }

  /**
   * Makes the newest state, whose last commit `newest` returns, durable in the page file. `syncLog` must make the log
   * durable up to that commit. Resolves with the bytes written and the commit.
   */
  async checkpoint(
    newest: () => number,
    syncLog: () => Promise<void>,
  ): Promise<{ readonly bytes: number; readonly sequence: number }> {
    await this.#secureMeta();
    const sequence = newest();
    const frozen = this.tree.read();
    this.tree.epochs.frozen = frozen.epoch;
    this.#reclaim();
    const freed = this.tree.epochs.freed.splice(0).filter(({ page }) => page.unit !== 0);
    const unreachable = [...this.#waiting, ...freed, { page: this.meta.freeMap, epoch: 0 }];
    const writer = new CheckpointWriter(this, this.meta.checkpoint + 1);
    this.tree.writeFrozen = (leaf) => writer.writeEarly(leaf);
    try {
      await syncLog();
      await writer.writeTree(frozen.root);
      const freeMap = writer.writeFreeMap(unreachable);
      await this.file.sync();
      const { keys, bytes, root } = frozen;
      const { checkpoint } = writer;
      const meta = { checkpoint, sequence, keys, bytes, root, freeMap, levels: root.level, units: this.units.length };
      this.file.writeMeta(meta);
      await this.file.sync();
      this.#waiting = unreachable;
      this.meta = meta;
      return { bytes: writer.bytes, sequence };
    } catch (error) {
      this.units.isExact = false;
      throw error;
    } finally {
      this.tree.writeFrozen = null;
      this.tree.epochs.frozen = -1;
      this.tree.epochs.release(frozen);
    }
  }

  /** Makes the meta page in use durable, because a checkpoint overwrites the other one and the pages of its tree. */
  async #secureMeta(): Promise<void> {
    if (this.#isMetaDurable) return;
    this.file.writeMeta(this.meta);
    await this.file.sync();
    this.#isMetaDurable = true;
  }

  #metaFaults(): Fault[] {
    return this.file
      .readMetas()
      .flatMap((meta, slot) =>
        typeof meta === 'string' ? [{ file: this.file.name, offset: slot * UNIT_BYTES, what: meta }] : [],
      );
  }

  #closeWhenUnread(): void {
    if (this.#isRetired && this.tree.epochs.readerCount === 0) this.#closing ??= this.file.closeSoon();
  }

  /** Frees the pages that no reader needs, and rebuilds the list of free runs. */
  #reclaim(): void {
    const oldest = this.tree.epochs.oldest;
    this.#waiting = this.#waiting.filter(({ page, epoch }) => {
      if (epoch > oldest) return true;
      this.units.free(page);
      return false;
    });
    this.units.findRuns();
  }
}

/** A checkpoint syncs the page file after this many bytes. */
const SYNC_BYTES = 1_048_576;

/** Writes the new pages of one checkpoint to free units, children before parents. */
class CheckpointWriter {
  readonly checkpoint: number;
  bytes = 0;
  #synced = 0;
  readonly #store: Store;
  readonly #slice = new TimeSlice();
  #failure: { readonly reason: unknown } | null = null;

  constructor(store: Store, checkpoint: number) {
    this.#store = store;
    this.checkpoint = checkpoint;
  }

  /** Writes the nodes in the subtree of `ref` that are not on disk yet. */
  async writeTree(ref: NodeRef): Promise<void> {
    if (this.#failure !== null) throw this.#failure.reason;
    if (ref.unit !== 0) return;
    const node = ref.node!;
    if (node instanceof Branch) for (const child of node.children) await this.writeTree(child);
    else this.#writeValues(node);
    this.#writeNode(ref, node);
    this.#markClean(ref, node);
    if (this.bytes - this.#synced >= SYNC_BYTES) await this.#syncSoFar();
    const pause = this.#slice.pause();
    if (pause !== null) await pause;
  }

  /** Syncs in parts: one sync of everything at the end would delay the log's syncs behind it. */
  async #syncSoFar(): Promise<void> {
    this.#synced = this.bytes;
    await this.#store.file.sync();
  }

  /**
   * Writes a frozen leaf early, because a commit is about to change it; false when that failed. A failure must not
   * reach the commit: the checkpoint throws it at its next step.
   */
  writeEarly(ref: NodeRef): boolean {
    if (this.#failure !== null) return false;
    try {
      this.#writeValues(ref.node as Leaf);
      this.#writeNode(ref, ref.node!);
    } catch (reason) {
      this.#failure = { reason };
      return false;
    }
    this.#markClean(ref, ref.node!);
    return true;
  }

  #writeNode(ref: NodeRef, node: TreeNode): void {
    this.#store.file.writeNode(ref, node, this.#place(node.pageBytes));
  }

  /** Makes a written node evictable. A node that was replaced meanwhile and has no readers is discarded. */
  #markClean(ref: NodeRef, node: TreeNode): void {
    const { tree } = this.#store;
    tree.cache.dirtyBytes -= ref.bytes;
    if (!ref.isReplaced || !tree.epochs.isUnread(ref)) {
      tree.cache.admit(ref, node.memoryBytes);
      return;
    }
    ref.node = null;
    if (node instanceof Leaf) node.discard();
  }

  /** Writes the map of all units in use except those of `unreachable`. The map's own page counts as used. */
  writeFreeMap(unreachable: readonly FreedPage[]): Reference {
    const { units } = this.#store;
    const guess = UnitAllocator.mapBytes(units.length) + UNIT_BYTES / 8;
    const unit = units.take(unitsOf(PAGE_HEADER_BYTES + guess));
    const map = new Uint8Array(guess);
    map.set(units.mapWithout(unreachable.map(({ page }) => page)));
    const reference = { unit: 0, length: 0, crc: 0 };
    this.#store.file.writeBytes(reference, map, { kind: 'free map', unit, checkpoint: this.checkpoint });
    return reference;
  }

  /** Writes the large values of live entries; `values` may also hold replaced ones. */
  #writeValues(leaf: Leaf): void {
    if (leaf.values === null) return;
    for (let index = 0; index < leaf.count; index += 1) {
      const value = leaf.valueRefAt(index);
      if (value === null || value.bytes === null) continue;
      this.#store.file.writeBytes(value, value.bytes, { kind: 'value', ...this.#place(value.length) });
      value.bytes = null;
    }
  }

  #place(length: number): { readonly unit: number; readonly checkpoint: number } {
    this.bytes += length;
    return { unit: this.#store.units.take(unitsOf(length)), checkpoint: this.checkpoint };
  }
}

/** The valid meta page with the highest checkpoint number. Throws `STORAGE_CORRUPT` when neither is valid. */
function newestMeta(file: PageFile): Meta {
  const metas = file.readMetas();
  const valid = metas.filter((meta) => typeof meta !== 'string');
  if (valid.length === 0) throw file.corrupt(0, `no meta page is valid: ${metas.join('; ')}`);
  return valid.reduce((newest, meta) => (meta.checkpoint > newest.checkpoint ? meta : newest));
}
