/**
 * The segment files of the write-ahead log: prepared ahead, named, recycled (`docs/formats/wal.md`, "A new segment").
 *
 * - A file gets its `.log` name after its header is synced, and the name is synced before the first record is written.
 * - A released file is renamed, and its new name synced, before its header is overwritten.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Disk, DiskFile } from './disk.ts';
import { faultOf } from './disk-error.ts';
import type { Fault } from './engine.ts';
import {
  decodeHeader,
  encodeHeader,
  firstNonZero,
  headerRest,
  RECORD_HEADER_BYTES,
  SEGMENT_HEADER_BYTES,
  type SegmentHeader,
  scanSegment,
} from './wal-format.ts';

/** Zeros are written in steps of this size; in the background one step per turn of the event loop. */
const ZERO_STEP_BYTES = 262_144;
/** Released files kept for reuse; further ones are deleted. */
const SPARES_MAX = 16;

const NAME = /^wal-(\d{12,})\.log$/;

/** The file name of a segment. */
export function segmentName(number: number): string {
  return `wal-${String(number).padStart(12, '0')}.log`;
}

/** The number in the name of a segment, null for any other name. */
export function segmentNumber(name: string): number | null {
  const digits = NAME.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** Whether a file is a spare: prepared or released, and not part of the log. */
export function isSpare(name: string): boolean {
  return /^wal-spare-\d+$/.test(name);
}

/** A segment file that is part of the log. */
export class Segment {
  readonly name: string;
  readonly header: SegmentHeader;
  readonly file: DiskFile;
  /** Offset after the last record. */
  end = SEGMENT_HEADER_BYTES;
  /** Sequence of the first record, 0 while there is none. */
  first = 0;
  /** Sequence of the last record, 0 while there is none. */
  last = 0;
  /** Sequence up to which the records are synced. */
  synced = 0;
  readonly #disk: Disk;
  readonly #directory: string;

  constructor(place: { readonly disk: Disk; readonly directory: string }, file: DiskFile, header: SegmentHeader) {
    this.#disk = place.disk;
    this.#directory = place.directory;
    this.header = header;
    this.file = file;
    this.name = segmentName(header.number);
  }

  get path(): string {
    return join(this.#directory, this.name);
  }

  /**
   * Appends records. After an error it blanks the first one, so that the next open does not replay a refused commit.
   */
  write(bytes: Uint8Array, length: number): void {
    try {
      this.file.write(this.end, bytes.length === length ? bytes : bytes.subarray(0, length));
    } catch (error) {
      try {
        this.file.write(this.end, new Uint8Array(Math.min(RECORD_HEADER_BYTES, length)));
      } catch {
        // The first error is the one to report. A record that survives belongs to a commit without answer.
      }
      throw error;
    }
    this.end += length;
  }

  /** Writes the records again as they are. */
  rewrite(): void {
    this.file.write(SEGMENT_HEADER_BYTES, this.file.read(SEGMENT_HEADER_BYTES, this.end - SEGMENT_HEADER_BYTES));
  }

  /** Reads the file again and returns its faults: of every record, also of those that the owner's files contain. */
  verify(): Fault[] {
    const fault = (offset: number, what: string): Fault[] => [{ file: this.name, offset, what }];
    try {
      const bytes = this.file.read(0, this.header.capacity);
      const header = decodeHeader(bytes, this.name);
      if (typeof header === 'string') return fault(0, header);
      const rest = headerRest(bytes);
      if (rest !== null) return fault(rest, 'the rest of the segment header is not zero');
      if (this.first === 0) return [];
      let filler: number | null = null;
      const scan = scanSegment(bytes, header, { least: this.first, most: this.first }, (_, __, { end }) => {
        filler ??= firstNonZero(bytes, end, (end + 7) & ~7);
      });
      if (scan.last < this.last) return fault(scan.end, `the record after sequence ${scan.last} is damaged`);
      return filler === null ? [] : fault(filler, 'the bytes that fill up a record are not zero');
    } catch (error) {
      return [faultOf(error, this.name, 0)];
    }
  }

  remove(): void {
    this.file.close();
    this.#disk.remove(this.path);
  }
}

/** Creates segments from prepared or recycled spare files, or from new files. */
export class SegmentMaker {
  readonly disk: Disk;
  readonly directory: string;
  readonly #segmentBytes: number;
  readonly #spares: string[] = [];
  #preparing: Promise<void> | null = null;
  /** Whether `prepare` has begun a spare since the last segment was created. */
  #hasPrepared = false;
  #made = 0;
  #closed = false;

  constructor(place: { readonly disk: Disk; readonly directory: string }, segmentBytes: number) {
    this.disk = place.disk;
    this.directory = place.directory;
    this.#segmentBytes = segmentBytes;
  }

  get spareBytes(): number {
    return this.#spares.length * this.#segmentBytes;
  }

  /**
   * Begins to prepare a zero-filled spare in the background, unless there is a spare already. Once per segment: on a
   * full disk every attempt would fail.
   */
  prepare(): void {
    if (this.#hasPrepared || this.#spares.length > 0 || this.#preparing !== null || this.#closed) return;
    this.#hasPrepared = true;
    this.#preparing = this.#zeros().finally(() => {
      this.#preparing = null;
    });
  }

  /**
   * Creates a segment with room for `bytes`; header and name are durable. Without a spare the file is not zero-filled.
   */
  make(number: number, bytes: number): Segment {
    const capacity = Math.max(bytes, this.#segmentBytes);
    const spare = capacity === this.#segmentBytes ? this.#spares.shift() : undefined;
    if (spare !== undefined) return this.#activate(this.#open(spare), { number });
    const draft = { ...this.#open(this.#spareName(), 'create'), capacity };
    return this.#activate(draft, { number, fill: ({ file }) => file.truncate(capacity) });
  }

  /** Creates a zero-filled segment; header and name are durable. */
  makeZeroed(number: number): Segment {
    const fill = ({ file, capacity }: Draft): void => {
      for (const [at, zeros] of zeroSteps(capacity)) file.write(at, zeros);
    };
    return this.#activate(this.#open(this.#spareName(), 'create'), { number, fill });
  }

  /** Takes segments out of the log: keeps their files for reuse, or deletes them. */
  recycle(segments: readonly Segment[]): void {
    for (const segment of segments) segment.file.close();
    for (const segment of segments) {
      if (segment.header.capacity !== this.#segmentBytes || this.#spares.length >= SPARES_MAX) {
        segment.remove();
        continue;
      }
      const spare = this.#spareName();
      this.disk.rename(segment.path, join(this.directory, spare));
      this.#spares.push(spare);
    }
    this.syncNames();
  }

  /** Deletes the spares, which may hold old payloads. */
  async discardSpares(): Promise<void> {
    await this.#preparing;
    for (const spare of this.#spares.splice(0)) this.disk.remove(join(this.directory, spare));
    this.syncNames();
  }

  syncNames(): void {
    this.disk.syncDirectory(this.directory);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#preparing;
  }

  #spareName(): string {
    this.#made += 1;
    return `wal-spare-${this.#made}`;
  }

  #open(name: string, mode: 'create' | 'open' = 'open'): Draft {
    return { name, capacity: this.#segmentBytes, file: this.disk.openFile(join(this.directory, name), mode) };
  }

  /** Makes a segment of a spare. After an error no file is open, and the spare is removed. */
  #activate(
    draft: Draft,
    { number, fill }: { readonly number: number; readonly fill?: (draft: Draft) => void },
  ): Segment {
    try {
      fill?.(draft);
      const header = { salt: randomBytes(4).readUInt32LE(), number, capacity: draft.capacity };
      draft.file.write(0, encodeHeader(header));
      draft.file.syncNow();
      this.disk.rename(join(this.directory, draft.name), join(this.directory, segmentName(number)));
      this.syncNames();
      this.#hasPrepared = false;
      return new Segment(this, draft.file, header);
    } catch (error) {
      draft.file.close();
      this.#removeIfPossible(draft.name);
      throw error;
    }
  }

  /** Another error is the one to report. */
  #removeIfPossible(name: string): void {
    try {
      this.disk.remove(join(this.directory, name));
    } catch {
      // It has its final name, or the next open deletes it.
    }
  }

  /**
   * Prepares a spare, or leaves no file. Errors are ignored: without a spare the next segment is a new file, and
   * reports its own errors.
   */
  async #zeros(): Promise<void> {
    try {
      const { name, file } = this.#open(this.#spareName(), 'create');
      const isReady = await this.#fill(file).catch(() => false);
      file.close();
      if (isReady) this.#spares.push(name);
      else this.disk.remove(join(this.directory, name));
    } catch {
      // The next open deletes the file.
    }
  }

  /** Writes and syncs zeros; false when the log is closed meanwhile. */
  async #fill(file: DiskFile): Promise<boolean> {
    for (const [at, zeros] of zeroSteps(this.#segmentBytes)) {
      await yieldToOthers();
      if (this.#closed) return false;
      file.write(at, zeros);
    }
    await file.sync();
    return true;
  }
}

interface Draft {
  readonly name: string;
  readonly capacity: number;
  readonly file: DiskFile;
}

function* zeroSteps(capacity: number): Generator<[at: number, zeros: Uint8Array]> {
  const zeros = new Uint8Array(Math.min(capacity, ZERO_STEP_BYTES));
  for (let at = 0; at < capacity; at += zeros.length) yield [at, zeros.subarray(0, capacity - at)];
}
