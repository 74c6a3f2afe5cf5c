/**
 * Small entries of the newest state that were read more than once lately, side by side: reading one touches a few lines of
 * memory where the way through the tree touches a dozen in as many places.
 *
 * - Never the truth: `forget` is called for every key that a commit changes, before anybody can read.
 * - An entry is taken in at its second read, so one pass over everything leaves it as it was.
 * - Entries lie in a ring; a position is a count of bytes since the beginning, so what the ring has overwritten is known
 *   by its age.
 */
import { copyRange } from './entries.ts';
import { copyOut } from './heaps.ts';
import type { Probe } from './keys.ts';

const SLOTS = 65_536;
const RING_BYTES = 4_194_304;
const KEY_BYTES_MAX = 64;
const VALUE_BYTES_MAX = 1024;
/** In front of an entry: key size and value size. */
const HEADER_BYTES = 4;
const NOWHERE = -RING_BYTES * 2;

export class HotEntries {
  /** By hash of the key: where in the ring its entry begins. */
  readonly #positions = new Float64Array(SLOTS).fill(NOWHERE);
  /** By hash of the key: the whole hash of the last key that was read and not found here. */
  readonly #missed = new Int32Array(SLOTS);
  readonly #ring = new Uint8Array(RING_BYTES);
  /** Bytes ever written to the ring, gaps at its end included. */
  #written = 0;

  /** A copy of the key's value, or null when it is not here. */
  get(key: Uint8Array): Uint8Array | null {
    const position = this.#positions[hashOf(key, 0, key.length) & (SLOTS - 1)]!;
    if (position < this.#written - RING_BYTES) return null;
    const ring = this.#ring;
    const at = position % RING_BYTES;
    if ((ring[at]! | (ring[at + 1]! << 8)) !== key.length) return null;
    const keyAt = at + HEADER_BYTES;
    for (let index = key.length - 1; index >= 0; index -= 1) if (ring[keyAt + index] !== key[index]) return null;
    const valueAt = keyAt + key.length;
    return copyOut(ring, valueAt, valueAt + (ring[at + 2]! | (ring[at + 3]! << 8)));
  }

  /** The tree answered for a key that `get` did not know. */
  saw(key: Uint8Array, value: Uint8Array): void {
    if (key.length > KEY_BYTES_MAX || value.length > VALUE_BYTES_MAX) return;
    const hash = hashOf(key, 0, key.length);
    const slot = hash & (SLOTS - 1);
    if (this.#missed[slot] !== hash) {
      this.#missed[slot] = hash;
      return;
    }
    this.#positions[slot] = this.#append(key, value);
  }

  /** The key's value changes. */
  forget(key: Probe): void {
    this.#positions[hashOf(key.bytes, key.start, key.end) & (SLOTS - 1)] = NOWHERE;
  }

  #append(key: Uint8Array, value: Uint8Array): number {
    const size = HEADER_BYTES + key.length + value.length;
    const left = RING_BYTES - (this.#written % RING_BYTES);
    if (size > left) this.#written += left;
    const position = this.#written;
    const at = position % RING_BYTES;
    const ring = this.#ring;
    ring[at] = key.length;
    ring[at + 1] = key.length >>> 8;
    ring[at + 2] = value.length;
    ring[at + 3] = value.length >>> 8;
    ring.set(key, at + HEADER_BYTES);
    copyRange(ring, at + HEADER_BYTES + key.length, { bytes: value, start: 0, end: value.length });
    this.#written += size;
    return position;
  }
}

function hashOf(bytes: Uint8Array, start: number, end: number): number {
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
