/**
 * The log positions of a category's events in order. The stream index has them by stream; here they are sorted in
 * blocks, and the blocks are merged while they are read, so that no step holds the event loop for long.
 *
 * - A place costs 8 bytes.
 */
import { TimeSlices } from '../../lib/slices.ts';
import type { EventLog, EventPlace } from '../../storage/event-log.ts';

const BLOCK_PLACES = 65_536;
/** An append has at most 10 000 events, so that a position and a count fit into one number of 53 bits. */
const COUNT_BASE = 16_384;

export class Places {
  readonly #blocks: { readonly sorted: Float64Array; next: number }[] = [];
  #unsorted: number[] = [];

  /** Reads the places of the categories after the position `after` up to the position `through`. */
  static async read(
    log: EventLog,
    { categories, after, through }: { categories: readonly string[]; after: number; through: number },
    signal: AbortSignal | undefined,
  ): Promise<Places> {
    const places = new Places();
    const slices = new TimeSlices();
    for (const category of categories) {
      for (const place of log.placesOf(category)) {
        places.#add(place, after, through);
        if (slices.isOver) await slices.next();
        signal?.throwIfAborted();
      }
    }
    places.#sort();
    return places;
  }

  /** Removes and returns the next place; undefined after the last one. */
  take(): EventPlace | undefined {
    let lowest: { readonly sorted: Float64Array; next: number } | undefined;
    for (const block of this.#blocks) {
      if (block.next === block.sorted.length) continue;
      if (lowest === undefined || block.sorted[block.next]! < lowest.sorted[lowest.next]!) lowest = block;
    }
    if (lowest === undefined) return undefined;
    const packed = lowest.sorted[lowest.next]!;
    lowest.next += 1;
    return { position: Math.floor(packed / COUNT_BASE), count: packed % COUNT_BASE };
  }

  #add({ position, count }: EventPlace, after: number, through: number): void {
    const first = Math.max(position, after + 1);
    const last = Math.min(position + count - 1, through);
    if (first > last) return;
    this.#unsorted.push(first * COUNT_BASE + (last - first + 1));
    if (this.#unsorted.length === BLOCK_PLACES) this.#sort();
  }

  #sort(): void {
    if (this.#unsorted.length > 0) this.#blocks.push({ sorted: Float64Array.from(this.#unsorted).sort(), next: 0 });
    this.#unsorted = [];
  }
}
