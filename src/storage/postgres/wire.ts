/** Values as the database takes and gives them: arrays as text, many records as one binary value. */
import type { Bytes } from '../engine.ts';
import { HASH_BYTES } from '../merkle.ts';

/** An array of numbers or UUIDs, which need no quotes. */
export function plainArray(values: readonly (number | string)[]): string {
  return `{${values.join(',')}}`;
}

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

export function packRecords(records: readonly Bytes[]): PackedRecords {
  const starts: number[] = [];
  const sizes: number[] = [];
  let start = 1;
  for (const record of records) {
    const size = record.length - HASH_BYTES;
    starts.push(start);
    sizes.push(size);
    start += size;
  }
  return {
    starts: plainArray(starts),
    sizes: plainArray(sizes),
    leaves: Buffer.concat(records.map((record) => record.subarray(0, HASH_BYTES))),
    records: Buffer.concat(records.map((record) => record.subarray(HASH_BYTES))),
  };
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
