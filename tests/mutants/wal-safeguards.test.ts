/**
 * Safeguards of the write-ahead log that other tests did not cover: one test for each, named after the fault without
 * it.
 */
import { describe, expect, test } from 'vitest';
import { openCow } from '../../src/storage/cow/engine.ts';
import { crc32c } from '../../src/storage/crc32c.ts';
import type { Wal } from '../../src/storage/wal.ts';
import {
  decodeHeader,
  encodeHeader,
  recordBytes,
  SEGMENT_HEADER_BYTES,
  scanSegment,
  sealRecord,
} from '../../src/storage/wal-format.ts';
import { type DiskImage, FaultDisk, MUTATING } from '../storage/fault-disk.ts';
import { change, DURABLE, LAZY, stateOf } from '../storage/states.ts';
import { create, open, SEGMENT_BYTES, write } from '../storage/wal-helpers.ts';

const FIRST = '/d/wal-000000000001.log';
const SECOND = '/d/wal-000000000002.log';

/** Segments of some records each, all synced. */
function filled(segments: number): { disk: FaultDisk; wal: Wal } {
  const { disk, wal } = create();
  for (let record = 1; record <= segments * 3; record += 1) {
    write(wal, `r${record}`.padEnd(1_200, '.'));
    wal.syncNow();
  }
  return { disk, wal };
}

describe('what was released', () => {
  /**
   * The owner makes records safe elsewhere, releases them and writes on, never more than a little ahead of it; answers
   * what must still be there.
   */
  function life(disk: FaultDisk): { safe: number; durable: number } {
    const state = { safe: 0, durable: 0 };
    try {
      disk.makeDirectory('/d');
      const { wal } = open(disk, { create: true });
      for (let round = 1; round <= 14; round += 1) {
        write(wal, `r${round}`.padEnd(1_500, '.'));
        if (round % 3 !== 0) {
          wal.syncNow();
          state.durable = wal.durableSequence;
        }
        state.safe = wal.durableSequence;
        wal.release(state.safe);
      }
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('EPOWER')) throw error;
    }
    return state;
  }

  test('never keeps the log from opening, nor takes a durable record with it, whatever call the power goes off at', () => {
    const rehearsal = new FaultDisk();
    life(rehearsal);
    for (const { index } of rehearsal.history.filter(({ kind }) => MUTATING.has(kind))) {
      const disk = new FaultDisk();
      disk.failAt(index, 'cut');
      const { safe, durable } = life(disk);
      if (durable === 0) continue;
      for (const image of disk.crashImages(60)) expectAll(image, { safe, durable });
    }
  });

  function expectAll(image: DiskImage, { safe, durable }: { safe: number; durable: number }): void {
    const { seen, wal } = open(new FaultDisk(image), { after: safe });
    const expected = Array.from({ length: Math.max(0, durable - safe) }, (_, at) => `${safe + 1 + at}:`);
    expect(seen.slice(0, expected.length).map((record) => record.slice(0, record.indexOf(':') + 1))).toEqual(expected);
    expect(wal.lastSequence, image.story).toBeGreaterThanOrEqual(Math.max(safe, durable));
  }
});

test('what was refused does not come back, though its first record had arrived whole', () => {
  const { disk, wal } = create();
  write(wal, 'kept');
  wal.syncNow();
  let writes = 0;
  disk.fault = ({ kind }) => (kind === 'write' && ++writes === 1 ? 'short' : undefined);
  expect(() => write(wal, 'refused', 'x'.repeat(1_000))).toThrow('ENOSPC');
  expect(open(new FaultDisk(disk.image())).seen).toEqual(['1:kept']);
});

describe('what was answered', () => {
  test('is durable for the one of a group that asked for it, whatever the others asked for', async () => {
    const disk = new FaultDisk();
    const engine = await openCow({ directory: '/d', disk });
    const durable = engine.commit([change('durable', 'yes')], DURABLE);
    const lazy = engine.commit([change('lazy', 'perhaps')], LAZY);
    await Promise.all([durable, lazy]);
    for (const image of disk.crashImages()) {
      const again = await openCow({ directory: '/d', disk: new FaultDisk(image) });
      expect(stateOf(again).get('durable'), image.story).toBe('yes');
      await again.close();
    }
    await engine.close();
  });
});

describe('what was replayed', () => {
  test('is durable from then on: its owner shows it', () => {
    const { disk, wal } = create();
    write(wal, 'one');
    wal.syncNow();
    write(wal, 'written by a process that was killed');
    expect(open(disk).seen).toHaveLength(2);
    for (const image of disk.crashImages()) {
      expect(open(new FaultDisk(image)).seen, image.story).toHaveLength(2);
    }
  });

  test('ends at the first lost record: those behind it stay away when the log goes on', () => {
    const { disk, wal } = create();
    write(wal, 'one');
    wal.syncNow();
    write(wal, 'lost.');
    write(wal, 'behind');
    const image = disk.crashImages().find(({ story }) => story.endsWith('all but write 1'))!;
    const next = new FaultDisk(image);
    const { wal: again, seen } = open(next);
    expect(seen).toEqual(['1:one']);
    write(again, 'other');
    again.syncNow();
    expect(open(new FaultDisk(next.image())).seen).toEqual(['1:one', '2:other']);
  });
});

describe('damage', () => {
  test('of the first record of a segment in the middle is named, not taken for the end', () => {
    const { disk } = filled(3);
    const broken = new FaultDisk(disk.image());
    broken.flip(SECOND, SEGMENT_HEADER_BYTES + 30, 1);
    expect(() => open(broken)).toThrow(expect.objectContaining({ code: 'STORAGE_CORRUPT' }));
  });

  test('of names is named: a segment that says it is another', () => {
    const { disk } = filled(1);
    const image = disk.image();
    const files = new Map([[SECOND, image.files.get(FIRST)!]]);
    expect(() => open(new FaultDisk({ ...image, files }), { after: 3 })).toThrow(
      expect.objectContaining({ code: 'STORAGE_CORRUPT', file: 'wal-000000000002.log', offset: 16 }),
    );
  });
});

describe('the format', () => {
  test('of another version is refused by its number', () => {
    const header = encodeHeader({ salt: 1, number: 1, capacity: SEGMENT_BYTES });
    const view = new DataView(header.buffer);
    view.setUint32(8, 2, true);
    view.setUint32(32, crc32c(header, 0, 0, 32), true);
    expect(() => decodeHeader(header, 'wal')).toThrow(
      expect.objectContaining({ code: 'STORAGE_FOREIGN', file: 'wal' }),
    );
  });

  test('binds a record to the life of its segment: under another salt it is not there', () => {
    const bytes = new Uint8Array(SEGMENT_BYTES);
    bytes.set(Buffer.from('payload!'), SEGMENT_HEADER_BYTES + 24);
    sealRecord(bytes, SEGMENT_HEADER_BYTES, { length: 8, sequence: 1, durable: 0, salt: 1 });
    const seen: number[] = [];
    const scan = (salt: number) =>
      scanSegment(bytes, { salt, number: 1, capacity: SEGMENT_BYTES }, { least: 1, most: 1 }, (at) => seen.push(at));
    expect(scan(1)).toMatchObject({ first: 1, last: 1, end: SEGMENT_HEADER_BYTES + recordBytes(8) });
    expect(scan(2)).toMatchObject({ first: 0, last: 0, end: SEGMENT_HEADER_BYTES, shadowed: false });
    expect(seen).toEqual([1]);
  });
});
