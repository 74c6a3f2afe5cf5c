/** Values in the form of the database: arrays as text, many records as one binary value. */
import { copyRange } from '../copies.ts';
import type { Bytes } from '../engine.ts';
import { HASH_BYTES } from '../merkle.ts';

/** An array of numbers or UUIDs, which need no quotes. */
export function plainArray(values: readonly (number | string)[]): string {
  return `{${values.join(',')}}`;
}

/** A `text[]` literal. */
export function textArray(values: readonly string[]): string {
  return `{${values.map((value) => `"${value.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

/** Records for a function of the schema: without leaf hashes, one after the other, with their places from 1. */
export interface PackedRecords {
  readonly starts: string;
  readonly sizes: string;
  readonly leaves: Buffer;
  readonly records: Buffer;
}

/** The records as one binary value, with their places. */
export function packRecords(stored: readonly Bytes[]): PackedRecords {
  const bytes = stored.reduce((sum, record) => sum + record.length, 0);
  const leaves = Buffer.allocUnsafe(stored.length * HASH_BYTES);
  const records = Buffer.allocUnsafe(bytes - leaves.length);
  const starts: number[] = [];
  const sizes: number[] = [];
  let end = 0;
  for (const [index, record] of stored.entries()) {
    copyRange(leaves, index * HASH_BYTES, { bytes: record, start: 0, end: HASH_BYTES });
    starts.push(end + 1);
    sizes.push(record.length - HASH_BYTES);
    end = copyRange(records, end, { bytes: record, start: HASH_BYTES, end: record.length });
  }
  return { starts: plainArray(starts), sizes: plainArray(sizes), leaves, records };
}

/** SQL for a record of a row with `leaf` and `record`, preceded by its length in four bytes. */
export const FRAMED_RECORD = `int4send(octet_length(record) + ${HASH_BYTES}) || leaf || record`;

/** The records of a value that aggregates `FRAMED_RECORD`. */
export function unframe(bytes: Buffer | null): Buffer[] {
  const records: Buffer[] = [];
  if (bytes === null) return records;
  for (let at = 0; at < bytes.length; ) {
    const end = at + 4 + bytes.readInt32BE(at);
    records.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return records;
}
