/**
 * The state that the log keeps in memory: its head and a bounded cache of stream versions.
 *
 * - It always equals the last commit that resolved; a failed commit leaves it unchanged.
 */
import type { Reader } from '../engine.ts';
import type { LogHead } from '../event-log.ts';
import { EMPTY_FRONTIER, equalHashes, type Frontier, frontierHash, type Hash } from '../merkle.ts';
import { damaged } from './damage.ts';
import { eventKey, HEAD_KEY, streamIndexKey } from './keys.ts';
import { decodeEvent, decodeHead, type Head, isIntact, leafOf, toHex } from './record.ts';
import { decodeIndexEntry } from './stream-index.ts';

export interface LogState {
  frontier: Frontier;
  /** The root hash of the frontier; null until `treeOf` computes it. */
  tree: Hash | null;
  newestId: string;
  /** Time of the last event, null in an empty log. */
  at: number | null;
  readonly versions: StreamVersions;
}

/** The head of an empty log, which has no head record. */
export const EMPTY_HEAD: Head = { frontier: EMPTY_FRONTIER, newestId: '' };

/** Reads and compares the head and the last event. Throws `STORAGE_CORRUPT` when they do not match. */
export function loadState(reader: Reader): LogState {
  const head = reader.get(HEAD_KEY);
  const versions = new StreamVersions(reader);
  if (head === undefined) {
    for (const _ of reader.range({ limit: 1 })) throw damaged('it holds records but no head');
    return { ...EMPTY_HEAD, tree: null, at: null, versions };
  }
  const { frontier, newestId } = decodeHead(head);
  if (frontier.size === 0) throw damaged('its head counts no event');
  if (reader.get(eventKey(frontier.size + 1)) !== undefined) {
    throw damaged(`it holds an event after its head, position ${frontier.size}`);
  }
  const last = reader.get(eventKey(frontier.size));
  if (last === undefined) throw damaged(`the last event, position ${frontier.size}, is missing`);
  if (!isIntact(last)) throw damaged(`the last event, position ${frontier.size}, does not match its leaf hash`);
  if (frontier.size % 2 === 1 && !equalHashes(frontier.roots.at(-1)!, leafOf(last))) {
    throw damaged('its head does not fit the last event');
  }
  return { frontier, tree: null, newestId, at: decodeEvent(last, frontier.size).at, versions };
}

/** The root hash of the log. */
export function treeOf(state: LogState): Hash {
  state.tree ??= frontierHash(state.frontier);
  return state.tree;
}

/** The head as it is now. Its hash is computed when it is read, because most callers need the position only. */
export function headOf(state: LogState): LogHead {
  const { frontier, at } = state;
  return {
    position: frontier.size,
    get treeHash() {
      return toHex(frontier === state.frontier ? treeOf(state) : frontierHash(frontier));
    },
    at,
  };
}

/** Size of each of the two generations. */
const CACHED_STREAMS_MAX = 2_048;
/** Categories whose highest stream is kept. A category stands for a kind of aggregate, so there are few. */
const CATEGORIES_MAX = 256;
const PRINTABLE = /^[ -~]*$/;

/**
 * The version of each stream, cached in two generations: when the young generation is full it becomes the old one, and
 * the old one is dropped. (An LRU order in one map would cost a walk over its deleted keys.)
 *
 * Stream names often ascend, because ids do. A name greater than the highest one of its category (the name up to the
 * first `-`) is therefore new and needs no look-up in the store, which takes a fifth of an append to `embedded_kv`.
 */
class StreamVersions {
  readonly #reader: Reader;
  #young = new Map<string, number>();
  #old = new Map<string, number>();
  /** The highest stream of each category in use; '' while the category is empty. */
  readonly #highest = new Map<string, string>();

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** 0 for a stream that does not exist. */
  get(stream: string): number {
    if (this.#isNew(stream)) return 0;
    const cached = this.#young.get(stream);
    if (cached !== undefined) return cached;
    const version = this.#old.get(stream) ?? this.#read(stream);
    this.#remember(stream, version);
    return version;
  }

  /** Records an append. A new stream only becomes the highest of its category: most are written once and not read. */
  set(stream: string, version: number): void {
    if (this.#isNew(stream)) this.#highest.set(categoryOf(stream), stream);
    else this.#remember(stream, version);
  }

  #remember(stream: string, version: number): void {
    if (this.#young.size >= CACHED_STREAMS_MAX) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(stream, version);
  }

  /** True only for printable names, whose order as text equals their order as bytes. */
  #isNew(stream: string): boolean {
    const category = categoryOf(stream);
    if (category === '' || !PRINTABLE.test(stream)) return false;
    let highest = this.#highest.get(category);
    if (highest === undefined) {
      if (this.#highest.size >= CATEGORIES_MAX) this.#highest.clear();
      highest = this.#lastOf(category);
      this.#highest.set(category, highest);
    }
    return stream > highest;
  }

  /** The highest printable name of the category; other names sort above it. */
  #lastOf(category: string): string {
    const bounds = {
      gte: streamIndexKey(category, 0),
      lt: streamIndexKey(`${category}\x7f`, 0),
      reverse: true,
      limit: 1,
    };
    for (const entry of this.#reader.range(bounds)) return decodeIndexEntry(entry).stream;
    return '';
  }

  /** A stream that exists has an index entry at version 1, so its absence is known without a range read. */
  #read(stream: string): number {
    if (this.#reader.get(streamIndexKey(stream, 1)) === undefined) return 0;
    const bounds = {
      gte: streamIndexKey(stream, 0),
      lte: streamIndexKey(stream, Number.MAX_SAFE_INTEGER),
      reverse: true,
      limit: 1,
    };
    for (const entry of this.#reader.range(bounds)) {
      const { version, count } = decodeIndexEntry(entry);
      return version + count - 1;
    }
    return 0;
  }
}

/** The category of a stream with its hyphen; '' when the name has none. */
function categoryOf(stream: string): string {
  return stream.slice(0, stream.indexOf('-') + 1);
}
