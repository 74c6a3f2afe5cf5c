/**
 * Small entries of the newest state that were read more than once lately, side by side: reading one touches a few
 * lines of memory where the way through a tree or through levels touches a dozen in as many places.
 *
 * - Never the truth: `forget` is called for every key that a commit changes, before anybody can read.
 * - Who asks brings a hash of 32 bits, always of the same kind.
 * - An entry is taken in at its second read, so one pass over everything leaves it as it was. Once the ring is full,
 *   one of four is: more hot entries than it holds would push each other out before they are read again.
 * - Entries lie in a ring; a place counts units since the beginning, so what the ring has overwritten is known by its
 *   age.
 */
import { copyOut, copyRange } from './copies.ts';

/** Bytes of cache for one byte here, and the bounds. */
const CACHE_PER_HOT = 16;
const HOT_BYTES_MIN = 65_536;
const HOT_BYTES_MAX = 4_194_304;
const UNIT_BYTES = 8;
/** Bytes of the ring for one slot of the table: with fewer slots than this, hot keys would keep each other out. */
const BYTES_PER_SLOT = 32;
const KEY_BYTES_MAX = 256;
const VALUE_BYTES_MAX = 512;
/** In front of an entry: key size and value size. */
const HEADER_BYTES = 4;
const NOWHERE = -1;
const TAKEN_OF_FULL = 4;
/** Places are small integers: beyond this everything is forgotten and counting begins anew. */
const UNITS_MAX = 0x3fffffff;

export class HotEntries {
  /** By hash of the key: where in the ring its entry begins, and the hash of the last key missed. */
  readonly #table: Int32Array;
  readonly #slotMask: number;
  readonly #ring: Uint8Array;
  readonly #ringUnits: number;
  /** Units ever written to the ring, gaps at its end included. */
  #written = 0;
  #asked = 0;

  /** For an engine with so much cache: it takes a sixteenth of that besides, but 4 MiB at most. */
  constructor(cacheBytes: number) {
    const wanted = 2 ** Math.floor(Math.log2(Math.max(1, cacheBytes / CACHE_PER_HOT)));
    const bytes = Math.min(HOT_BYTES_MAX, Math.max(HOT_BYTES_MIN, wanted));
    const slots = bytes / BYTES_PER_SLOT;
    this.#table = new Int32Array(2 * slots).fill(NOWHERE);
    this.#slotMask = slots - 1;
    this.#ring = new Uint8Array(bytes);
    this.#ringUnits = bytes / UNIT_BYTES;
  }

  /** A copy of the key's value, or null when it is not here. */
  get(key: Uint8Array, hash: number): Uint8Array | null {
    const place = this.#table[this.#slotOf(hash)]!;
    if (place === NOWHERE || place < this.#written - this.#ringUnits) return null;
    const ring = this.#ring;
    const at = (place % this.#ringUnits) * UNIT_BYTES;
    if ((ring[at]! | (ring[at + 1]! << 8)) !== key.length) return null;
    const keyAt = at + HEADER_BYTES;
    for (let index = key.length - 1; index >= 0; index -= 1) if (ring[keyAt + index] !== key[index]) return null;
    const valueAt = keyAt + key.length;
    return copyOut(ring, valueAt, valueAt + (ring[at + 2]! | (ring[at + 3]! << 8)));
  }

  /** The value of a key that `get` did not find. */
  offer(key: Uint8Array, hash: number, value: Uint8Array): void {
    const slot = this.#slotOf(hash);
    if (this.#table[slot + 1] !== (hash | 0)) {
      this.#table[slot + 1] = hash;
      return;
    }
    if (key.length > KEY_BYTES_MAX || value.length > VALUE_BYTES_MAX) return;
    this.#asked += 1;
    if (this.#written > this.#ringUnits && this.#asked % TAKEN_OF_FULL !== 0) return;
    this.#table[slot] = this.#append(key, value);
  }

  /** The value of the key with this hash changes. */
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
    ring[at] = key.length;
    ring[at + 1] = key.length >>> 8;
    ring[at + 2] = value.length;
    ring[at + 3] = value.length >>> 8;
    ring.set(key, at + HEADER_BYTES);
    copyRange(ring, at + HEADER_BYTES + key.length, { bytes: value, start: 0, end: value.length });
    this.#written += units;
    return place;
  }
}

/** Quick, and good enough for this: not part of any format. */
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
