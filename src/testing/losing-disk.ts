/**
 * The machine's file system with a simulated loss of power: at a crash, bytes and names that were not synced are lost,
 * and every later call fails.
 *
 * - `sync` of a file makes its bytes durable, `syncDirectory` makes created, renamed and removed names durable.
 * - Bytes overwritten since the last sync are kept in memory and written back at the crash.
 */
import { existsSync, ftruncateSync, readFileSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Disk, DiskFile, OpenMode } from '../storage/disk.ts';
import { openFile } from '../storage/files.ts';
import { nodeDisk } from '../storage/node-disk.ts';

interface Before {
  readonly offset: number;
  readonly bytes: Uint8Array;
  readonly size: number;
}

interface Tracked {
  path: string;
  /** Changes since the last sync, oldest first. */
  unsynced: Before[];
}

interface Planned {
  /** How many changes still succeed. */
  readonly changes: number;
  readonly crashed: () => void;
}

type NameChange =
  | { readonly kind: 'created'; readonly path: string }
  | { readonly kind: 'removed'; readonly path: string; readonly bytes: Uint8Array }
  | { readonly kind: 'renamed'; readonly path: string; readonly from: string; readonly replaced: Uint8Array | null };

export class LosingDisk implements Disk {
  readonly #files = new Map<string, Tracked>();
  #names: NameChange[] = [];
  #syncing = 0;
  #isOff = false;
  #planned: Planned | null = null;

  /** The number of syncs in progress. */
  get syncing(): number {
    return this.#syncing;
  }

  /** Undoes what was not synced. From now on every call throws. */
  crash(): void {
    if (this.#isOff) return;
    this.#isOff = true;
    for (const { path, unsynced } of this.#files.values()) if (unsynced.length > 0) restore(path, unsynced);
    for (const change of this.#names.reverse()) undo(change);
  }

  /**
   * Crashes at a future change and then calls `crashed`: 0 is the next write, sync, rename and so on. The end of a sync
   * counts as a change, too.
   */
  crashAt(changes: number, crashed: () => void): void {
    this.#planned = { changes, crashed };
  }

  openFile(path: string, mode: OpenMode): DiskFile {
    this.checkPower();
    const file = nodeDisk.openFile(path, mode);
    if (mode === 'create') {
      this.#files.set(path, { path, unsynced: [] });
      this.#names.push({ kind: 'created', path });
    }
    const tracked = this.#files.get(path) ?? { path, unsynced: [] };
    this.#files.set(path, tracked);
    return new LosingFile(this, file, tracked);
  }

  exists(path: string): boolean {
    this.checkPower();
    return nodeDisk.exists(path);
  }

  list(directory: string): string[] {
    this.checkPower();
    return nodeDisk.list(directory);
  }

  makeDirectory(directory: string): void {
    this.checkPower();
    nodeDisk.makeDirectory(directory);
  }

  rename(from: string, to: string): void {
    this.change();
    const replaced = existsSync(to) ? readFileSync(to) : null;
    nodeDisk.rename(from, to);
    this.#names.push({ kind: 'renamed', path: to, from, replaced });
    const tracked = this.#files.get(from);
    this.#files.delete(from);
    this.#files.delete(to);
    if (tracked !== undefined) this.#files.set(to, Object.assign(tracked, { path: to }));
  }

  remove(path: string): void {
    this.change();
    const bytes = readFileSync(path);
    nodeDisk.remove(path);
    this.#files.delete(path);
    this.#names.push({ kind: 'removed', path, bytes });
  }

  syncDirectory(directory: string): void {
    this.change();
    nodeDisk.syncDirectory(directory);
    this.#names = this.#names.filter(({ path }) => dirname(path) !== directory);
  }

  freeBytes(directory: string): number {
    this.checkPower();
    return nodeDisk.freeBytes(directory);
  }

  /** For the files of this disk. */
  checkPower(): void {
    if (this.#isOff) throw Object.assign(new Error('EIO: the daemon was killed'), { code: 'EIO' });
  }

  /** For the files of this disk: a change is about to be made. */
  change(): void {
    const planned = this.#planned;
    if (planned !== null && !this.#isOff) {
      if (planned.changes === 0) {
        this.crash();
        planned.crashed();
      } else this.#planned = { ...planned, changes: planned.changes - 1 };
    }
    this.checkPower();
  }

  /** For the files of this disk: counts a sync while it is in progress. */
  async during(sync: () => Promise<void>): Promise<void> {
    this.#syncing += 1;
    try {
      await sync();
    } finally {
      this.#syncing -= 1;
    }
    this.checkPower();
  }
}

class LosingFile implements DiskFile {
  readonly #disk: LosingDisk;
  readonly #file: DiskFile;
  readonly #tracked: Tracked;

  constructor(disk: LosingDisk, file: DiskFile, tracked: Tracked) {
    this.#disk = disk;
    this.#file = file;
    this.#tracked = tracked;
  }

  read(offset: number, length: number): Uint8Array {
    this.#disk.checkPower();
    return this.#file.read(offset, length);
  }

  write(offset: number, bytes: Uint8Array): void {
    this.#disk.change();
    this.#keep(offset, bytes.length);
    this.#file.write(offset, bytes);
  }

  /** Bytes that are written during the sync are not covered. */
  async sync(): Promise<void> {
    this.#disk.change();
    const covered = new Set(this.#tracked.unsynced);
    await this.#disk.during(() => this.#file.sync());
    this.#tracked.unsynced = this.#tracked.unsynced.filter((before) => !covered.has(before));
    this.#disk.change();
  }

  syncNow(): void {
    this.#disk.change();
    this.#file.syncNow();
    this.#tracked.unsynced = [];
    this.#disk.change();
  }

  truncate(size: number): void {
    this.#disk.change();
    this.#keep(size, Math.max(0, this.#file.size() - size));
    this.#file.truncate(size);
  }

  size(): number {
    this.#disk.checkPower();
    return this.#file.size();
  }

  close(): void {
    this.#file.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  closeSoon(): Promise<void> {
    return this.#file.closeSoon();
  }

  #keep(offset: number, length: number): void {
    const before = { offset, bytes: this.#file.read(offset, length).slice(), size: this.#file.size() };
    this.#tracked.unsynced.push(before);
  }
}

function restore(path: string, unsynced: readonly Before[]): void {
  using file = openFile(path, 'r+');
  for (const { offset, bytes, size } of unsynced.toReversed()) {
    if (bytes.length > 0) writeSync(file.fd, bytes, 0, bytes.length, offset);
    ftruncateSync(file.fd, size);
  }
}

function undo(change: NameChange): void {
  if (change.kind === 'created') rmSync(change.path, { force: true });
  else if (change.kind === 'removed') writeFileSync(change.path, change.bytes, { mode: 0o600 });
  else {
    renameSync(change.path, change.from);
    if (change.replaced !== null) writeFileSync(change.path, change.replaced, { mode: 0o600 });
  }
}
