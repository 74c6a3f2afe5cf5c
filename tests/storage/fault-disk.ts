/**
 * An in-memory `Disk` that injects errors and power cuts. It separates *written* bytes and names from *synced* ones,
 * numbers every call from 1, and a hook chooses the fault of each call.
 *
 * - `cut`: a power cut. The call's write may or may not reach the disk, its sync has no effect, and every later call
 *   throws. Afterwards `crashImages()` returns the disks that may be found.
 * - `EIO`, `ENOSPC`: the call throws and changes nothing. On a sync the unsynced bytes never become durable (as on
 *   Linux), so a second sync that "succeeds" saves nothing.
 * - `short`: half of the write happens, then ENOSPC.
 */
import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import type { Disk, DiskFile, OpenMode } from '../../src/storage/disk.ts';
import { applyData, Bytes, type Pending } from './fault-disk-bytes.ts';
import { type DataChoice, dataChoices, type Unsynced } from './fault-disk-choices.ts';

export type FaultKind = 'cut' | 'EIO' | 'ENOSPC' | 'short';

export interface Operation {
  /** Number of the call on this disk, from 1. */
  readonly index: number;
  readonly kind: keyof Disk | Exclude<keyof DiskFile, symbol>;
  readonly path: string;
}

/** The content of a disk: folders, and files by path. */
export interface DiskImage {
  readonly directories: readonly string[];
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** How this image was made, for the messages of failing tests. */
  readonly story: string;
}

/** Kinds of calls that change the disk: the points at which tests cut the power. */
export const MUTATING: ReadonlySet<string> = new Set<Operation['kind']>([
  'write',
  'sync',
  'syncNow',
  'truncate',
  'rename',
  'remove',
  'makeDirectory',
  'syncDirectory',
]);

/** Calls of one kind on files of one kind: names differ in numbers only. For `sampled`. */
export function kindOfCall({ kind, path }: Operation): string {
  return `${kind} ${path.replaceAll(/\d+/g, '#')}`;
}

/** Choices tried per image wanted: many give the same image. */
const SAMPLES_PER_IMAGE = 3;

type NameChange =
  | { readonly kind: 'link'; readonly path: string; readonly inode: Inode }
  | { readonly kind: 'remove'; readonly path: string }
  | { readonly kind: 'rename'; readonly from: string; readonly to: string };

interface Inode {
  live: Bytes;
  durable: Bytes;
  pending: { readonly at: number; readonly change: Pending }[];
}

export class FaultDisk implements Disk {
  /** Called before every call; returns the fault to inject. */
  fault: ((operation: Operation) => FaultKind | undefined) | undefined;
  readonly history: Operation[] = [];
  /** The files that are open. */
  readonly open = new Set<DiskFile>();
  /** Bytes that the disk says are free. Writes do not heed it. */
  free = Number.POSITIVE_INFINITY;
  readonly #directories = new Set<string>();
  #names = new Map<string, Inode>();
  #durableNames = new Map<string, Inode>();
  #pendingNames: NameChange[] = [];
  #powerOff = false;
  #time = 0;

  constructor(image?: DiskImage) {
    for (const directory of image?.directories ?? []) this.#directories.add(directory);
    for (const [path, bytes] of image?.files ?? []) {
      const inode = { live: new Bytes(bytes), durable: new Bytes(bytes), pending: [] };
      this.#names.set(path, inode);
      this.#durableNames.set(path, inode);
    }
  }

  /** Calls made so far. */
  get operations(): number {
    return this.history.length;
  }

  /** Injects this fault at the n-th call of the disk. */
  failAt(index: number, kind: FaultKind): void {
    this.fault = (operation) => (operation.index === index ? kind : undefined);
  }

  openFile(path: string, mode: OpenMode): DiskFile {
    this.#call('openFile', path);
    const present = this.#names.get(path);
    if (mode !== 'create') {
      if (present === undefined) throw systemError('ENOENT', 'open', path);
      return this.#opened(present, path);
    }
    if (present !== undefined) throw systemError('EEXIST', 'open', path);
    if (!this.#directories.has(dirname(path))) throw systemError('ENOENT', 'open', path);
    const inode: Inode = { live: new Bytes(), durable: new Bytes(), pending: [] };
    this.#names.set(path, inode);
    this.#pendingNames.push({ kind: 'link', path, inode });
    return this.#opened(inode, path);
  }

  exists(path: string): boolean {
    this.#call('exists', path);
    return this.#names.has(path) || this.#directories.has(path);
  }

  list(directory: string): string[] {
    this.#call('list', directory);
    if (!this.#directories.has(directory)) throw systemError('ENOENT', 'scandir', directory);
    const inside = [...this.#names.keys(), ...this.#directories].filter(
      (path) => path !== directory && dirname(path) === directory,
    );
    return inside.map((path) => path.slice(directory.length + 1)).sort();
  }

  makeDirectory(directory: string): void {
    this.#call('makeDirectory', directory);
    for (let at = directory; !this.#directories.has(at); at = dirname(at)) {
      this.#directories.add(at);
      if (dirname(at) === at) break;
    }
  }

  rename(from: string, to: string): void {
    this.#rename(from, to, this.#call('rename', from));
  }

  remove(path: string): void {
    const cut = this.#call('remove', path);
    if (!this.#names.delete(path)) throw systemError('ENOENT', 'unlink', path);
    this.#pendingNames.push({ kind: 'remove', path });
    if (cut) this.#off();
  }

  freeBytes(): number {
    return this.free;
  }

  syncDirectory(directory: string): void {
    if (this.#call('syncDirectory', directory)) this.#off();
    const inside = (change: NameChange) => dirname(change.kind === 'rename' ? change.to : change.path) === directory;
    applyNames(this.#durableNames, this.#pendingNames.filter(inside));
    this.#pendingNames = this.#pendingNames.filter((change) => !inside(change));
  }

  /** The disk after a killed process: everything written, synced or not. */
  image(): DiskImage {
    const files = new Map([...this.#names].map(([path, inode]) => [path, inode.live.copy()]));
    return { directories: [...this.#directories], files, story: 'everything written' };
  }

  /** The disk for the next process after a kill: unsynced writes stay unsynced and can still be lost. */
  afterKill(): FaultDisk {
    const next = new FaultDisk();
    const copies = new Map<Inode, Inode>();
    const copied = (inode: Inode): Inode => {
      const { live, durable, pending } = inode;
      const copy = copies.get(inode) ?? {
        live: new Bytes(live.copy()),
        durable: new Bytes(durable.copy()),
        pending: [...pending],
      };
      copies.set(inode, copy);
      return copy;
    };
    for (const directory of this.#directories) next.#directories.add(directory);
    for (const [path, inode] of this.#names) next.#names.set(path, copied(inode));
    for (const [path, inode] of this.#durableNames) next.#durableNames.set(path, copied(inode));
    next.#pendingNames = this.#pendingNames.map((change) =>
      change.kind === 'link' ? { ...change, inode: copied(change.inode) } : change,
    );
    next.#time = this.#time;
    return next;
  }

  /**
   * The possible disks after a power cut now, without duplicates, the one that lost most first; at most `limit` of
   * them, evenly sampled.
   */
  crashImages(limit = 4096): DiskImage[] {
    const crash = this.#crash();
    const count = Math.min(crash.count, limit * SAMPLES_PER_IMAGE);
    const images = new Map<string, DiskImage>();
    for (let sample = 0; sample < count; sample += 1) {
      const image = crash.image(Math.floor((sample * crash.count) / count));
      const hash = createHash('sha1');
      for (const [path, bytes] of image.files) hash.update(`${path}\0${bytes.length}\0`).update(bytes);
      const key = hash.digest('hex');
      if (!images.has(key)) images.set(key, image);
    }
    const all = [...images.values()];
    if (all.length <= limit) return all;
    return Array.from({ length: limit }, (_, at) => all[Math.floor((at * all.length) / limit)]!);
  }

  /** One of the possible disks after a power cut now, chosen by any number. */
  crashImage(choice: number): DiskImage {
    const crash = this.#crash();
    return crash.image(choice % crash.count);
  }

  /** Flips one bit of a file, in its synced and its written bytes. */
  flip(path: string, offset: number, bit: number): void {
    const inode = this.#names.get(path);
    if (inode === undefined || offset >= inode.live.size) throw new Error(`no byte ${offset} in '${path}' to flip`);
    inode.live.flip(offset, bit);
    if (offset < inode.durable.size) inode.durable.flip(offset, bit);
  }

  /** For `FaultFile`: numbers the call, injects the hook's fault, and returns whether the power is cut during it. */
  enter(kind: Operation['kind'], path: string, inode: Inode): FaultKind | undefined {
    const fault = this.#step(kind, path);
    if (fault === 'EIO' || fault === 'ENOSPC') {
      if (kind === 'sync' || kind === 'syncNow') inode.pending = [];
      throw systemError(fault, kind, path);
    }
    return fault;
  }

  /** For `FaultFile`: records an unsynced change in the order of time. */
  change(inode: Inode, change: Pending): void {
    applyData(inode.live, change);
    inode.pending.push({ at: this.#time, change });
    this.#time += 1;
  }

  powerOff(): never {
    return this.#off();
  }

  #opened(inode: Inode, path: string): DiskFile {
    const file = new FaultFile(this, inode, path);
    this.open.add(file);
    return file;
  }

  #rename(from: string, to: string, cut: boolean): void {
    const inode = this.#names.get(from);
    if (inode === undefined) throw systemError('ENOENT', 'rename', from);
    this.#names.delete(from);
    this.#names.set(to, inode);
    this.#pendingNames.push({ kind: 'rename', from, to });
    if (cut) this.#off();
  }

  /** A call on names: throws the injected error, or returns whether the power is cut during it. */
  #call(kind: Operation['kind'], path: string): boolean {
    const fault = this.#step(kind, path);
    if (fault === undefined) return false;
    if (fault === 'cut') {
      if (!MUTATING.has(kind)) this.#off();
      return true;
    }
    throw systemError(fault === 'short' ? 'EIO' : fault, kind, path);
  }

  #step(kind: Operation['kind'], path: string): FaultKind | undefined {
    if (this.#powerOff) throw systemError('EPOWER', kind, path);
    const operation = { index: this.history.length + 1, kind, path };
    this.history.push(operation);
    return this.fault?.(operation);
  }

  #off(): never {
    this.#powerOff = true;
    throw systemError('EPOWER', 'power', 'off');
  }

  /** Every choice of what reached the disk. Images are created lazily, because they are large. */
  #crash(): { readonly count: number; readonly image: (index: number) => DiskImage } {
    const names = this.#nameChoices();
    const data = dataChoices(this.#unsyncedWrites());
    const image = (index: number): DiskImage =>
      this.#crashImage(names[Math.floor(index / data.length)]!, data[index % data.length]!);
    return { count: names.length * data.length, image };
  }

  /** Names reach the disk through a journal: in order, up to any point. */
  #nameChoices(): NameChange[][] {
    return Array.from({ length: this.#pendingNames.length + 1 }, (_, count) => this.#pendingNames.slice(0, count));
  }

  #unsyncedWrites(): Unsynced<Inode>[] {
    const writes = [...this.#inodes()].flatMap((inode) => inode.pending.map((entry) => ({ inode, ...entry })));
    return writes.sort((a, b) => a.at - b.at);
  }

  #inodes(): Set<Inode> {
    return new Set([...this.#durableNames.values(), ...this.#names.values()]);
  }

  #crashImage(names: NameChange[], data: DataChoice<Inode>): DiskImage {
    const found = new Map(this.#durableNames);
    applyNames(found, names);
    const files = new Map<string, Uint8Array>();
    for (const [path, inode] of found) {
      const bytes = new Bytes(inode.durable.copy());
      for (const write of data.changes) if (write.inode === inode) applyData(bytes, write.change);
      files.set(path, bytes.copy());
    }
    const story = `${names.length} of ${this.#pendingNames.length} unsynced names, ${data.story}`;
    return { directories: [...this.#directories], files, story };
  }
}

class FaultFile implements DiskFile {
  readonly #disk: FaultDisk;
  readonly #inode: Inode;
  readonly #path: string;

  constructor(disk: FaultDisk, inode: Inode, path: string) {
    this.#disk = disk;
    this.#inode = inode;
    this.#path = path;
  }

  read(offset: number, length: number): Uint8Array {
    if (this.#disk.enter('read', this.#path, this.#inode) === 'cut') this.#disk.powerOff();
    return this.#inode.live.slice(offset, Math.min(offset + length, this.#inode.live.size));
  }

  write(offset: number, bytes: Uint8Array): void {
    const fault = this.#disk.enter('write', this.#path, this.#inode);
    const arrived = fault === 'short' ? bytes.slice(0, bytes.length >> 1) : bytes.slice();
    this.#disk.change(this.#inode, { kind: 'write', offset, bytes: arrived });
    if (fault === 'short') throw systemError('ENOSPC', 'write', this.#path);
    if (fault === 'cut') this.#disk.powerOff();
  }

  /** Makes the bytes durable that were written before the call, not those written meanwhile. */
  async sync(): Promise<void> {
    if (this.#disk.enter('sync', this.#path, this.#inode) === 'cut') this.#disk.powerOff();
    const covered = new Set(this.#inode.pending);
    await new Promise((resolve) => setImmediate(resolve));
    this.#settle(covered);
  }

  syncNow(): void {
    if (this.#disk.enter('syncNow', this.#path, this.#inode) === 'cut') this.#disk.powerOff();
    this.#settle(new Set(this.#inode.pending));
  }

  truncate(size: number): void {
    const fault = this.#disk.enter('truncate', this.#path, this.#inode);
    this.#disk.change(this.#inode, { kind: 'truncate', size });
    if (fault === 'cut') this.#disk.powerOff();
  }

  size(): number {
    if (this.#disk.enter('size', this.#path, this.#inode) === 'cut') this.#disk.powerOff();
    return this.#inode.live.size;
  }

  /** Closing writes nothing, so it is not numbered as a point of failure. */
  close(): void {
    this.#disk.open.delete(this);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  async closeSoon(): Promise<void> {
    this.close();
  }

  #settle(covered: ReadonlySet<Inode['pending'][number]>): void {
    for (const entry of this.#inode.pending) if (covered.has(entry)) applyData(this.#inode.durable, entry.change);
    this.#inode.pending = this.#inode.pending.filter((entry) => !covered.has(entry));
  }
}

function applyNames(names: Map<string, Inode>, changes: readonly NameChange[]): void {
  for (const change of changes) {
    if (change.kind === 'link') names.set(change.path, change.inode);
    else if (change.kind === 'remove') names.delete(change.path);
    else {
      const inode = names.get(change.from);
      names.delete(change.from);
      if (inode !== undefined) names.set(change.to, inode);
    }
  }
}

function systemError(code: string, call: string, path: string): Error {
  return Object.assign(new Error(`${code}: injected, ${call} '${path}'`), { code });
}
