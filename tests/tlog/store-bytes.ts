/**
 * The result of `log verify` for one changed byte of a store. For each file it runs only the check that the
 * verification makes of the part with the byte, so that every byte can be tried. `store-flips.test.ts` compares it with
 * whole verifications.
 */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { openCow } from '../../src/storage/cow/engine.ts';
import { decodeMeta, META_PAGES, openPage, UNIT_BYTES } from '../../src/storage/cow/format.ts';
import { StorageError } from '../../src/storage/errors.ts';
import { readU64 } from '../../src/storage/integers.ts';
import { openEventLog } from '../../src/storage/log/event-log.ts';
import { decodeManifest } from '../../src/storage/lsm/manifest.ts';
import {
  CHECK_BYTES,
  checkedPayload,
  decodeFooter,
  FOOTER_BYTES,
  type Footer,
  tableIdOf,
} from '../../src/storage/lsm/table-format.ts';
import { TableIndex } from '../../src/storage/lsm/table-index.ts';
import { openWal } from '../../src/storage/wal.ts';
import { type DiskImage, FaultDisk } from '../storage/fault-disk.ts';
import { bit, type Judged, type Outcome, refused, type StoredFile } from './byte-checks.ts';
import { databaseFiles } from './database-bytes.ts';
import { rangesOf } from './sqlite-space.ts';
import { segmentSpace } from './store-space.ts';
import { CONFIG, flipped, type StoreImage, scratchFolder, verdict, writeFiles } from './store-trial.ts';

/** Every file of a store. */
export async function storedFiles(image: StoreImage): Promise<readonly StoredFile[]> {
  const pages = image.backend === 'cow' ? await readsOf(image) : [];
  const files = image.backend === 'embedded_kv' ? databaseFiles(image) : [];
  return [...image.files].map(([name, bytes]) => {
    const known = files.find((file) => file.name === name);
    if (known !== undefined) return known;
    if (/\/wal-\d+\.log$/.test(name)) return segment(image, { name, bytes });
    if (name.endsWith('/tree.db')) return treeFile(image, { name, bytes, pages });
    if (name.endsWith('.table')) return tableFile(name, bytes);
    return { name, bytes: bytes.length, space: [], judge: (at) => wholly(image, { name, at }) };
  });
}

export async function outcomeOf(file: StoredFile, at: number): Promise<Outcome> {
  const judged = await file.judge(at);
  if (judged === 'named') return 'named';
  return judged === 'same' && file.space.some(({ from, to }) => at >= from && at < to) ? 'unread' : 'missed';
}

interface Named {
  readonly name: string;
  readonly bytes: Buffer;
}

/** The whole verification of the store with the byte changed. */
export async function wholly(
  image: StoreImage,
  { name, at }: { readonly name: string; readonly at: number | readonly number[] },
): Promise<Judged> {
  const directory = scratchFolder('wholly');
  writeFiles(directory, flipped(image, name, typeof at === 'number' ? [at] : at));
  return (await verdict(directory, image)) === 'ok' ? 'same' : 'named';
}

interface Read {
  readonly offset: number;
  readonly length: number;
}

/** What is read of the pages of `cow` while the store is opened and verified and every event is read. */
async function readsOf({ files }: StoreImage): Promise<readonly Read[]> {
  const reads: Read[] = [];
  const disk = new FaultDisk(onDisk(files));
  const open = disk.openFile.bind(disk);
  disk.openFile = (path, mode) => {
    const file = open(path, mode);
    const read = file.read.bind(file);
    file.read = (offset, length) => {
      if (basename(path) === 'tree.db') reads.push({ offset, length });
      return read(offset, length);
    };
    return file;
  };
  const engine = await openCow({ directory: '/d', disk, config: CONFIG.cow });
  const log = openEventLog(engine);
  const found = [...(await engine.verify()), ...(await log.verify()).errors, ...(engine.repaired ?? [])];
  if (found.length > 0) throw new Error(`The unchanged store: ${found[0]!.what}`);
  for (const _ of log.readAll());
  await engine.close();
  return reads;
}

function onDisk(files: ReadonlyMap<string, Uint8Array>): DiskImage {
  const inside = [...files].filter(([name]) => name.includes('/'));
  return {
    directories: ['/d'],
    // No `Buffer`, whose `slice` would share the bytes.
    files: new Map(inside.map(([name, bytes]) => [`/d/${basename(name)}`, Uint8Array.from(bytes)])),
    story: 'a store',
  };
}

/** Of a meta page only its beginning has a content. */
const META_BYTES = 84;

/** A page is read whole, and refused by its checksum. A byte that nothing read is space. */
function treeFile(image: StoreImage, { name, bytes, pages }: Named & { readonly pages: readonly Read[] }): StoredFile {
  const seen = new Uint8Array(bytes.length);
  const pageAt = new Map<number, Read>();
  for (const read of pages) {
    seen.fill(1, read.offset, read.offset + read.length);
    for (let at = read.offset; at < read.offset + read.length; at += UNIT_BYTES) pageAt.set(at / UNIT_BYTES, read);
  }
  for (let slot = 0; slot < META_PAGES; slot += 1)
    seen.fill(0, slot * UNIT_BYTES + META_BYTES, (slot + 1) * UNIT_BYTES);
  const judge = (at: number): Judged | Promise<Judged> => {
    if (at < META_PAGES * UNIT_BYTES) return isSameMeta(bytes, at) ? 'same' : wholly(image, { name, at });
    if (seen[at] === 0) return 'same';
    const page = pageAt.get(Math.floor(at / UNIT_BYTES))!;
    const copy = Uint8Array.from(bytes.subarray(page.offset, page.offset + page.length));
    const crc = new DataView(copy.buffer).getUint32(0, true);
    return refused(copy, at - page.offset, () =>
      openPage(copy, { unit: page.offset / UNIT_BYTES, length: page.length, crc }),
    );
  };
  return { name, bytes: bytes.length, space: rangesOf(seen), judge };
}

/** Whether the meta page says the same with the byte changed. */
function isSameMeta(file: Buffer, at: number): boolean {
  const start = at - (at % UNIT_BYTES);
  const page = Uint8Array.from(file.subarray(start, start + UNIT_BYTES));
  const unchanged = JSON.stringify(decodeMeta(page, 'tree.db'));
  page[at - start]! ^= bit(at);
  return JSON.stringify(decodeMeta(page, 'tree.db')) === unchanged;
}

/** A table of `lsm`: each block has a checksum, and so has the footer. */
function tableFile(name: string, bytes: Buffer): StoredFile {
  const id = tableIdOf(basename(name))!;
  const start = bytes.length - FOOTER_BYTES;
  const tail = bytes.subarray(start);
  const blocks = blocksOf(bytes, decodeFooter(tail, id, start));
  const judge = (at: number): Judged => {
    if (at >= start) return refused(tail, at - start, () => decodeFooter(tail, id, start));
    const block = blocks.find(({ offset, payload }) => at >= offset && at < offset + payload + CHECK_BYTES);
    if (block === undefined) return 'other';
    const { offset, payload } = block;
    const stored = bytes.subarray(offset, offset + payload + CHECK_BYTES);
    return refused(bytes, at, () => checkedPayload(stored, { id, offset, bytes: payload }));
  };
  return { name, bytes: bytes.length, space: [], judge };
}

function blocksOf(bytes: Buffer, footer: Footer): readonly { readonly offset: number; readonly payload: number }[] {
  const { indexOffset, indexBytes, bloomOffset, bloomBytes } = footer;
  const index = new TableIndex(bytes.subarray(indexOffset, indexOffset + indexBytes), footer);
  const data = Array.from({ length: index.count }, (_, block) => ({
    ...{ offset: index.offset(block), payload: index.payloadBytes(block) },
  }));
  return [...data, { offset: bloomOffset, payload: bloomBytes }, { offset: indexOffset, payload: indexBytes }];
}

/** A write-ahead log of `cow` or `lsm`: what is behind its last record is not part of it. */
function segment(image: StoreImage, { name, bytes }: Named): StoredFile {
  const after = containedIn(image);
  const unchanged = recovered({ name, bytes, after });
  const judge = async (at: number): Promise<Judged> => {
    const copy = Buffer.from(bytes);
    copy[at]! ^= bit(at);
    const found = await recovered({ name, bytes: copy, after });
    if (found === null) return 'named';
    return found === (await unchanged) ? 'same' : 'other';
  };
  return { name, bytes: bytes.length, space: segmentSpace(bytes), judge };
}

/** A hash of what recovery replays; null when it or `verify` of the log names something. */
async function recovered({ name, bytes, after }: Named & { readonly after: number }): Promise<string | null> {
  const disk = new FaultDisk(onDisk(new Map([[name, bytes]])));
  const replayed = createHash('sha256');
  const visit = (sequence: number, record: Uint8Array, { start, end }: { start: number; end: number }): void => {
    replayed.update(`${sequence} ${end - start} `).update(record.subarray(start, end));
  };
  const segmentBytes = CONFIG.cow.wal_buffer_size;
  try {
    const wal = openWal({ directory: '/d', disk, segmentBytes, after, create: false, visit });
    const faults = [...wal.damaged, ...(await wal.verify())];
    await wal.close();
    return faults.length > 0 ? null : replayed.digest('hex');
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return null;
  }
}

/** What the pages or tables contain: the sequence of the last commit. */
function containedIn({ files, backend }: StoreImage): number {
  const bytes = (name: string): Buffer => [...files].find(([path]) => path.endsWith(`/${name}`))![1];
  if (backend === 'lsm') return decodeManifest(bytes('MANIFEST')).lastSequence;
  const tree = bytes('tree.db');
  return Math.max(readU64(tree, 24), readU64(tree, UNIT_BYTES + 24));
}
