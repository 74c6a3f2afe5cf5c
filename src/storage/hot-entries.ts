/**
 * A cache of small, recently read entries of the newest state. A hit touches a few cache lines, where a look-up in a
 * tree or in levels touches a dozen scattered ones.
 *
 * - The cache is never stale: `invalidate` is called for every key that a commit changes, before reads see the commit.
 * - Callers pass a 32-bit hash of the key, always of the same function.
 * - An entry is admitted at its second read, so one scan over all keys changes nothing. When the ring is full, only
 *   one candidate in four is admitted: otherwise more hot entries than fit would evict each other before their next
 *   read.
 * - Entries are stored in a ring buffer. A place counts units since the beginning, so an overwritten entry is
 *   recognised by its age.
 */
import { copyOut, copyRange } from './copies.ts';
import { readU16, writeU16 } from './integers.ts';

/** The ring takes one byte per this many bytes of the engine's cache, within the bounds below. */
const CACHE_PER_HOT = 16;
const HOT_BYTES_MIN = 65_536;
const HOT_BYTES_MAX = 4_194_304;
const UNIT_BYTES = 8;
/** Bytes of the ring per slot of the table. With fewer slots, hot keys would evict each other by their hash. */
const BYTES_PER_SLOT = 32;
const KEY_BYTES_MAX = 256;
const VALUE_BYTES_MAX = 512;
/** Key size and value size before each entry. */
const HEADER_BYTES = 4;
const NOWHERE = -1;
const ADMITTED_ONE_IN = 4;
/** Places are 31-bit integers: at this limit the cache is emptied and counting starts over. */
const UNITS_MAX = 0x3fffffff;

/** A cache of the entries that are read most. */
export class HotEntries {
  /** Two numbers per slot: the place of an entry in the ring, and the hash of the last key that missed. */
  readonly #table: Int32Array;
  readonly #slotMask: number;
  readonly #ring: Uint8Array;
  readonly #ringUnits: number;
  /** Units ever written to the ring, including gaps at its end. */
  #written = 0;
  #candidates = 0;

  /**
   * `cacheBytes`: the engine's cache. This cache takes a sixteenth of it in addition, at least 64 KiB, at most 4 MiB.
   */
  constructor(cacheBytes: number) {
    const wanted = 2 ** Math.floor(Math.log2(Math.max(1, cacheBytes / CACHE_PER_HOT)));
    const bytes = Math.min(HOT_BYTES_MAX, Math.max(HOT_BYTES_MIN, wanted));
    const slots = bytes / BYTES_PER_SLOT;
    this.#table = new Int32Array(2 * slots).fill(NOWHERE);
    this.#slotMask = slots - 1;
    this.#ring = new Uint8Array(bytes);
    this.#ringUnits = bytes / UNIT_BYTES;
  }

  /** A copy of the key's value, null when the entry is not cached. */
  get(key: Uint8Array, hash: number): Uint8Array | null {
    const place = this.#table[this.#slotOf(hash)]!;
    if (place === NOWHERE || place < this.#written - this.#ringUnits) return null;
    const ring = this.#ring;
    const at = (place % this.#ringUnits) * UNIT_BYTES;
    if (readU16(ring, at) !== key.length) return null;
    const keyAt = at + HEADER_BYTES;
    for (let index = key.length - 1; index >= 0; index -= 1) if (ring[keyAt + index] !== key[index]) return null;
    const valueAt = keyAt + key.length;
    return copyOut(ring, valueAt, valueAt + readU16(ring, at + 2));
  }

  /** Offers the entry of a key that `get` did not find; it is admitted at the second offer in a row of its slot. */
  offer(key: Uint8Array, hash: number, value: Uint8Array): void {
    const slot = this.#slotOf(hash);
    if (this.#table[slot + 1] !== (hash | 0)) {
      this.#table[slot + 1] = hash;
      return;
    }
    if (key.length > KEY_BYTES_MAX || value.length > VALUE_BYTES_MAX) return;
    this.#candidates += 1;
    if (this.#written > this.#ringUnits && this.#candidates % ADMITTED_ONE_IN !== 0) return;
    this.#table[slot] = this.#append(key, value);
  }

  /** Drops the entry of the key with this hash, because its value changes. */
  invalidate(hash: number): void {
    this.#table[this.#slotOf(hash)] = NOWHERE;
  }

  #slotOf(hash: number): number {
    return (hash & this.#slotMask) << 1;
  }

  #append(key: Uint8Array, value: Uint8Array): number {
    const units = Math.ceil((HEADER_BYTES + key.length + value.length) / UNIT_BYTES);
    const left = this.#ringUnits - (this.#written % this.#ringUnits);
    if (units > left) this.#written += left;
    if (this.#written > UNITS_MAX) {
      this.#table.fill(NOWHERE);
      this.#written = 0;
    }
    const place = this.#written;
    const at = (place % this.#ringUnits) * UNIT_BYTES;
    const ring = this.#ring;
    writeU16(ring, at, key.length);
    writeU16(ring, at + 2, value.length);
    ring.set(key, at + HEADER_BYTES);
    copyRange(ring, at + HEADER_BYTES + key.length, { bytes: value, start: 0, end: value.length });
    this.#written += units;
    return place;
  }
}

/** A 32-bit hash; not part of any stored format. Words instead of bytes make a read of `cow` a tenth faster. */
export function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = end - start;
  let at = start;
  for (const last = end - 3; at < last; at += 4) {
    const word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    hash = Math.imul(hash ^ word, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  for (; at < end; at += 1) hash = Math.imul(hash ^ bytes[at]!, 0x9e3779b1);
  return hash ^ (hash >>> 13);
}
