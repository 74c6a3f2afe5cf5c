/**
 * A batch as bytes: the payload of a write-ahead log record (`docs/formats/wal.md`, "What it is").
 *
 * - A batch is encoded when `commit` is called, so the caller may reuse its buffers immediately.
 * - Live commits and recovery apply batches from these bytes with the same code.
 */
import { checkBatch } from './checks.ts';
import type { Change } from './engine.ts';
import { StorageError } from './errors.ts';
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
  throw new StorageError(
    'STORAGE_VALUE_INVALID',
    `A batch of ${total} bytes is too large: at most ${PAYLOAD_BYTES_MAX} bytes fit one commit.`,
  );
}

/** Adds a batch to a group as one record; `length` is the result of `batchBytes`. */
export function encodeBatch(batch: readonly Change[], group: RecordGroup, length: number): void {
  let to = group.reserve(length);
  const into = group.bytes;
  for (const { key, value } of batch) {
    to = putUint32(into, to, value === undefined ? ((key.length - 1) | DELETE) >>> 0 : key.length - 1);
    if (value !== undefined) to = putUint32(into, to, value.length);
    to = copyBytes(into, to, key);
    if (value !== undefined) to = copyBytes(into, to, value);
  }
}

/** Calls `visit` for every change of a payload in order. The change object is reused from call to call. */
export function decodeBatch(bytes: Uint8Array, range: ByteRange, visit: (change: EncodedChange) => void): void {
  const change: EncodedChange = { bytes, keyStart: 0, keyEnd: 0, valueStart: 0, valueEnd: 0 };
  let at = range.start;
  while (at < range.end) {
    const head = getUint32(bytes, at);
    const isPut = head < DELETE;
    change.keyStart = isPut ? at + 8 : at + 4;
    change.keyEnd = change.keyStart + (head & 0xffff) + 1;
    change.valueStart = isPut ? change.keyEnd : -1;
    change.valueEnd = isPut ? change.keyEnd + getUint32(bytes, at + 4) : change.keyEnd;
    at = change.valueEnd;
    visit(change);
  }
}

/** `set` costs a call into the runtime: short runs are faster by hand. */
function copyBytes(into: Uint8Array, at: number, from: Uint8Array): number {
  if (from.length > 48) into.set(from, at);
  else for (let index = 0; index < from.length; index += 1) into[at + index] = from[index]!;
  return at + from.length;
}

function putUint32(bytes: Uint8Array, at: number, value: number): number {
  bytes[at] = value;
  bytes[at + 1] = value >>> 8;
  bytes[at + 2] = value >>> 16;
  bytes[at + 3] = value >>> 24;
  return at + 4;
}

function getUint32(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
}
