/**
 * Reads the nodes of the Merkle tree from tiles, node records and the partial tile at the end of the log.
 *
 * - A tile holds 256 consecutive leaf hashes. Nodes above the leaves are stored at every eighth level.
 * - Reading a node costs at most one tile (or 256 node records) and 255 hashes, however long the log is.
 */
import type { Bytes, Reader } from '../engine.ts';
import { HASH_BYTES, type Hash, type NodeReader, nodeHash } from '../merkle.ts';
import { damaged } from './damage.ts';
import { nodeKey, tileKey } from './keys.ts';
import { recordAt } from './reads.ts';
import { leafOf } from './record.ts';

/** Levels of the tree that one tile spans. */
export const TILE_LEVELS = 8;
export const TILE_LEAVES = 256;

/** The leaf hashes after the last complete tile: loaded from the events when first needed, then kept up to date. */
export class PartialTile {
  readonly #reader: Reader;
  /** Index of the first leaf: a multiple of `TILE_LEAVES`. */
  #start: number;
  #leaves: Hash[] | undefined;
  #size: number;

  constructor(reader: Reader, size: number) {
    this.#reader = reader;
    this.#size = size;
    this.#start = size - (size % TILE_LEAVES);
    if (this.#start === size) this.#leaves = [];
  }

  /** The leaf at `index`, which counts from the beginning of the log and must not be below `start`. */
  leaf(index: number): Hash {
    const leaf = this.#loaded()[index - this.#start];
    if (leaf === undefined) throw damaged(`leaf ${index} is missing`);
    return leaf;
  }

  get start(): number {
    return this.#start;
  }

  /** The value of the tile that is complete once `more` is appended: its leaves, concatenated. */
  completedBy(more: readonly Hash[]): Bytes {
    const missing = TILE_LEAVES - more.length;
    const kept = missing > 0 ? this.#loaded().slice(-missing) : [];
    return Buffer.concat([...kept, ...more.slice(-TILE_LEAVES)]);
  }

  /** Appends leaves; a tile that becomes complete is dropped. */
  append(leaves: readonly Hash[]): void {
    this.#size += leaves.length;
    if (this.#leaves === undefined) {
      this.#start = this.#size - (this.#size % TILE_LEAVES);
      return;
    }
    for (const leaf of leaves) this.#leaves.push(leaf);
    const complete = this.#leaves.length - (this.#leaves.length % TILE_LEAVES);
    if (complete === 0) return;
    this.#leaves = this.#leaves.slice(complete);
    this.#start += complete;
  }

  #loaded(): Hash[] {
    if (this.#leaves !== undefined) return this.#leaves;
    const leaves: Hash[] = [];
    for (let position = this.#start + 1; position <= this.#size; position += 1) {
      leaves.push(Uint8Array.from(leafOf(recordAt(this.#reader, position))));
    }
    this.#leaves = leaves;
    return leaves;
  }
}

/** Reads nodes for proofs. `reader` must see all leaves that are asked for. */
export function nodeReader(reader: Reader, partial: PartialTile): NodeReader {
  return (treeLevel, index) => {
    const tileLevel = Math.floor(treeLevel / TILE_LEVELS);
    const count = 2 ** (treeLevel % TILE_LEVELS);
    return joinAll(hashesOf({ reader, partial, tileLevel, first: index * count, count }));
  };
}

/** Consecutive hashes of a stored level: `tileLevel` 0 has the leaves, and n the nodes at level 8 × n of the tree. */
export function hashesOf(options: {
  readonly reader: Reader;
  readonly partial: PartialTile;
  readonly tileLevel: number;
  readonly first: number;
  readonly count: number;
}): Hash[] {
  const { reader, partial, tileLevel, first, count } = options;
  if (tileLevel > 0) return Array.from({ length: count }, (_, at) => nodeAt(reader, tileLevel, first + at));
  const hashes: Hash[] = [];
  for (let at = first; at < first + count; ) {
    const end = Math.min(first + count, at + TILE_LEAVES - (at % TILE_LEAVES));
    hashes.push(...leavesAt({ reader, partial, first: at, count: end - at }));
    at = end;
  }
  return hashes;
}

function leavesAt(options: {
  readonly reader: Reader;
  readonly partial: PartialTile;
  readonly first: number;
  readonly count: number;
}): Hash[] {
  const { reader, partial, first, count } = options;
  if (first >= partial.start) return Array.from({ length: count }, (_, at) => partial.leaf(first + at));
  const number = Math.floor(first / TILE_LEAVES);
  const tile = reader.get(tileKey(number));
  if (tile === undefined || tile.length !== TILE_LEAVES * HASH_BYTES) throw damaged(`tile ${number} is missing or cut`);
  const offset = (first % TILE_LEAVES) * HASH_BYTES;
  return Array.from({ length: count }, (_, at) => {
    const start = offset + at * HASH_BYTES;
    return tile.subarray(start, start + HASH_BYTES);
  });
}

function nodeAt(reader: Reader, tileLevel: number, index: number): Hash {
  const node = reader.get(nodeKey(tileLevel, index));
  if (node === undefined || node.length !== HASH_BYTES) {
    throw damaged(`tree node ${tileLevel}/${index} is missing or cut`);
  }
  return node;
}

/** The root over nodes of one level; their number is a power of two. */
function joinAll(nodes: readonly Hash[]): Hash {
  let row = nodes;
  while (row.length > 1) {
    const above: Hash[] = [];
    for (let at = 0; at < row.length; at += 2) above.push(nodeHash(row[at]!, row[at + 1]!));
    row = above;
  }
  return row[0]!;
}
