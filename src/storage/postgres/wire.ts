/**
 * Values in the form of the database: arrays as text, many records as one binary value or as a COPY. The rows of a
 * query would have two hex digits for each byte of type bytea.
 */
import type pg from 'pg';
import { copyRange, withRoom } from '../copies.ts';
import type { Bytes } from '../engine.ts';
import { HASH_BYTES } from '../merkle.ts';
import type { Client } from './hosts.ts';

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

/** The header before the rows: a signature, flags, and the length of an extension. */
const SIGNATURE_BYTES = 15;
const FIRST_BYTES = 65_536;

/**
 * The values of the only column of a query, of type bytea, in its order. Rejects with the error of the server or the
 * connection.
 */
export function copyOut(client: Client, query: string): Promise<readonly Buffer[]> {
  return new Promise((resolve, reject) => {
    const received = (bytes: Buffer) => resolve(valuesIn(bytes));
    client.query(new CopyOut(`COPY (${query}) TO STDOUT (FORMAT binary)`, received, reject));
  });
}

/** A statement as the driver sees it: it calls these methods with the messages of the server. */
class CopyOut implements pg.Submittable {
  readonly #text: string;
  #bytes = new Uint8Array(FIRST_BYTES);
  #used = 0;
  /** The driver wraps it, to stop its own timer. */
  callback: (error?: Error | null) => void;

  constructor(text: string, received: (bytes: Buffer) => void, failed: (error: Error) => void) {
    this.#text = text;
    this.callback = (error) => {
      if (error === undefined || error === null) received(Buffer.from(this.#bytes.buffer, 0, this.#used));
      else failed(error);
    };
  }

  submit(connection: pg.Connection): void {
    connection.query(this.#text);
  }

  /** Copies the chunk, because the driver reuses its memory. */
  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    this.#bytes = withRoom(this.#bytes, this.#used + chunk.length);
    this.#used = copyRange(this.#bytes, this.#used, { bytes: chunk, start: 0, end: chunk.length });
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.callback();
  }

  handleError(error: Error): void {
    this.callback(error);
  }
}

function valuesIn(bytes: Buffer): Buffer[] {
  const values: Buffer[] = [];
  let at = SIGNATURE_BYTES + 4 + bytes.readInt32BE(SIGNATURE_BYTES);
  // Each row begins with the number of its columns, -1 after the last one.
  while (bytes.readInt16BE(at) > 0) {
    const start = at + 6;
    at = start + bytes.readInt32BE(at + 2);
    values.push(bytes.subarray(start, at));
  }
  return values;
}
