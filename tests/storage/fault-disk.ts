/**
 * An in-memory `Disk` that can fail and lose power: bytes and names that were only *written* are kept apart from those
 * that were *synced*, every call is numbered from 1, and a hook decides what goes wrong at which call.
 *
 * - `cut`: the call's write is in flight, its sync has no effect, and the power is off: every later call throws. Then
 *   `crashImages()` gives the disks that may legally be found.
 * - `EIO`, `ENOSPC`: the call throws and changes nothing; on a sync the unsynced bytes are dropped from what will ever
 *   become durable (as Linux does), so a second sync that "succeeds" saves nothing.
 * - `short`: half of the write arrives, then ENOSPC.
 */
import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import type { Disk, DiskFile, OpenMode } from '../../src/storage/disk.ts';
import { applyData, Bytes, type Pending } from './fault-disk-bytes.ts';
import { type DataChoice, dataChoices, type Unsynced } from './fault-disk-choices.ts';

export type FaultKind = 'cut' | 'EIO' | 'ENOSPC' | 'short';

export interface Operation {
  /** From 1, over all calls of this disk. */
  readonly index: number;
  readonly kind: keyof Disk | keyof DiskFile;
  readonly path: string;
}

/** What a disk holds: folders, and files by path. */
export interface DiskImage {
  readonly directories: readonly string[];
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** How this image came about; for the messages of failing tests. */
  readonly story: string;
}

/** Kinds of calls that change what is on the disk: the points worth cutting the power at. */
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

/** Choices looked at for each image wanted: many come out the same. */
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
  /** Asked before every call; what it returns happens. */
  fault: ((operation: Operation) => FaultKind | undefined) | undefined;
  readonly history: Operation[] = [];
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

  /** The n-th call from the very first one goes wrong in this way. */
  failAt(index: number, kind: FaultKind): void {
    this.fault = (operation) => (operation.index === index ? kind : undefined);
  }

  openFile(path: string, mode: OpenMode): DiskFile {
    this.#call('openFile', path);
    const present = this.#names.get(path);
    if (mode !== 'create') {
      if (present === undefined) throw systemError('ENOENT', 'open', path);
      return new FaultFile(this, present, path);
    }
    if (present !== undefined) throw systemError('EEXIST', 'open', path);
    if (!this.#directories.has(dirname(path))) throw systemError('ENOENT', 'open', path);
    const inode: Inode = { live: new Bytes(), durable: new Bytes(), pending: [] };
    this.#names.set(path, inode);
    this.#pendingNames.push({ kind: 'link', path, inode });
    return new FaultFile(this, inode, path);
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

  syncDirectory(directory: string): void {
    if (this.#call('syncDirectory', directory)) this.#off();
    const inside = (change: NameChange) => dirname(change.kind === 'rename' ? change.to : change.path) === directory;
    applyNames(this.#durableNames, this.#pendingNames.filter(inside));
    this.#pendingNames = this.#pendingNames.filter((change) => !inside(change));
  }

  /** What a process that was killed leaves behind: everything written, synced or not. */
  image(): DiskImage {
    const files = new Map([...this.#names].map(([path, inode]) => [path, inode.live.copy()]));
    return { directories: [...this.#directories], files, story: 'everything written' };
  }

  /** This disk as the next process finds it after a kill: what is unsynced stays so, and can still be lost. */
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
   * The legal disks after the power went off now, without doubles, the one that lost most first; at most `limit`,
   * evenly sampled beyond it.
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

  /** One of the legal disks after the power went off now; any number picks one. */
  crashImage(choice: number): DiskImage {
    const crash = this.#crash();
    return crash.image(choice % crash.count);
  }

  /** Turns one bit of a file over, on the disk and in what was written. */
  flip(path: string, offset: number, bit: number): void {
    const inode = this.#names.get(path);
    if (inode === undefined || offset >= inode.live.size) throw new Error(`no byte ${offset} in '${path}' to flip`);
    inode.live.flip(offset, bit);
    if (offset < inode.durable.size) inode.durable.flip(offset, bit);
  }

  /** For `FaultFile`: numbers the call, lets the hook interfere, and says whether the power goes off with it. */
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

  #rename(from: string, to: string, cut: boolean): void {
    const inode = this.#names.get(from);
    if (inode === undefined) throw systemError('ENOENT', 'rename', from);
    this.#names.delete(from);
    this.#names.set(to, inode);
    this.#pendingNames.push({ kind: 'rename', from, to });
    if (cut) this.#off();
  }

  /** A call on names: throws its error, or returns whether the power goes off once it is under way. */
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

  /** Every choice of what reached the disk, each made into an image only when it is asked for: they are large. */
  #crash(): { readonly count: number; readonly image: (index: number) => DiskImage } {
    const names = this.#nameChoices();
    const data = dataChoices(this.#unsyncedWrites());
    const image = (index: number): DiskImage =>
      this.#crashImage(names[Math.floor(index / data.length)]!, data[index % data.length]!);
    return { count: names.length * data.length, image };
  }

  /** Names reach the disk through a journal: in order, up to some point. */
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

  /** What was written before the call is durable when it resolves; what is written meanwhile is not. */
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

  close(): void {
    // Closing moves no bytes; it is not a point of failure worth numbering.
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
