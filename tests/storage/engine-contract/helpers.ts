/** Helpers of the engine contract: texts as bytes, changes, and the engine under test. */
import type { Change, Entry, KeyValueEngine, RangeOptions, Reader } from '../../../src/storage/engine.ts';

/** The engine of the running test, in a separate folder inside `root`. */
export interface Context {
  engine: KeyValueEngine;
  directory: string;
  root: string;
}

export const DURABLE = { durable: true };
export const LAZY = { durable: false };

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
export const textOf = (value: Uint8Array | undefined): string | undefined =>
  value === undefined ? undefined : new TextDecoder().decode(value);

export function put(key: string, value: string): Change {
  return { key: bytes(key), value: bytes(value) };
}

export function del(key: string): Change {
  return { key: bytes(key), value: undefined };
}

export function pairs(entries: Iterable<Entry>): [string, string][] {
  return [...entries].map(({ key, value }) => [textOf(key)!, textOf(value)!]);
}

export function keysOf(reader: Reader, options?: RangeOptions): string[] {
  return pairs(reader.range(options)).map(([key]) => key);
}

/** Keys of which some are prefixes of others. */
export const KEYS = ['a', 'aa', 'ab', 'b', 'ba', 'c', 'd'];
