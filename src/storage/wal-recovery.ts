/**
 * Recovery of a write-ahead log: finds its end and replays it (`docs/formats/wal.md`, "Recovery").
 *
 * - Damage throws `STORAGE_CORRUPT` with file and offset; a torn last write is the end of the log.
 * - Afterwards everything replayed is synced, and records beyond the end cannot become part of the log. What no record
 *   proves durable is written again before: after a failed sync of the last process the page cache holds bytes that are
 *   not on the disk, and a sync alone would not write them.
 */
import { join } from 'node:path';
import type { Disk, DiskFile } from './disk.ts';
import type { Fault } from './engine.ts';
import { StorageError } from './errors.ts';
import {
  decodeHeader,
  firstNonZero,
  type Opening,
  type RecordVisitor,
  SEGMENT_HEADER_BYTES,
  type SegmentHeader,
  scanSegment,
} from './wal-format.ts';
import { isSpare, Segment, type SegmentMaker, segmentName, segmentNumber } from './wal-segments.ts';

export interface WalOptions {
  readonly directory: string;
  readonly disk: Disk;
  /** Size of a segment file. */
  readonly segmentBytes: number;
  /** The owner's files contain every commit up to this sequence; later records are passed to `visit`. */
  readonly after: number;
  /** Whether the owner is being created: otherwise a log without segments is an error. */
  readonly create: boolean;
  readonly visit: RecordVisitor;
}

export interface RecoveredLog {
  /** Oldest first, at least one; the last one takes the next records. */
  readonly segments: Segment[];
  /** Sequence of the last commit. */
  readonly last: number;
  /** Damaged or missing records that the owner's files contain: nothing was lost by them. */
  readonly damaged: readonly Fault[];
}

/** Replays the segments in the directory, or creates the first one. */
export function recoverSegments(options: WalOptions, maker: SegmentMaker): RecoveredLog {
  const opened: Segment[] = [];
  try {
    return recover(options, maker, opened);
  } catch (error) {
    for (const segment of opened) segment.file.close();
    throw error;
  }
}

function recover(options: WalOptions, maker: SegmentMaker, found: Segment[]): RecoveredLog {
  for (const number of findSegments(options)) found.push(openSegment(maker, number));
  if (found.length === 0) {
    if (!options.create) throw corrupt(segmentName(1), 0, 'the write-ahead log is missing');
    return { segments: [maker.makeZeroed(1)], last: options.after, damaged: [] };
  }
  const { kept, shadowed, last, durable, gaps } = replay(found, options);
  for (const segment of kept) {
    if (segment.last > durable) segment.rewrite();
    segment.file.syncNow();
  }
  for (const segment of found.slice(kept.length).reverse()) segment.remove();
  if (kept.length < found.length) maker.syncNames();
  const lacking = last < options.after ? gapBehind(kept.at(-1)!, { last, next: options.after + 1 }) : [];
  const seal = shadowed || last < options.after;
  if (seal) kept.push(maker.makeZeroed(kept.at(-1)!.header.number + 1));
  return { segments: kept, last: Math.max(last, options.after), damaged: [...gaps, ...lacking] };
}

/**
 * The records between `last` and `next` were in the log, because the owner's files contain a commit only when the log
 * is durable up to it. Only a log that begins with those files has none: its first segment was never written.
 */
function gapBehind(segment: Segment, { last, next }: { readonly last: number; readonly next: number }): Fault[] {
  const { file, header, first, name, end } = segment;
  const bytes = file.read(0, header.capacity);
  if (first === 0 && header.number === 1 && firstNonZero(bytes, SEGMENT_HEADER_BYTES, bytes.length) === null) return [];
  const range = last + 2 === next ? `the record ${last + 1} is` : `the records ${last + 1} to ${next - 1} are`;
  return [{ file: name, offset: end, what: `${range} damaged or missing; the store holds the same` }];
}

/** The numbers of the segments, which must be consecutive. Deletes spare files. */
function findSegments(options: WalOptions): number[] {
  const names = options.disk.list(options.directory);
  for (const name of names) if (isSpare(name)) options.disk.remove(join(options.directory, name));
  const numbers = names.map(segmentNumber).filter((number) => number !== null);
  numbers.sort((a, b) => a - b);
  const gap = numbers.findIndex((number, at) => at > 0 && number !== numbers[at - 1]! + 1);
  if (gap !== -1) throw corrupt(segmentName(numbers[gap - 1]! + 1), 0, 'a segment of the write-ahead log is missing');
  return numbers;
}

function openSegment(maker: SegmentMaker, number: number): Segment {
  const name = segmentName(number);
  const file = maker.disk.openFile(join(maker.directory, name), 'open');
  try {
    return new Segment(maker, file, headerOf(file, { name, number }));
  } catch (error) {
    file.close();
    throw error;
  }
}

function headerOf(file: DiskFile, { name, number }: { readonly name: string; readonly number: number }): SegmentHeader {
  const header = decodeHeader(file.read(0, SEGMENT_HEADER_BYTES), name);
  if (typeof header === 'string') throw corrupt(name, 0, header);
  if (header.number !== number) throw corrupt(name, 16, `the header says that this is segment ${header.number}`);
  if (file.size() < header.capacity) throw corrupt(name, file.size(), 'the file was cut short');
  return header;
}

interface Replayed {
  /** The segments up to the end of the log, at least one. Later ones hold nothing that was ever durable. */
  readonly kept: Segment[];
  readonly shadowed: boolean;
  readonly last: number;
  /** The highest sequence that a record or an attestation proves durable. */
  readonly durable: number;
  /** Records that are missing between two segments. */
  readonly gaps: readonly Fault[];
}

function replay(found: readonly Segment[], options: WalOptions): Replayed {
  const kept: Segment[] = [];
  const gaps: Fault[] = [];
  let shadowed = false;
  let last = 0;
  let durable = 0;
  let ended = false;
  for (const segment of found) {
    const isFirst = kept.length === 0;
    const bytes = segment.file.read(0, segment.header.capacity);
    const scan = scanSegment(
      bytes,
      segment.header,
      opening(segment, { isFirst, last, options }),
      (sequence, from, range) => {
        if (sequence > options.after && !ended) options.visit(sequence, from, range);
      },
    );
    ended ||= scan.first === 0 && !isFirst;
    if (ended) {
      if (scan.durable > last) throw damaged(kept.at(-1)!, last);
      continue;
    }
    if (scan.first === 0 && segment.header.number > 1) throw damaged(segment, last);
    if (!isFirst && scan.first > last + 1) gaps.push(...gapBehind(kept.at(-1)!, { last, next: scan.first }));
    Object.assign(segment, { end: scan.end, first: scan.first, last: scan.last, synced: scan.last });
    if (scan.durable > scan.last) throw damaged(segment, scan.last);
    kept.push(segment);
    ({ shadowed, last } = scan);
    durable = Math.max(durable, scan.durable);
  }
  return { kept, shadowed, last, durable, gaps };
}

/**
 * The sequences that a segment may begin with: normally the one after the segment before it. Records that the owner's
 * files contain may be missing, so the oldest segment may begin with any of those once earlier ones were released.
 */
function opening(
  segment: Segment,
  known: { readonly isFirst: boolean; readonly last: number; readonly options: WalOptions },
): Opening {
  const { isFirst, last, options } = known;
  const least = last + 1;
  if (isFirst && segment.header.number === 1) return { least, most: least };
  return { least, most: Math.max(least, options.after + 1) };
}

function damaged(segment: Segment, last: number): StorageError {
  return corrupt(segment.name, segment.end, `the record after sequence ${last} is damaged or missing`);
}

function corrupt(file: string, offset: number, what: string): StorageError {
  return new StorageError('STORAGE_CORRUPT', `${file} at offset ${offset}: ${what}`, { file, offset });
}
