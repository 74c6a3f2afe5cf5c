/**
 * What the log holds in memory: its head and a bounded cache of stream versions.
 *
 * - It is always the state of the last commit that resolved; a failed commit leaves it untouched.
 */
import type { Reader } from '../engine.ts';
import { EMPTY_FRONTIER, type Frontier } from '../merkle.ts';
import { runKey } from './keys.ts';
import type { Head } from './record.ts';
import { decodeRun } from './run.ts';

export interface LogState {
  frontier: Frontier;
  newestId: string;
  /** Time of the last event, null in an empty log. */
  at: number | null;
  readonly versions: StreamVersions;
}

/** The head of a log without events, which has no head record. */
export const EMPTY_HEAD: Head = { frontier: EMPTY_FRONTIER, newestId: '' };

/** Streams in each of the two generations. */
const CACHED_STREAMS_MAX = 2_048;
/** Categories whose highest stream is kept; their number is that of the kinds of things there are. */
const CATEGORIES_MAX = 256;
const PRINTABLE = /^[ -~]*$/;

/**
 * Versions by stream, in two generations: what is not used while the young one fills is dropped with the old one. (To
 * find the oldest key of one map would cost a walk over all that were deleted before it.)
 *
 * Names often ascend, as their ids do: what comes after the highest stream of its category (the name up to the first
 * `-`) is new, without a look at the store.
 */
export class StreamVersions {
  readonly #reader: Reader;
  #young = new Map<string, number>();
  #old = new Map<string, number>();
  /** The highest stream of each category that was asked for; '' while it has none. */
  readonly #highest = new Map<string, string>();

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  get(stream: string): number {
    if (this.#isNew(stream)) return 0;
    const cached = this.#young.get(stream);
    if (cached !== undefined) return cached;
    const version = this.#old.get(stream) ?? this.#read(stream);
    this.#remember(stream, version);
    return version;
  }

  /** The stream has grown. Of one that is new only the place is kept: most are written once and not looked at again. */
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

  /** Said only of printable names: beside them every name stands in the same order as text and as bytes. */
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

  /** Of the printable names; the others are above them. */
  #lastOf(category: string): string {
    const bounds = { gte: runKey(category, 0), lt: runKey(`${category}\x7f`, 0), reverse: true, limit: 1 };
    for (const entry of this.#reader.range(bounds)) return decodeRun(entry).stream;
    return '';
  }

  /** A stream that holds anything has a run that begins at 1: that there is none is known without a walk. */
  #read(stream: string): number {
    if (this.#reader.get(runKey(stream, 1)) === undefined) return 0;
    const bounds = { gte: runKey(stream, 0), lte: runKey(stream, Number.MAX_SAFE_INTEGER), reverse: true, limit: 1 };
    for (const entry of this.#reader.range(bounds)) {
      const run = decodeRun(entry);
      return run.version + run.count - 1;
    }
    return 0;
  }
}

/** With its hyphen; '' of a name that has none. */
function categoryOf(stream: string): string {
  return stream.slice(0, stream.indexOf('-') + 1);
}
