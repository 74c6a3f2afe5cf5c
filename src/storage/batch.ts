/**
 * A batch as bytes: the payload of a write-ahead log record (`docs/formats/wal.md`, "Overview").
 *
 * - A batch is encoded when `commit` is called, so the caller may reuse its buffers immediately.
 * - Live commits and recovery apply batches from these bytes with the same code.
 */
import { checkBatch } from './checks.ts';
import { copyRange } from './copies.ts';
import type { Change } from './engine.ts';
import { valueInvalid } from './errors.ts';
import { readU32, writeU32 } from './integers.ts';
import type { RecordGroup } from './wal.ts';
import { PAYLOAD_BYTES_MAX } from './wal-format.ts';

const DELETE = 0x80000000;

/** A change inside a payload: key and value are ranges of `bytes`; `valueStart` is -1 for a delete. */
export interface EncodedChange {
  bytes: Uint8Array;
  keyStart: number;
  keyEnd: number;
  valueStart: number;
  valueEnd: number;
}

export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Validates a batch and returns the number of bytes that `encodeBatch` will write. Throws `STORAGE_VALUE_INVALID`. */
export function batchBytes(batch: readonly Change[]): number {
  checkBatch(batch);
  let total = 0;
  for (const { key, value } of batch) total += value === undefined ? 4 + key.length : 8 + key.length + value.length;
  if (total <= PAYLOAD_BYTES_MAX) return total;
  throw valueInvalid(`A batch of ${total} bytes is too large: at most ${PAYLOAD_BYTES_MAX} bytes fit one commit.`);
}

/** Adds a batch to a group as one record; `length` is the result of `batchBytes`. */
export function encodeBatch(batch: readonly Change[], group: RecordGroup, length: number): void {
  let to = group.reserve(length);
  const into = group.bytes;
  for (const { key, value } of batch) {
    writeU32(into, to, value === undefined ? (key.length - 1) | DELETE : key.length - 1);
    to += 4;
    if (value !== undefined) {
      writeU32(into, to, value.length);
      to += 4;
    }
    to = copyRange(into, to, { bytes: key, start: 0, end: key.length });
    if (value !== undefined) to = copyRange(into, to, { bytes: value, start: 0, end: value.length });
  }
}

/** Calls `visit` for every change of a payload in order. The change object is reused from call to call. */
export function decodeBatch(bytes: Uint8Array, range: ByteRange, visit: (change: EncodedChange) => void): void {
  const change: EncodedChange = { bytes, keyStart: 0, keyEnd: 0, valueStart: 0, valueEnd: 0 };
  let at = range.start;
  while (at < range.end) {
    const head = readU32(bytes, at);
    const isPut = head < DELETE;
    change.keyStart = isPut ? at + 8 : at + 4;
    change.keyEnd = change.keyStart + (head & 0xffff) + 1;
    change.valueStart = isPut ? change.keyEnd : -1;
    change.valueEnd = isPut ? change.keyEnd + readU32(bytes, at + 4) : change.keyEnd;
    at = change.valueEnd;
    visit(change);
  }
}
