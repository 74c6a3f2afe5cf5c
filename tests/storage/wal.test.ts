/** The write-ahead log: what survives which crash, and how torn writes are distinguished from damage. */
import { describe, expect, test } from 'vitest';
import type { KeyValueEngine } from '../../src/storage/engine.ts';
import { StorageError } from '../../src/storage/errors.ts';
import { RECORD_HEADER_BYTES, SEGMENT_HEADER_BYTES, scanSegment, sealRecord } from '../../src/storage/wal-format.ts';
import { turns } from '../support/turns.ts';
import { openOn } from './cow-helpers.ts';
import { type DiskImage, FaultDisk, MUTATING, type Operation } from './fault-disk.ts';
import { change, DURABLE } from './states.ts';
import { create, open, SEGMENT_BYTES, write } from './wal-helpers.ts';

function reopen(image: DiskImage, after = 0): string[] {
  return open(new FaultDisk(image), { after }).seen;
}

function corruption(image: DiskImage): StorageError {
  try {
    reopen(image);
  } catch (error) {
    if (error instanceof StorageError && error.code === 'STORAGE_CORRUPT') return error;
    throw error;
  }
  throw new Error(`damage was not noticed: ${image.story}`);
}

describe('replay', () => {
  test('visits every record in order, over several segments', () => {
    const { disk, wal } = create();
    const all: string[] = [];
    for (let sequence = 1; sequence <= 20; sequence += 1) {
      const payload = `${'x'.repeat(sequence * 90)}`;
      write(wal, payload);
      all.push(`${sequence}:${payload}`);
    }
    wal.syncNow();
    expect(disk.list('/d').filter((name) => name.endsWith('.log')).length).toBeGreaterThan(3);
    expect(reopen(disk.image())).toEqual(all);
    expect(reopen(disk.image(), 18)).toEqual(all.slice(18));
  });

  test('a record larger than a segment gets a segment of its own', () => {
    const { disk, wal } = create();
    write(wal, 'small');
    write(wal, 'L'.repeat(50_000));
    write(wal, 'after');
    wal.syncNow();
    expect(reopen(disk.image()).map((record) => record.length)).toEqual([7, 50_002, 7]);
  });

  test('a large record after a sealed, still empty segment does not end the log (found by random operations on cow)', () => {
    const { disk, wal } = create();
    write(wal, '');
    write(wal, '');
    const torn = disk.crashImages().find(({ story }) => story.endsWith('all but write 1'))!;
    const next = new FaultDisk(torn);
    const second = open(next).wal;
    write(second, 'L'.repeat(50_000));
    write(second, 'after');
    second.syncNow();
    write(second, 'and after');
    second.syncNow();
    expect(reopen(next.image()).map((record) => record.length)).toEqual([50_002, 7, 11]);
  });

  test('a release during a sync does not make it skip a segment (found by random operations on cow)', async () => {
    const { disk, wal } = create();
    for (let at = 0; at < 4; at += 1) write(wal, 'x'.repeat(3000));
    wal.syncNow();
    for (let at = 0; at < 6; at += 1) write(wal, 'y'.repeat(3000));
    const syncing = wal.sync();
    wal.release(4);
    await syncing;
    expect(wal.durableSequence).toBe(10);
    for (const image of disk.crashImages()) expect(reopen(image, 4), image.story).toHaveLength(6);
  });

  // A flush of lsm syncs the log beside its commits.
  test('a sync during another one waits for it, and covers what was written meanwhile', async () => {
    const { disk, wal } = create();
    write(wal, 'first');
    const first = wal.sync();
    write(wal, 'second');
    const second = wal.sync();
    await first;
    expect([wal.durableSequence, wal.isSyncing]).toEqual([1, true]);
    await second;
    expect([wal.durableSequence, wal.isSyncing]).toEqual([2, false]);
    const before = disk.operations;
    wal.syncNow();
    expect(disk.operations).toBe(before);
  });

  test('writing continues at the end of the log after every reopen', () => {
    const { disk, wal } = create();
    write(wal, 'a');
    wal.syncNow();
    let image = disk.crashImages()[0]!;
    for (let round = 2; round < 12; round += 1) {
      const next = new FaultDisk(image);
      const again = open(next).wal;
      write(again, `round ${round}`);
      again.syncNow();
      image = next.crashImages()[0]!;
      expect(reopen(image).at(-1)).toBe(`${round}:round ${round}`);
    }
    expect(reopen(image)).toHaveLength(11);
  });

  test('released segments are reused, and their old records are never replayed', () => {
    const { disk, wal } = create();
    for (let sequence = 1; sequence <= 60; sequence += 1) {
      write(wal, `${sequence} `.repeat(300));
      wal.syncNow();
      wal.release(sequence - 2);
    }
    expect(disk.list('/d').length).toBeLessThan(12);
    const seen = reopen(disk.image(), 57).map((record) => Number.parseInt(record, 10));
    expect(seen).toEqual([58, 59, 60]);
  });

  test('scrub leaves no payload on the disk, and the sequence continues', async () => {
    const { disk, wal } = create();
    for (let at = 0; at < 30; at += 1) write(wal, 'SECRET '.repeat(100));
    wal.syncNow();
    wal.release(20);
    await wal.scrub();
    for (const [, bytes] of disk.image().files) expect(Buffer.from(bytes).includes('SECRET')).toBe(false);
    write(wal, 'next');
    wal.syncNow();
    expect(reopen(disk.image(), 30)).toEqual(['31:', '32:next']);
  });

  test('a spare that the disk has no room for leaves no file, open or not, and is tried once in a segment', async () => {
    const { disk, wal } = create();
    const [files, open] = [disk.list('/d'), disk.open.size];
    // The segment was the first spare.
    const ofLaterSpare = ({ kind, path }: Operation) => kind === 'write' && !path.endsWith('spare-1');
    disk.fault = (operation) => (ofLaterSpare(operation) ? 'ENOSPC' : undefined);
    for (let round = 0; round < 10; round += 1) {
      write(wal, `${round}`.repeat(100));
      await turns(3);
    }
    expect(disk.history.filter(ofLaterSpare)).toHaveLength(1);
    expect(disk.list('/d')).toEqual(files);
    expect(disk.open.size).toBe(open);
    disk.fault = undefined;
    write(wal, 'of the next segment'.repeat(200));
    await wal.close();
    expect(disk.list('/d').filter((name) => name.startsWith('wal-spare'))).toEqual([]);
  });

  test.each(['truncate', 'write', 'syncNow', 'rename'])('a segment whose %s fails leaves no file', (call) => {
    const { disk, wal } = create();
    const [files, open] = [disk.list('/d'), disk.open.size];
    disk.fault = ({ kind, path }) => (kind === call && !path.endsWith('spare-1') ? 'ENOSPC' : undefined);
    expect(() => write(wal, 'x'.repeat(20_000))).toThrow('ENOSPC');
    expect([disk.list('/d'), disk.open.size]).toEqual([files, open]);
  });
});

describe('damage', () => {
  test('a flipped bit of a synced log gives a typed error or the same answer, also in the last record', () => {
    const { disk, wal } = create();
    for (const payload of ['one', 'two', 'three']) {
      write(wal, payload);
      wal.syncNow();
      wal.attest();
    }
    const whole = ['1:one', '2:two', '3:three'];
    const name = '/d/wal-000000000001.log';
    let errors = 0;
    for (let offset = 0; offset < 4096 + 120; offset += 1) {
      const broken = new FaultDisk(disk.image());
      broken.flip(name, offset, offset % 8);
      try {
        const { seen } = open(broken);
        expect(seen).toEqual(whole);
      } catch (error) {
        if (!(error instanceof StorageError)) throw error;
        expect(error).toMatchObject({ code: 'STORAGE_CORRUPT', file: 'wal-000000000001.log' });
        errors += 1;
      }
    }
    expect(errors).toBeGreaterThan(80);
  });

  test('without an attestation a flipped bit in the last record cannot be distinguished from a torn write', () => {
    const { disk, wal } = create();
    write(wal, 'one');
    wal.syncNow();
    const torn = new FaultDisk(disk.image());
    torn.flip('/d/wal-000000000001.log', 4096 + 24, 0);
    expect(reopen(torn.image())).toEqual([]);
  });

  test('an attestation is overwritten by the next record, and fits every segment', () => {
    const { disk, wal } = create();
    for (let sequence = 1; sequence <= 40; sequence += 1) {
      write(wal, `${sequence} `.repeat(300));
      wal.syncNow();
      wal.attest();
    }
    const seen = reopen(disk.image()).map((record) => Number.parseInt(record, 10));
    expect(seen).toEqual(Array.from({ length: 40 }, (_, at) => at + 1));
    for (const name of disk.list('/d').filter((name) => name.endsWith('.log'))) {
      expect(disk.openFile(`/d/${name}`, 'read').size()).toBeLessThanOrEqual(SEGMENT_BYTES);
    }
  });

  test.each([4096, 4088, 4080, 4072, 4064])('an attestation has room behind a record of %i bytes', (bytes) => {
    const { disk, wal } = create();
    write(wal, 'x'.repeat(bytes - 24));
    wal.syncNow();
    wal.attest();
    const broken = new FaultDisk(disk.image());
    broken.flip('/d/wal-000000000001.log', 4096 + 24, 0);
    expect(corruption(broken.image())).toMatchObject({ file: 'wal-000000000001.log', offset: 4096 });
  });

  test('an attestation that the disk refuses changes nothing', () => {
    const { disk, wal } = create();
    write(wal, 'one');
    wal.syncNow();
    disk.failAt(disk.history.length, 'EIO');
    wal.attest();
    write(wal, 'two');
    wal.syncNow();
    expect(reopen(disk.image())).toEqual(['1:one', '2:two']);
  });

  test('a missing, truncated or foreign segment is reported by name', () => {
    const { disk, wal } = create();
    for (let at = 0; at < 12; at += 1) {
      write(wal, 'x'.repeat(1000));
      wal.syncNow();
    }
    const without = new FaultDisk(disk.image());
    without.remove('/d/wal-000000000002.log');
    expect(corruption(without.image()).file).toBe('wal-000000000002.log');
    const first = new FaultDisk(disk.image());
    first.remove('/d/wal-000000000001.log');
    expect(corruption(first.image()).file).toBe('wal-000000000002.log');
    const cut = new FaultDisk(disk.image());
    cut.openFile('/d/wal-000000000001.log', 'open').truncate(6000);
    expect(corruption(cut.image())).toMatchObject({ file: 'wal-000000000001.log', offset: 6000 });
    const empty = new FaultDisk({ directories: ['/d'], files: new Map(), story: 'nothing' });
    expect(() => open(empty)).toThrow(StorageError);
  });
});

describe('a damaged record that the files of the owner contain', () => {
  const NAME = '/d/wal-000000000001.log';
  const written = (): FaultDisk => {
    const { disk, wal } = create();
    for (const payload of ['one', 'two', 'three']) write(wal, payload);
    wal.syncNow();
    return disk;
  };

  test('is named when it is the last one, also when the log went on in another segment', () => {
    const disk = written();
    disk.flip(NAME, 4096 + 2 * 32 + 24, 0);
    const fault = {
      file: 'wal-000000000001.log',
      offset: 4160,
      what: expect.stringContaining('the record 3 is damaged'),
    };
    const { wal, seen } = open(disk, { after: 3 });
    expect([seen, wal.damaged, wal.lastSequence]).toEqual([[], [fault], 3]);
    write(wal, 'four');
    wal.syncNow();
    const again = open(new FaultDisk(disk.image()), { after: 3 });
    expect([again.seen, again.wal.damaged]).toEqual([['4:four'], [fault]]);
  });

  test('is named with all that are behind it', () => {
    const disk = written();
    disk.flip(NAME, 4096 + 24, 0);
    expect(open(disk, { after: 3 }).wal.damaged).toEqual([
      expect.objectContaining({ offset: 4096, what: expect.stringContaining('the records 1 to 3 are damaged') }),
    ]);
  });

  test('is none in an empty log beside files that were copied', () => {
    const { disk } = create();
    const { wal } = open(disk, { after: 7 });
    expect(wal.damaged).toEqual([]);
    write(wal, 'eight');
    wal.syncNow();
    expect(open(disk, { after: 7 })).toMatchObject({ seen: ['8:eight'], wal: { damaged: [] } });
  });

  test('verify also names bytes that must be zero, in the header and behind a payload', async () => {
    for (const offset of [36, 4095, 4096 + 24 + 3, 4096 + 32 + 31]) {
      const disk = written();
      disk.flip(NAME, offset, 0);
      const faults = await open(disk).wal.verify();
      expect(faults).toEqual([expect.objectContaining({ file: 'wal-000000000001.log', offset })]);
    }
  });
});

describe('a record behind the end of the log', () => {
  const header = { salt: 7, number: 1, capacity: 32_768 };
  const near = Array.from({ length: 24 }, (_, at) => 8 * (at + 1));

  test.each([...near, ...near.map((at) => at + 3_960), 8_192, 12_288, 12_296])('is found %i bytes after it', (gap) => {
    const bytes = new Uint8Array(header.capacity);
    const at = SEGMENT_HEADER_BYTES;
    sealRecord(bytes, at, { length: 0, sequence: 1, durable: 0, salt: header.salt });
    sealRecord(bytes, at + RECORD_HEADER_BYTES + gap, { length: 0, sequence: 9, durable: 5, salt: header.salt });
    const scan = scanSegment(bytes, header, { least: 1, most: 1 }, () => undefined);
    expect(scan).toEqual({ first: 1, last: 1, end: at + RECORD_HEADER_BYTES, shadowed: true, durable: 5 });
  });
});

describe('power cuts', () => {
  /** Writes groups of unequal sizes, some never synced, and records what was acknowledged as durable. */
  function workload(disk: FaultDisk): { acknowledged: number } {
    const state = { acknowledged: 0 };
    try {
      disk.makeDirectory('/d');
      const { wal } = open(disk, { create: true });
      for (let round = 1; round <= 9; round += 1) {
        write(wal, `r${round}`.repeat(200), 'second');
        write(wal, `unsynced ${round}`);
        wal.attest();
        if (round % 3 === 0) continue;
        wal.syncNow();
        wal.attest();
        state.acknowledged = wal.durableSequence;
        if (round === 5) wal.release(6);
      }
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('EPOWER')) throw error;
    }
    return state;
  }

  test('at every call: synced records are there, in order; the log continues; unsynced records never reappear', () => {
    const rehearsal = new FaultDisk();
    workload(rehearsal);
    let images = 0;
    for (const operation of rehearsal.history.filter(({ kind }) => MUTATING.has(kind))) {
      const disk = new FaultDisk();
      disk.failAt(operation.index, 'cut');
      const { acknowledged } = workload(disk);
      for (const image of disk.crashImages(40)) {
        images += 1;
        if (![...image.files.keys()].some((name) => name.endsWith('.log'))) {
          expect(acknowledged).toBe(0);
          continue;
        }
        const next = new FaultDisk(image);
        const { wal, seen } = open(next, { after: acknowledged >= 15 ? 6 : 0 });
        expect(wal.lastSequence, image.story).toBeGreaterThanOrEqual(acknowledged);
        write(wal, 'written after the crash');
        wal.syncNow();
        const again = next.crashImages(1)[0]!;
        const { seen: second } = open(new FaultDisk(again), { after: acknowledged >= 15 ? 6 : 0 });
        expect(second, image.story).toEqual([...seen, `${wal.lastSequence}:written after the crash`]);
      }
    }
    expect(images).toBeGreaterThan(300);
  });
});

describe('the sync of a commit', () => {
  /** Whether a sync left the thread free while `commits` made their changes durable. */
  async function leavesTheThread(commits: (engine: KeyValueEngine) => readonly Promise<void>[]): Promise<boolean> {
    const disk = new FaultDisk();
    const engine = await openOn(disk);
    const kinds: string[] = [];
    disk.fault = ({ kind }) => void kinds.push(kind);
    await Promise.all(commits(engine));
    disk.fault = undefined;
    await engine.close();
    expect(kinds.some((kind) => kind === 'sync' || kind === 'syncNow')).toBe(true);
    return kinds.includes('sync');
  }

  test('blocks the thread for a single commit only, and not when its caller has other work', async () => {
    const one = (engine: KeyValueEngine) => engine.commit([change('a', '1')], DURABLE);
    const other = (engine: KeyValueEngine) => engine.commit([change('b', '1')], DURABLE);
    expect(await leavesTheThread((engine) => [one(engine)])).toBe(false);
    expect(await leavesTheThread((engine) => [one(engine), other(engine)])).toBe(true);
    const large = (engine: KeyValueEngine) => engine.commit([change('a', 'x'.repeat(1_100_000))], DURABLE);
    expect(await leavesTheThread((engine) => [large(engine)])).toBe(true);
    const busy = (engine: KeyValueEngine) => engine.commit([change('a', '1')], { durable: true, offThread: true });
    expect(await leavesTheThread((engine) => [busy(engine)])).toBe(true);
  });
});
