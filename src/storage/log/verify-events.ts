/** The first half of `verify`: checks every event in order and recomputes the Merkle tree. */
import type { Bytes, Reader } from '../engine.ts';
import type { RecordedEvent } from '../event-log.ts';
import { EMPTY_FRONTIER, equalHashes, GrowingFrontier, type Hash } from '../merkle.ts';
import { damaged, type Note } from './damage.ts';
import { envelopeFault } from './envelope.ts';
import { erasedIn } from './erase.ts';
import { eventKey, idKey, nodeKey, numberOf, readNumber, tileKey } from './keys.ts';
import { decodeEvent, isErased, isIntact, leafOf, sealIn, toHex } from './record.ts';
import { TILE_LEAVES, TILE_LEVELS } from './tiles.ts';

/** The state that follows from the events, complete after `run`. */
export class EventCheck {
  readonly frontier = new GrowingFrontier(EMPTY_FRONTIER);
  newestId = '';
  /** Number of stored inner nodes. */
  nodes = 0;
  /** Names of the streams; other members refer to a stream by its index here. */
  readonly streams: string[] = [];
  /** Version of the last event, by stream. */
  readonly versions: number[] = [];
  /** Stream of the event at index position − 1. */
  streamOf = new Uint32Array(1_024);
  /** Version of the event at index position − 1. */
  versionOf = new Float64Array(1_024);
  readonly #reader: Reader;
  readonly #note: Note;
  readonly #numbers = new Map<string, number>();
  /** Seals of erased records by position, until the `PayloadErased` event that names them is found. */
  readonly #erasedSeals = new Map<number, string>();
  /** Seals that `PayloadErased` events name, by position, until the erased record is found. */
  readonly #recordedSeals = new Map<number, string>();
  #leaves: Hash[] = [];

  constructor(reader: Reader, note: Note) {
    this.#reader = reader;
    this.#note = note;
  }

  /** Yields each position after it was checked. */
  *run(): Generator<number> {
    for (const { key, value } of this.#reader.range({ gte: eventKey(0), lte: eventKey(Number.MAX_SAFE_INTEGER) })) {
      const position = this.frontier.size + 1;
      if (numberOf(key) !== position) throw damaged(`the event at position ${position} is missing`);
      this.#addLeaf(leafOf(value));
      this.#check(value, position);
      yield position;
    }
    for (const position of this.#erasedSeals.keys()) this.#note(`position ${position} is erased but no event says so`);
    for (const position of this.#recordedSeals.keys())
      this.#note(`position ${position} is recorded as erased and is not`);
  }

  #check(record: Bytes, position: number): void {
    this.#grow(position);
    if (!isIntact(record)) {
      this.#note(`the event at position ${position} does not match its ${isErased(record) ? 'seal' : 'leaf hash'}`);
      return;
    }
    const event = decodeEvent(record, position);
    const fault = envelopeFault(record, event);
    if (fault !== undefined) {
      this.#note(`the event at position ${position} is not as this log writes it: ${fault}`);
      return;
    }
    this.#checkVersion(event);
    const place = this.#reader.get(idKey(event.id));
    if (place === undefined || place.length !== 8 || readNumber(place, 0) !== position) {
      this.#note(`the id of the event at position ${position} is not in the index`);
    }
    if (event.id > this.newestId) this.newestId = event.id;
    if (event.erased) this.#match(this.#recordedSeals, this.#erasedSeals, { position, seal: toHex(sealIn(record)) });
    for (const erased of erasedIn(event)) this.#match(this.#erasedSeals, this.#recordedSeals, erased);
  }

  #checkVersion({ stream, version, position }: RecordedEvent): void {
    let number = this.#numbers.get(stream);
    if (number === undefined) {
      number = this.streams.push(stream) - 1;
      this.versions.push(0);
      this.#numbers.set(stream, number);
    }
    const expected = this.versions[number]! + 1;
    if (version !== expected)
      this.#note(`position ${position} is version ${version} of ${stream}, expected ${expected}`);
    this.versions[number] = version;
    this.streamOf[position - 1] = number;
    this.versionOf[position - 1] = version;
  }

  /** Matches an erased record with the event that records its erasure, whichever comes first. */
  #match(
    others: Map<number, string>,
    unmatched: Map<number, string>,
    { position, seal }: { readonly position: number; readonly seal: string },
  ): void {
    const other = others.get(position);
    if (other === undefined) {
      unmatched.set(position, seal);
      return;
    }
    if (other !== seal) this.#note(`the tombstone at position ${position} is not the one its erasure recorded`);
    others.delete(position);
  }

  #addLeaf(leaf: Hash): void {
    this.#leaves.push(leaf);
    this.frontier.append(leaf, (level, index, node) => {
      if (level % TILE_LEVELS !== 0) return;
      this.nodes += 1;
      this.#checkStored(nodeKey(level / TILE_LEVELS, index), node, `tree node ${level / TILE_LEVELS}/${index}`);
      if (level === TILE_LEVELS) this.#checkStored(tileKey(index), Buffer.concat(this.#leaves), `tile ${index}`);
    });
    if (this.#leaves.length === TILE_LEAVES) this.#leaves = [];
  }

  #checkStored(key: Bytes, expected: Bytes, name: string): void {
    const stored = this.#reader.get(key);
    if (stored === undefined) this.#note(`${name} is missing`);
    else if (!equalHashes(stored, expected)) this.#note(`${name} is not what the events say`);
  }

  /** Grows both columns to hold the position. */
  #grow(position: number): void {
    if (position <= this.streamOf.length) return;
    const streamOf = new Uint32Array(this.streamOf.length * 2);
    streamOf.set(this.streamOf);
    this.streamOf = streamOf;
    const versionOf = new Float64Array(this.versionOf.length * 2);
    versionOf.set(this.versionOf);
    this.versionOf = versionOf;
  }
}
