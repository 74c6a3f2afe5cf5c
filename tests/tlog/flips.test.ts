/**
 * The store of a log of 1 000 events, one byte changed: `verify` names it, or the byte is one that nothing depends on.
 *
 * - Which bytes are read is recorded while the whole log is verified. All other bytes are changed at once, and nothing
 *   notices: they are space that no reader reads.
 * - Of the bytes that are read, each is changed on its own, and the page that has it is refused.
 * - The two meta pages and the write-ahead log hold what the pages hold, a second time: after a change there the log is
 *   the same, or it does not open.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { openCow } from '../../src/storage/cow/engine.ts';
import { META_PAGES, openPage, UNIT_BYTES } from '../../src/storage/cow/format.ts';
import { StorageError } from '../../src/storage/errors.ts';
import { openEventLog } from '../../src/storage/log/event-log.ts';
import { isLong } from '../storage/cow-helpers.ts';
import { type DiskImage, FaultDisk } from '../storage/fault-disk.ts';
import { fill } from '../storage/log-helpers.ts';

const EVENTS = 1_000;
/** Whole runs of the program take a tenth of a second; the long run (DAYBOOK_LONG=1) makes more of them. */
const WHOLE_RUNS = isLong ? 400 : 12;
const TREE = '/store/tree.db';

interface Read {
  readonly offset: number;
  readonly length: number;
}

let image: DiskImage;
let root: string;
const reads = new Map<string, Read[]>();

/** `ok` and the root hash, or what was found wrong. */
async function verified(disk: FaultDisk): Promise<string> {
  try {
    const engine = await openCow({ directory: '/store', disk });
    const { ok, treeHash, errors } = await openEventLog(engine).verify();
    const [repaired] = engine.repaired ?? [];
    await engine.close();
    if (repaired !== undefined) return `repaired ${repaired.file} at ${repaired.offset}, ${treeHash}`;
    return ok ? `ok ${treeHash}` : `wrong: ${errors[0]!.what}`;
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return `wrong: ${error.message}`;
  }
}

/** Records what is read of each file. */
function watched(disk: FaultDisk): FaultDisk {
  const open = disk.openFile.bind(disk);
  disk.openFile = (path, mode) => {
    const file = open(path, mode);
    const read = file.read.bind(file);
    file.read = (offset, length) => {
      reads.set(path, [...(reads.get(path) ?? []), { offset, length }]);
      return read(offset, length);
    };
    return file;
  };
  return disk;
}

beforeAll(async () => {
  const disk = new FaultDisk();
  const engine = await openCow({ directory: '/store', disk });
  const log = openEventLog(engine);
  await fill(log, EVENTS);
  root = log.treeHash(EVENTS);
  await log.close();
  await engine.close();
  image = disk.image();
  expect(await verified(watched(new FaultDisk(image)))).toBe(`ok ${root}`);
});

/** The image with some bytes of a file changed. */
function changed(path: string, offsets: Iterable<number>): DiskImage {
  const bytes = Uint8Array.from(image.files.get(path)!);
  for (const offset of offsets) bytes[offset]! ^= 1 << (offset % 8);
  return { ...image, files: new Map([...image.files, [path, bytes]]) };
}

/** Offsets of a file that are not read. */
function unread(path: string): number[] {
  const seen = new Uint8Array(image.files.get(path)!.length);
  for (const { offset, length } of reads.get(path)!) seen.fill(1, offset, offset + length);
  return [...seen.keys()].filter((offset) => seen[offset] === 0);
}

const pagesRead = (): Read[] => {
  const pages = reads.get(TREE)!.filter(({ offset }) => offset >= META_PAGES * UNIT_BYTES);
  return [...new Map(pages.map((page) => [page.offset, page])).values()];
};

describe('a byte of the page file', () => {
  it('that is read, changed: the page is refused', () => {
    const file = image.files.get(TREE)!;
    const accepted: number[] = [];
    let tried = 0;
    for (const { offset, length } of pagesRead()) {
      const page = Uint8Array.from(file.subarray(offset, offset + length));
      const crc = new DataView(page.buffer).getUint32(0, true);
      const reference = { unit: offset / UNIT_BYTES, length, crc };
      expect(typeof openPage(page, reference)).toBe('object');
      for (let at = 0; at < length; at += 1) {
        page[at]! ^= 1 << (at % 8);
        if (typeof openPage(page, reference) !== 'string') accepted.push(offset + at);
        page[at]! ^= 1 << (at % 8);
        tried += 1;
      }
    }
    expect(accepted).toEqual([]);
    expect(tried).toBeGreaterThan(300_000);
  });

  it('that is read, changed: the whole program names the place', async () => {
    const pages = pagesRead();
    for (let run = 0; run < WHOLE_RUNS; run += 1) {
      const { offset, length } = pages[Math.floor((run * pages.length) / WHOLE_RUNS)]!;
      const at = offset + ((run * 7_919) % length);
      expect([at, await verified(new FaultDisk(changed(TREE, [at])))]).toEqual([
        at,
        expect.stringMatching(/^wrong: .*(?:tree\.db at offset|damaged|position)/),
      ]);
    }
  });

  it('that is not read is free: all of them changed at once change nothing', async () => {
    const free = unread(TREE);
    expect(free.length).toBeGreaterThan(0);
    expect(await verified(new FaultDisk(changed(TREE, free)))).toBe(`ok ${root}`);
  });
});

describe('a byte of what is held twice', () => {
  it('a meta page: it is named and written again from the other one, or the store does not open', async () => {
    for (let at = 0; at < 84; at += isLong ? 1 : 6) {
      for (let slot = 0; slot < META_PAGES; slot += 1) {
        const page = slot * UNIT_BYTES;
        const outcome = await verified(new FaultDisk(changed(TREE, [page + at])));
        expect([at, outcome.replace(/^wrong:.*/, 'wrong')]).toEqual([
          at,
          expect.toBeOneOf([`repaired tree.db at ${page}, ${root}`, 'wrong']),
        ]);
      }
    }
  });

  it('the write-ahead log: the log is the same, or it does not open', async () => {
    const [path, bytes] = [...image.files].find(([name]) => name.includes('wal-'))!;
    const written = [...bytes.keys()].filter((at) => bytes[at] !== 0);
    for (let run = 0; run < WHOLE_RUNS; run += 1) {
      const at = written[Math.floor((run * written.length) / WHOLE_RUNS)]!;
      expect([at, await verified(new FaultDisk(changed(path, [at])))]).toEqual([
        at,
        expect.stringMatching(new RegExp(`^(?:ok ${root}|wrong: )`)),
      ]);
    }
  });
});
