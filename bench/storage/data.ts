/**
 * Keys and values of the storage benchmark, the same for every engine.
 *
 * - A key is a number with 16 decimal digits; values are incompressible.
 * - Keys and values are generated before the clock starts.
 */
import { randomBytes } from 'node:crypto';
import { KEY_BYTES } from './plan.ts';

export interface Put {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

const VALUES = 4_096;

export function keyAt(index: number): Uint8Array {
  return Buffer.from(String(index).padStart(KEY_BYTES, '0'), 'latin1');
}

/** The returned function returns one of about a thousand random values. */
export function valuesOf(bytes: number): (index: number) => Uint8Array {
  const values = Array.from({ length: VALUES }, () => Uint8Array.from(randomBytes(bytes)));
  return (index) => values[index % VALUES]!;
}

/** Numbers below `limit`, the same in every run. */
export function randomNumbers(limit: number): () => number {
  let state = 0x9e3779b9;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

/** `count` keys chosen from `records`. */
export function randomKeys(count: number, records: number): readonly Uint8Array[] {
  const next = randomNumbers(records);
  return Array.from({ length: count }, () => keyAt(next()));
}
