/** Helpers of the write-ahead log tests: opening a log on a disk in memory, and writing to it. */
import { openWal, RecordGroup, type Wal } from '../../src/storage/wal.ts';
import { FaultDisk } from './fault-disk.ts';

export const SEGMENT_BYTES = 8_192;

/** Opens the log in `/d`; `seen` has a line for each record that it holds: its sequence and its text. */
export function open(
  disk: FaultDisk,
  options: { after?: number; create?: boolean } = {},
): { wal: Wal; seen: string[] } {
  const seen: string[] = [];
  const wal = openWal({
    directory: '/d',
    disk,
    segmentBytes: SEGMENT_BYTES,
    after: options.after ?? 0,
    create: options.create ?? false,
    visit: (sequence, bytes, { start, end }) => seen.push(`${sequence}:${Buffer.from(bytes.subarray(start, end))}`),
  });
  return { wal, seen };
}

export function create(): { disk: FaultDisk; wal: Wal } {
  const disk = new FaultDisk();
  disk.makeDirectory('/d');
  return { disk, wal: open(disk, { create: true }).wal };
}

/** Writes the payloads as one group. */
export function write(wal: Wal, ...payloads: string[]): void {
  const group = new RecordGroup();
  for (const payload of payloads) {
    const bytes = Buffer.from(payload);
    const at = group.reserve(bytes.length);
    group.bytes.set(bytes, at);
  }
  wal.write(group);
}
