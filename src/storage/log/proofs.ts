/** Hashes and proofs of the tree over the events that the log has. */
import type { Reader } from '../engine.ts';
import type { ConsistencyProof, InclusionProof, TreeHashRange } from '../event-log.ts';
import { consistencyPath, inclusionPath, type NodeReader, treeHash } from '../merkle.ts';
import { recordAt } from './reads.ts';
import { leafOf, toHex } from './record.ts';
import { type LogState, treeOf } from './state.ts';
import { hashesOf, nodeReader, type PartialTile, TILE_LEAVES } from './tiles.ts';

export interface ProofsParts {
  readonly reader: Reader;
  readonly state: LogState;
  readonly partialTile: PartialTile;
}

/** The proofs of `EventLog`. Every method throws `RangeError` for positions and sizes that the log does not have. */
export class Proofs {
  readonly #parts: ProofsParts;
  readonly #nodes: NodeReader;

  constructor(parts: ProofsParts) {
    this.#parts = parts;
    this.#nodes = nodeReader(parts.reader, parts.partialTile);
  }

  treeHash(size: number): string {
    this.#checkSize(size);
    const { state } = this.#parts;
    return toHex(size === state.frontier.size ? treeOf(state) : treeHash(size, this.#nodes));
  }

  inclusion(position: number, size: number): InclusionProof {
    this.#checkSize(size);
    if (!Number.isSafeInteger(position) || position < 1 || position > size) {
      throw new RangeError(`The position must lie between 1 and ${size}; it is ${position}.`);
    }
    const leafHash = toHex(leafOf(recordAt(this.#parts.reader, position)));
    const path = inclusionPath(position - 1, size, this.#nodes).map(toHex);
    return { position, size, leafHash, path, treeHash: this.treeHash(size) };
  }

  consistency(from: number, to: number): ConsistencyProof {
    this.#checkSize(to);
    this.#checkSize(from);
    if (from > to)
      throw new RangeError(`A consistency proof goes from a smaller size to a larger, not ${from} to ${to}.`);
    const path = consistencyPath(from, to, this.#nodes).map(toHex);
    return { from, to, path, fromHash: this.treeHash(from), toHash: this.treeHash(to) };
  }

  treeHashes({ level, first, count }: TreeHashRange): Uint8Array {
    const { reader, state, partialTile: partial } = this.#parts;
    const available = Math.floor(state.frontier.size / TILE_LEAVES ** level);
    if (
      ![level, first, count].every((value) => Number.isSafeInteger(value) && value >= 0) ||
      first + count > available
    ) {
      throw new RangeError(`The tree has ${available} hashes at level ${level}; ${count} from ${first} are not there.`);
    }
    return Buffer.concat(hashesOf({ reader, partial, tileLevel: level, first, count }));
  }

  #checkSize(size: number): void {
    const head = this.#parts.state.frontier.size;
    if (Number.isSafeInteger(size) && size >= 0 && size <= head) return;
    throw new RangeError(`A tree size must be a whole number from 0 to ${head}; it is ${size}.`);
  }
}
