/**
 * Audit paths (RFC 9162 §2.1.3.1) for many leaves of one tree, from its tiles: each hash is read or computed once, so
 * a path costs little after the first.
 */
import { hash } from 'node:crypto';
import { TILE_HASHES } from './tile.ts';

/** Hashes of a level of tiles, 32 bytes each, one after the other; level 0 holds the leaf hashes. */
export type ReadTreeHashes = (range: {
  readonly level: number;
  readonly first: number;
  readonly count: number;
}) => Uint8Array;

const HASH_BYTES = 32;
const TILE_HEIGHT = 8;
const NODE = Buffer.of(0x01);

export class TreePaths {
  readonly #read: ReadTreeHashes;
  readonly #size: number;
  readonly #tiles = new Map<string, Buffer>();
  /** By first leaf and number of leaves. */
  readonly #nodes = new Map<string, Buffer>();

  /** Of the first `size` leaves. */
  constructor(read: ReadTreeHashes, size: number) {
    this.#read = read;
    this.#size = size;
  }

  /** From the sibling of the leaf upward. `index` counts from 0 and is less than the size. */
  path(index: number): readonly Uint8Array[] {
    const siblings: Uint8Array[] = [];
    let [first, count] = [0, this.#size];
    while (count > 1) {
      const left = leftCount(count);
      const isLeft = index < first + left;
      siblings.push(isLeft ? this.#node(first + left, count - left) : this.#node(first, left));
      [first, count] = isLeft ? [first, left] : [first + left, count - left];
    }
    return siblings.reverse();
  }

  /** The hash over `count` leaves from `first`, which is a multiple of the next power of two. */
  #node(first: number, count: number): Buffer {
    const level = Math.log2(count) / TILE_HEIGHT;
    if (Number.isInteger(level)) return this.#tileHash(level, first / count);
    const key = `${first} ${count}`;
    let node = this.#nodes.get(key);
    if (node === undefined) {
      const left = leftCount(count);
      const children = [this.#node(first, left), this.#node(first + left, count - left)];
      node = hash('sha256', Buffer.concat([NODE, ...children]), 'buffer');
      this.#nodes.set(key, node);
    }
    return node;
  }

  #tileHash(level: number, index: number): Buffer {
    const number = Math.floor(index / TILE_HASHES);
    const key = `${level} ${number}`;
    let tile = this.#tiles.get(key);
    if (tile === undefined) {
      const first = number * TILE_HASHES;
      const count = Math.min(TILE_HASHES, Math.floor(this.#size / TILE_HASHES ** level) - first);
      tile = Buffer.from(this.#read({ level, first, count }));
      this.#tiles.set(key, tile);
    }
    const at = (index % TILE_HASHES) * HASH_BYTES;
    return tile.subarray(at, at + HASH_BYTES);
  }
}

/** The largest power of two that is less than `count`. */
function leftCount(count: number): number {
  return 2 ** Math.ceil(Math.log2(count) - 1);
}
