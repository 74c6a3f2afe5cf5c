/** Builds data blocks: prefix-compressed entries, then the restart points. One writer builds many blocks. */
import { copyRange, withRoom } from '../copies.ts';
import { writeU32 } from '../integers.ts';
import { RESTART_INTERVAL } from './block.ts';
import { type KeyRange, writeVarint } from './bytes.ts';

/** One version of a key during a merge. Key and value are ranges of larger arrays, valid until the next step. */
export interface Version extends KeyRange {
  readonly sequence: number;
  readonly valueBytes: Uint8Array;
  readonly valueStart: number;
  /** 0 for a tombstone, else value length + 1. */
  readonly code: number;
}

/** Maximum size of an entry before its key: four varints of up to 8 bytes. */
const ENTRY_HEAD_BYTES_MAX = 32;

/** Collects the entries of one block after another. */
export class BlockWriter {
  #bytes = new Uint8Array(8_192);
  #used = 0;
  #entries = 0;
  #restarts: number[] = [];
  /** The last added key, in the first `keyLength` bytes. */
  key = new Uint8Array(64);
  keyLength = 0;

  get bytes(): number {
    return this.#used;
  }

  add(version: Version): void {
    const { keyBytes, keyStart, keyEnd, code } = version;
    const length = keyEnd - keyStart;
    const isRestart = this.#entries % RESTART_INTERVAL === 0;
    const shared = isRestart ? 0 : this.#sharedWith(version);
    const valueLength = code === 0 ? 0 : code - 1;
    this.#bytes = withRoom(this.#bytes, this.#used + ENTRY_HEAD_BYTES_MAX + length + valueLength);
    if (isRestart) this.#restarts.push(this.#used);
    const bytes = this.#bytes;
    let at = writeVarint(bytes, this.#used, shared);
    at = writeVarint(bytes, at, length - shared);
    at = writeVarint(bytes, at, version.sequence);
    at = writeVarint(bytes, at, code);
    at = copyRange(bytes, at, { bytes: keyBytes, start: keyStart + shared, end: keyEnd });
    const { valueBytes, valueStart } = version;
    this.#used = copyRange(bytes, at, { bytes: valueBytes, start: valueStart, end: valueStart + valueLength });
    this.#entries += 1;
    this.#keep(version, shared);
  }

  /** The payload of the block, valid until the next `add`, which begins a new block. */
  finish(): Uint8Array {
    this.#bytes = withRoom(this.#bytes, this.#used + this.#restarts.length * 4 + 4);
    for (const restart of this.#restarts) {
      writeU32(this.#bytes, this.#used, restart);
      this.#used += 4;
    }
    writeU32(this.#bytes, this.#used, this.#restarts.length);
    const payload = this.#bytes.subarray(0, this.#used + 4);
    this.#used = 0;
    this.#entries = 0;
    this.#restarts = [];
    return payload;
  }

  #sharedWith(version: Version): number {
    const { keyBytes, keyStart } = version;
    const limit = Math.min(this.keyLength, lengthOf(version));
    let shared = 0;
    while (shared < limit && this.key[shared] === keyBytes[keyStart + shared]) shared += 1;
    return shared;
  }

  #keep(version: Version, shared: number): void {
    const { keyBytes, keyStart } = version;
    const length = lengthOf(version);
    this.key = withRoom(this.key, length);
    for (let at = shared; at < length; at += 1) this.key[at] = keyBytes[keyStart + at]!;
    this.keyLength = length;
  }
}

function lengthOf(version: Version): number {
  return version.keyEnd - version.keyStart;
}
