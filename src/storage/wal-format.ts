/**
 * The format of a write-ahead log segment (`docs/formats/wal.md`): header, records, and the scan that finds the end of
 * the log and signs of damage. No I/O.
 */
import { crc32c } from './crc32c.ts';
import { otherFormat } from './errors.ts';
import { readU32, readU64, writeU32, writeU64 } from './integers.ts';

export const SEGMENT_HEADER_BYTES = 4096;
export const RECORD_HEADER_BYTES = 24;
/** Largest payload of a record, in bytes. */
export const PAYLOAD_BYTES_MAX = 536_870_912;
/** No segment holds as many records. */
const SEGMENT_RECORDS_MAX = PAYLOAD_BYTES_MAX;

const MAGIC = new TextEncoder().encode('DAYBKWAL');
const VERSION = 1;
const HEADER_CHECKED_BYTES = 32;

export interface SegmentHeader {
  /** Random; part of the checksums, so that records of an earlier use of the file do not match. */
  readonly salt: number;
  readonly number: number;
  /** Size of the file in bytes. */
  readonly capacity: number;
}

/** Receives the payload of a record as a range of `bytes`. */
export type RecordVisitor = (
  sequence: number,
  bytes: Uint8Array,
  range: { readonly start: number; readonly end: number },
) => void;

export interface Scan {
  /** Sequence of the segment's first record, 0 when that is invalid or does not fit. */
  readonly first: number;
  /** Sequence of the last record of the consecutive run. */
  readonly last: number;
  /** Offset after that record. */
  readonly end: number;
  /** Whether a valid record exists beyond `end`: new records written there could make it part of the log again. */
  readonly shadowed: boolean;
  /** The highest `durable` of any valid record in the segment. */
  readonly durable: number;
}

/** Size of a record with a payload of this size, including header and padding. */
export function recordBytes(payload: number): number {
  return (RECORD_HEADER_BYTES + payload + 7) & ~7;
}

/** The bytes of a segment header, with its checksum. */
export function encodeHeader(header: SegmentHeader): Uint8Array {
  const bytes = new Uint8Array(SEGMENT_HEADER_BYTES);
  bytes.set(MAGIC);
  writeU32(bytes, 8, VERSION);
  writeU32(bytes, 12, header.salt);
  writeU64(bytes, 16, header.number);
  writeU64(bytes, 24, header.capacity);
  writeU32(bytes, HEADER_CHECKED_BYTES, crc32c(bytes, 0, 0, HEADER_CHECKED_BYTES));
  return bytes;
}

/** The header of the segment `name`, or a sentence that describes the damage. Throws `STORAGE_FOREIGN`. */
export function decodeHeader(bytes: Uint8Array, name: string): SegmentHeader | string {
  if (bytes.length < SEGMENT_HEADER_BYTES) return 'the file is shorter than a segment header';
  if (MAGIC.some((byte, at) => bytes[at] !== byte)) return 'this is no write-ahead log segment (bad magic number)';
  if (readU32(bytes, HEADER_CHECKED_BYTES) !== crc32c(bytes, 0, 0, HEADER_CHECKED_BYTES)) {
    return 'checksum of the segment header does not match';
  }
  const version = readU32(bytes, 8);
  if (version !== VERSION) throw otherFormat(name, { offset: 8, version, known: VERSION });
  return { salt: readU32(bytes, 12), number: readU64(bytes, 16), capacity: readU64(bytes, 24) };
}

const ZEROS = new Uint8Array(4_096);

/** The offset of the first byte of a range that is not zero, null when all are. */
export function firstNonZero(bytes: Uint8Array, from: number, to: number): number | null {
  let at = from;
  const isZeroBlock = (): boolean => Buffer.compare(bytes.subarray(at, at + ZEROS.length), ZEROS) === 0;
  while (at + ZEROS.length <= to && isZeroBlock()) at += ZEROS.length;
  for (; at < to; at += 1) if (bytes[at] !== 0) return at;
  return null;
}

/** The offset of the first byte that is not zero in the header behind its checksum, null when all are. */
export function headerRest(bytes: Uint8Array): number | null {
  return firstNonZero(bytes, HEADER_CHECKED_BYTES + 4, SEGMENT_HEADER_BYTES);
}

/**
 * Fills in the header of the record at `at`; the payload after it must be in place. A record whose `durable` equals its
 * own sequence is an attestation: it is empty and not part of the log.
 */
export function sealRecord(
  bytes: Uint8Array,
  at: number,
  record: { readonly length: number; readonly sequence: number; readonly durable: number; readonly salt: number },
): void {
  const { length, sequence, durable, salt } = record;
  writeU32(bytes, at, length);
  writeU64(bytes, at + 8, sequence);
  writeU64(bytes, at + 16, durable);
  writeU32(bytes, at + 4, crc32c(bytes, salt ^ length, at + 8, at + RECORD_HEADER_BYTES + length));
}

/** The range of sequences that the first record of a segment may have. */
export interface Opening {
  readonly least: number;
  readonly most: number;
}

/** Visits the consecutive valid records of a segment, and searches the rest for further valid records. */
export function scanSegment(bytes: Uint8Array, header: SegmentHeader, fits: Opening, visit: RecordVisitor): Scan {
  let end = SEGMENT_HEADER_BYTES;
  const opening = validRecord(bytes, end, header);
  const begins = opening !== null && opening.sequence >= fits.least && opening.sequence <= fits.most;
  let next = begins ? opening.sequence : fits.least;
  let durable = 0;
  for (let record = opening; record?.sequence === next; record = validRecord(bytes, end, header)) {
    const start = end + RECORD_HEADER_BYTES;
    visit(next, bytes, { start, end: start + record.length });
    end += recordBytes(record.length);
    next += 1;
    durable = record.durable;
  }
  const beyond = scanBeyond(bytes, { header, from: end, expected: next });
  return {
    first: begins ? opening.sequence : 0,
    last: next - 1,
    end,
    shadowed: beyond.any,
    durable: Math.max(durable, beyond.durable),
  };
}

interface FoundRecord {
  readonly length: number;
  readonly sequence: number;
  readonly durable: number;
}

function validRecord(bytes: Uint8Array, at: number, header: SegmentHeader): FoundRecord | null {
  const record = recordOrAttestation(bytes, at, header);
  return record === null || isAttestation(record) ? null : record;
}

function isAttestation({ sequence, durable }: FoundRecord): boolean {
  return durable === sequence;
}

function recordOrAttestation(bytes: Uint8Array, at: number, header: SegmentHeader): FoundRecord | null {
  if (at + RECORD_HEADER_BYTES > bytes.length) return null;
  const length = readU32(bytes, at);
  const end = at + RECORD_HEADER_BYTES + length;
  if (end > bytes.length) return null;
  const sequence = readU64(bytes, at + 8);
  const durable = readU64(bytes, at + 16);
  if (sequence === 0 || durable > sequence) return null;
  if (readU32(bytes, at + 4) !== crc32c(bytes, header.salt ^ length, at + 8, end)) return null;
  return { length, sequence, durable };
}

/** Searches for valid records and attestations at every possible offset after the end of the log. */
function scanBeyond(
  bytes: Uint8Array,
  where: { readonly header: SegmentHeader; readonly from: number; readonly expected: number },
): { readonly any: boolean; readonly durable: number } {
  const { header, from, expected } = where;
  const sequenceMax = expected + SEGMENT_RECORDS_MAX;
  let any = false;
  let durable = 0;
  for (let at = from; at + RECORD_HEADER_BYTES <= bytes.length; at += 8) {
    const sequence = readU64(bytes, at + 8);
    if (sequence === 0) {
      // No record has this sequence: the search goes on where the sequence is not zero.
      const next = firstNonZero(bytes, at + 16, bytes.length);
      if (next === null) break;
      at += 8 * Math.floor((next - at - 16) / 8);
      continue;
    }
    if (sequence < expected || sequence > sequenceMax) continue;
    const record = recordOrAttestation(bytes, at, header);
    if (record === null) continue;
    any ||= !isAttestation(record);
    durable = Math.max(durable, record.durable);
  }
  return { any, durable };
}
