/**
 * Data blocks of a table: prefix-compressed entries in key order, with restart points for binary search.
 *
 * - Order is key ascending, then sequence descending. All versions of a key are in one block.
 * - Every `RESTART_INTERVAL`th entry stores its whole key; the offsets of these entries are at the end of the block.
 * - Blocks are parsed after their checksum was verified, so their content is trusted.
 */
import { withRoom } from '../copies.ts';
import { readU32 } from '../integers.ts';
import { compareWithPart, readVarint, varintEnd } from './bytes.ts';
import { type Chunk, SPAN } from './chunk.ts';

export const RESTART_INTERVAL = 8;

export interface Block {
  readonly bytes: Uint8Array;
  readonly restarts: number;
  /** Offset of the list of restart offsets, which follows the entries. */
  readonly entriesEnd: number;
}

/** A block over verified bytes; nothing is copied. */
export function parseBlock(bytes: Uint8Array): Block {
  const restarts = readU32(bytes, bytes.length - 4);
  return { bytes, restarts, entriesEnd: bytes.length - 4 - restarts * 4 };
}

/** The value of `key` visible at `sequence`: null for a tombstone, undefined when the block has no such version. */
export function findInBlock(block: Block, key: Uint8Array, sequence: number): Uint8Array | null | undefined {
  const { bytes, entriesEnd } = block;
  let at = restartBefore(block, key);
  // Invariant: the key of the previous entry sorts at or before `key` and shares exactly its first `matched` bytes.
  let matched = 0;
  while (at < entriesEnd) {
    const shared = readVarint(bytes, at);
    at = varintEnd(bytes, at);
    const unshared = readVarint(bytes, at);
    at = varintEnd(bytes, at);
    const sequenceAt = at;
    at = varintEnd(bytes, at);
    const code = readVarint(bytes, at);
    at = varintEnd(bytes, at);
    const valueStart = at + unshared;
    // An entry that shares more with its predecessor than `key` does sorts before `key`, as the predecessor does.
    if (shared <= matched) {
      const length = shared + unshared;
      const limit = length < key.length ? length : key.length;
      matched = shared;
      const suffix = at - shared;
      while (matched < limit && bytes[suffix + matched] === key[matched]) matched += 1;
      if (matched < limit) {
        if (bytes[suffix + matched]! > key[matched]!) return undefined;
      } else if (length > key.length) return undefined;
      else if (length === key.length && readVarint(bytes, sequenceAt) <= sequence) {
        return code === 0 ? null : new Uint8Array(bytes.buffer, bytes.byteOffset + valueStart, code - 1);
      }
    }
    at = code === 0 ? valueStart : valueStart + code - 1;
  }
  return undefined;
}

/** The entries visible at `sequence`, one per key, including tombstones. */
export function chunkOfBlock(block: Block, sequence: number): Chunk {
  const { bytes, entriesEnd } = block;
  const spans = new Uint32Array(block.restarts * RESTART_INTERVAL * SPAN);
  let keys = new Uint8Array(block.restarts * RESTART_INTERVAL * 24);
  let count = 0;
  // Each key is built after the last kept key; a key that is not kept is overwritten by the next one.
  let end = 0;
  let previous = 0;
  for (let at = 0; at < entriesEnd; ) {
    const shared = readVarint(bytes, at);
    at = varintEnd(bytes, at);
    const unshared = readVarint(bytes, at);
    at = varintEnd(bytes, at);
    const own = readVarint(bytes, at);
    at = varintEnd(bytes, at);
    const code = readVarint(bytes, at);
    at = varintEnd(bytes, at);
    const length = shared + unshared;
    keys = withRoom(keys, end + length);
    if (previous !== end) for (let to = 0; to < shared; to += 1) keys[end + to] = keys[previous + to]!;
    for (let to = shared; to < length; to += 1, at += 1) keys[end + to] = bytes[at]!;
    const valueStart = at;
    if (code > 0) at += code - 1;
    previous = end;
    if (own > sequence || (count > 0 && isRepeated(keys, spans, { count, start: end, end: end + length }))) continue;
    const span = count * SPAN;
    spans[span] = end;
    end += length;
    spans[span + 1] = end;
    spans[span + 2] = valueStart;
    spans[span + 3] = code;
    count += 1;
  }
  return { count, keys, values: bytes, spans, copies: false };
}

/** Whether the key at `start` equals the key of the last span. */
function isRepeated(keys: Uint8Array, spans: Uint32Array, at: { count: number; start: number; end: number }): boolean {
  const last = (at.count - 1) * SPAN;
  const lastStart = spans[last]!;
  const length = at.end - at.start;
  if (spans[last + 1]! - lastStart !== length) return false;
  // Backward, because neighbouring keys mostly differ near the end.
  for (let back = length - 1; back >= 0; back -= 1) if (keys[lastStart + back] !== keys[at.start + back]) return false;
  return true;
}

/** Iterates over all versions of a block in order. `key` is a buffer that the next step overwrites. */
export class BlockReader {
  key = new Uint8Array(64);
  keyLength = 0;
  sequence = 0;
  code = 0;
  valueStart = 0;
  readonly bytes: Uint8Array;
  readonly #end: number;
  #at = 0;

  constructor(block: Block) {
    this.bytes = block.bytes;
    this.#end = block.entriesEnd;
  }

  next(): boolean {
    const { bytes } = this;
    let at = this.#at;
    if (at >= this.#end) return false;
    const shared = readVarint(bytes, at);
    at = varintEnd(bytes, at);
    const unshared = readVarint(bytes, at);
    at = varintEnd(bytes, at);
    this.sequence = readVarint(bytes, at);
    at = varintEnd(bytes, at);
    this.code = readVarint(bytes, at);
    at = varintEnd(bytes, at);
    this.keyLength = shared + unshared;
    this.key = withRoom(this.key, this.keyLength);
    for (let to = shared; to < this.keyLength; to += 1, at += 1) this.key[to] = bytes[at]!;
    this.valueStart = at;
    this.#at = this.code === 0 ? at : at + this.code - 1;
    return true;
  }
}

/** Offset of the last restart entry whose key sorts before `key`, or of the first one. */
function restartBefore(block: Block, key: Uint8Array): number {
  const { bytes, entriesEnd } = block;
  let low = 0;
  let high = block.restarts - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    let at = readU32(bytes, entriesEnd + middle * 4) + 1;
    const length = readVarint(bytes, at);
    at = varintEnd(bytes, at);
    at = varintEnd(bytes, at);
    at = varintEnd(bytes, at);
    if (compareWithPart(key, bytes, at, at + length) > 0) low = middle;
    else high = middle - 1;
  }
  return readU32(bytes, entriesEnd + low * 4);
}
