/** Chunks: the unit in which a range read takes entries from a memtable leaf or a table block. */
import { compareWithPart } from './bytes.ts';

/** Visible entries of one source, in key order. */
export interface Chunk {
  readonly count: number;
  readonly keys: Uint8Array;
  readonly values: Uint8Array;
  /** Four numbers per entry: key start, key end, value start, value code (0: tombstone, else value length + 1). */
  readonly spans: Uint32Array;
  /** Whether entries must be copied before they are handed out, because the memory is reused later. */
  readonly copies: boolean;
}

/** Chunks come in key order, or in the reverse order; entries newer than the sequence are left out. */
export interface WalkOrder {
  readonly sequence: number;
  readonly reverse: boolean;
}

/** Numbers per entry in `spans`. */
export const SPAN = 4;

const NO_BYTES = new Uint8Array(0);
export const NO_CHUNK: Chunk = { count: 0, keys: NO_BYTES, values: NO_BYTES, spans: new Uint32Array(0), copies: false };

/** The key of entry `index`. */
export function chunkKey(chunk: Chunk, index: number): Uint8Array {
  return part(chunk.keys, chunk, { from: chunk.spans[index * SPAN]!, to: chunk.spans[index * SPAN + 1]! });
}

/** The value of entry `index`, which is no tombstone. */
export function chunkValue(chunk: Chunk, index: number): Uint8Array {
  const from = chunk.spans[index * SPAN + 2]!;
  return part(chunk.values, chunk, { from, to: from + chunk.spans[index * SPAN + 3]! - 1 });
}

/** The number of keys in the chunk that sort before `key`, with `key` itself when `isCounted`. */
export function countUpTo(chunk: Chunk, key: Uint8Array, isCounted: boolean): number {
  const { spans, keys } = chunk;
  let low = 0;
  let high = chunk.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const order = compareWithPart(key, keys, spans[middle * SPAN]!, spans[middle * SPAN + 1]!);
    if (order > 0 || (isCounted && order === 0)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function part(bytes: Uint8Array, chunk: Chunk, span: { from: number; to: number }): Uint8Array {
  if (chunk.copies) return bytes.slice(span.from, span.to);
  return new Uint8Array(bytes.buffer, bytes.byteOffset + span.from, span.to - span.from);
}
