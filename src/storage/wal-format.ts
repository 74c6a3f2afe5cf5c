/**
 * The format of a write-ahead log segment (`docs/formats/wal.md`): header, records, and the scan that finds the end of
 * the log and signs of damage. No I/O.
 */
import { crc32c } from './crc32c.ts';

export const SEGMENT_HEADER_BYTES = 4096;
export const RECORD_HEADER_BYTES = 24;
/** Largest payload of a record, in bytes. */
export const PAYLOAD_BYTES_MAX = 536_870_912;

const MAGIC = new TextEncoder().encode('DAYBKWAL');
const VERSION = 1;
const HEADER_CHECKED_BYTES = 32;
const HIGH = 4_294_967_296;

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

export function encodeHeader(header: SegmentHeader): Uint8Array {
  const bytes = new Uint8Array(SEGMENT_HEADER_BYTES);
  const view = new DataView(bytes.buffer);
  bytes.set(MAGIC);
  view.setUint32(8, VERSION, true);
  view.setUint32(12, header.salt, true);
  putUint64(view, 16, header.number);
  putUint64(view, 24, header.capacity);
  view.setUint32(HEADER_CHECKED_BYTES, crc32c(bytes, 0, 0, HEADER_CHECKED_BYTES), true);
  return bytes;
}

/** The header, or a sentence that describes the damage. */
export function decodeHeader(bytes: Uint8Array): SegmentHeader | string {
  if (bytes.length < SEGMENT_HEADER_BYTES) return 'the file is shorter than a segment header';
  if (MAGIC.some((byte, at) => bytes[at] !== byte)) return 'this is no write-ahead log segment (bad magic number)';
  const view = viewOf(bytes);
  if (view.getUint32(HEADER_CHECKED_BYTES, true) !== crc32c(bytes, 0, 0, HEADER_CHECKED_BYTES)) {
    return 'checksum of the segment header does not match';
  }
  const version = view.getUint32(8, true);
  if (version !== VERSION) return `segment format version ${version} is unknown, this program reads version ${VERSION}`;
  return { salt: view.getUint32(12, true), number: getUint64(view, 16), capacity: getUint64(view, 24) };
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
  putUint32(bytes, at, length);
  putUint32(bytes, at + 8, sequence);
  putUint32(bytes, at + 12, Math.floor(sequence / HIGH));
  putUint32(bytes, at + 16, durable);
  putUint32(bytes, at + 20, Math.floor(durable / HIGH));
  putUint32(bytes, at + 4, crc32c(bytes, salt ^ length, at + 8, at + RECORD_HEADER_BYTES + length));
}

/** The range of sequences that the first record of a segment may have. */
export interface Opening {
  readonly least: number;
  readonly most: number;
}

/** Visits the consecutive valid records of a segment, and searches the rest for further valid records. */
export function scanSegment(bytes: Uint8Array, header: SegmentHeader, fits: Opening, visit: RecordVisitor): Scan {
  const view = viewOf(bytes);
  let end = SEGMENT_HEADER_BYTES;
  const opening = validRecord(bytes, view, end, header);
  const begins = opening !== null && opening.sequence >= fits.least && opening.sequence <= fits.most;
  let next = begins ? opening.sequence : fits.least;
  let durable = 0;
  for (let record = opening; record?.sequence === next; record = validRecord(bytes, view, end, header)) {
    const start = end + RECORD_HEADER_BYTES;
    visit(next, bytes, { start, end: start + record.length });
    end += recordBytes(record.length);
    next += 1;
    durable = record.durable;
  }
  const beyond = scanBeyond(bytes, { view, header, from: end, expected: next });
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

function validRecord(bytes: Uint8Array, view: DataView, at: number, header: SegmentHeader): FoundRecord | null {
  const record = recordOrAttestation(bytes, view, at, header);
  return record === null || isAttestation(record) ? null : record;
}

function isAttestation({ sequence, durable }: FoundRecord): boolean {
  return durable === sequence;
}

function recordOrAttestation(bytes: Uint8Array, view: DataView, at: number, header: SegmentHeader): FoundRecord | null {
  if (at + RECORD_HEADER_BYTES > bytes.length) return null;
  const length = view.getUint32(at, true);
  const end = at + RECORD_HEADER_BYTES + length;
  if (end > bytes.length) return null;
  const sequence = getUint64(view, at + 8);
  const durable = getUint64(view, at + 16);
  if (sequence === 0 || durable > sequence) return null;
  if (view.getUint32(at + 4, true) !== crc32c(bytes, header.salt ^ length, at + 8, end)) return null;
  return { length, sequence, durable };
}

/** Searches for valid records and attestations at every possible offset after the end of the log. */
function scanBeyond(
  bytes: Uint8Array,
  where: { readonly view: DataView; readonly header: SegmentHeader; readonly from: number; readonly expected: number },
): { readonly any: boolean; readonly durable: number } {
  const { view, header, from, expected } = where;
  const plausible = expected + PAYLOAD_BYTES_MAX;
  let any = false;
  let durable = 0;
  for (let at = from; at + RECORD_HEADER_BYTES <= bytes.length; at += 8) {
    const sequence = getUint64(view, at + 8);
    if (sequence < expected || sequence > plausible) continue;
    const record = recordOrAttestation(bytes, view, at, header);
    if (record === null) continue;
    any ||= !isAttestation(record);
    durable = Math.max(durable, record.durable);
  }
  return { any, durable };
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function putUint32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value;
  bytes[at + 1] = value >>> 8;
  bytes[at + 2] = value >>> 16;
  bytes[at + 3] = value >>> 24;
}

function putUint64(view: DataView, at: number, value: number): void {
  view.setUint32(at, value % HIGH, true);
  view.setUint32(at + 4, Math.floor(value / HIGH), true);
}

function getUint64(view: DataView, at: number): number {
  return view.getUint32(at, true) + view.getUint32(at + 4, true) * HIGH;
}
