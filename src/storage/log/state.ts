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
const CACHED_STREAMS_MAX = 8_192;

/**
 * Versions by stream, in two generations: what is not used while the young one fills is dropped with the old one. (To
 * find the oldest key of one map would cost a walk over all that were deleted before it.)
 */
export class StreamVersions {
  readonly #reader: Reader;
  #young = new Map<string, number>();
  #old = new Map<string, number>();

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  get(stream: string): number {
    const cached = this.#young.get(stream);
    if (cached !== undefined) return cached;
    const version = this.#old.get(stream) ?? this.#read(stream);
    this.set(stream, version);
    return version;
  }

  set(stream: string, version: number): void {
    if (this.#young.size >= CACHED_STREAMS_MAX) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(stream, version);
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
