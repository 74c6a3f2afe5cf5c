/** Temporary views of one projection, and how far events are folded into them. */
import { decodeEvent } from '../../events/decode.ts';
import type { EventTable } from '../../events/define.ts';
import { TimeSlices } from '../../lib/slices.ts';
import type { Projection } from '../../projections/projection.ts';
import { openTemporaryViews, type Views, type ViewsStore } from '../../projections/views.ts';
import type { EventLog, EventPlace, RecordedEvent } from '../../storage/event-log.ts';

export interface CategoryRange {
  readonly categories: readonly string[];
  readonly through: number;
  /** Milliseconds after which folding stops; at least one slice is folded. */
  readonly msMax: number;
  readonly signal: AbortSignal;
}

export class PastFold {
  readonly #projection: Projection;
  readonly #events: EventTable;
  readonly #store: ViewsStore;
  #newest: RecordedEvent | null = null;
  /** Log positions of the events that are still to be folded, up to the position `#placesThrough`. */
  #places: Places | null = null;
  #placesThrough = 0;
  #place: EventPlace | undefined;
  #hasFailed = false;

  constructor(projection: Projection, events: EventTable) {
    this.#projection = projection;
    this.#events = events;
    this.#store = openTemporaryViews();
    this.#store.exec(projection.create);
    // One transaction that is never committed, because SQLite would otherwise commit after each statement.
    this.#store.begin();
  }

  get views(): Views {
    this.#projection.complete?.(this.#store);
    return this.#store;
  }

  /** The newest folded event. */
  get newest(): RecordedEvent | null {
    return this.#newest;
  }

  /** Its position, 0 before the first one. */
  get position(): number {
    return this.#newest?.position ?? 0;
  }

  /** False after a fold threw, because the views may hold a part of its event. */
  get isSound(): boolean {
    return !this.#hasFailed;
  }

  add(event: RecordedEvent): void {
    try {
      const decoded = decodeEvent(this.#events, event);
      if (decoded.kind === 'event') this.#projection.on[event.type]?.(this.#store, decoded.event);
      this.#newest = event;
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    }
  }

  /** Folds the events of the categories up to a position. Returns false when the time ran out before. */
  async addCategories(log: EventLog, range: CategoryRange): Promise<boolean> {
    const { through, msMax, signal } = range;
    const end = performance.now() + msMax;
    const slices = new TimeSlices();
    for (;;) {
      const place = await this.#nextPlace(log, range);
      if (place === undefined) return true;
      const after = Math.max(place.position - 1, this.position);
      const last = Math.min(place.position + place.count - 1, through);
      for (const event of log.readAll({ after, limit: last - after })) {
        this.add(event);
        if (!slices.isOver) continue;
        if (performance.now() >= end) return false;
        await slices.next();
        signal.throwIfAborted();
      }
    }
  }

  close(): void {
    this.#store.close();
  }

  /** The place with the next events up to a position; undefined when all of them are folded. */
  async #nextPlace(log: EventLog, { categories, through, signal }: CategoryRange): Promise<EventPlace | undefined> {
    for (;;) {
      this.#place ??= this.#places?.take();
      if (this.#place !== undefined) {
        const isFolded = this.position >= this.#place.position + this.#place.count - 1;
        if (!isFolded) return this.#place.position > through || this.position >= through ? undefined : this.#place;
        this.#place = undefined;
        continue;
      }
      if (this.#placesThrough >= through) return undefined;
      // Read up to the head, so that later moments need no second read.
      const head = log.head().position;
      this.#places = await Places.read(log, { categories, after: this.#placesThrough, through: head }, signal);
      this.#placesThrough = head;
    }
  }
}

const BLOCK_PLACES = 65_536;
/** An append has at most 10 000 events, so that a position and a count fit into one number of 53 bits. */
const COUNT_BASE = 16_384;

/**
 * The log positions of a category's events in order. The stream index has them by stream; here they are sorted in
 * blocks, and the blocks are merged while they are read, so that no step holds the event loop for long.
 *
 * - A place costs 8 bytes.
 */
class Places {
  readonly #blocks: { readonly sorted: Float64Array; next: number }[] = [];
  #unsorted: number[] = [];

  /** Reads the places of the categories after the position `after` up to the position `through`. */
  static async read(
    log: EventLog,
    { categories, after, through }: { categories: readonly string[]; after: number; through: number },
    signal: AbortSignal,
  ): Promise<Places> {
    const places = new Places();
    const slices = new TimeSlices();
    for (const category of categories) {
      for (const place of log.placesOf(category)) {
        places.#add(place, after, through);
        if (slices.isOver) await slices.next();
        signal.throwIfAborted();
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
