/**
 * A run of visible entries of one source, in key order: what a memtable leaf or a table block gives to a range. Spans
 * are four numbers an entry: key start, key end, value start, value code (0: tombstone, else value length + 1).
 */
import { compareWithPart } from './bytes.ts';

export interface Chunk {
  readonly count: number;
  readonly keys: Uint8Array;
  readonly values: Uint8Array;
  readonly spans: Uint32Array;
  /** True where keys and values lie in memory that a reader must not keep: entries are copied out. */
  readonly copies: boolean;
}

export const SPAN = 4;

export function chunkKey(chunk: Chunk, index: number): Uint8Array {
  return part(chunk.keys, chunk, { from: chunk.spans[index * SPAN]!, to: chunk.spans[index * SPAN + 1]! });
}

export function chunkValue(chunk: Chunk, index: number): Uint8Array {
  const from = chunk.spans[index * SPAN + 2]!;
  return part(chunk.values, chunk, { from, to: from + chunk.spans[index * SPAN + 3]! - 1 });
}

/** How many keys of the chunk sort before `key`. */
export function countBefore(chunk: Chunk, key: Uint8Array): number {
  const { spans, keys } = chunk;
  let low = 0;
  let high = chunk.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareWithPart(key, keys, spans[middle * SPAN]!, spans[middle * SPAN + 1]!) > 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function part(bytes: Uint8Array, chunk: Chunk, span: { from: number; to: number }): Uint8Array {
  if (chunk.copies) return bytes.slice(span.from, span.to);
  return new Uint8Array(bytes.buffer, bytes.byteOffset + span.from, span.to - span.from);
}
