/** Temporary views of one projection, and how far events are folded into them. */
import { decodeEvent } from '../../events/decode.ts';
import type { EventTable } from '../../events/define.ts';
import { TimeSlices } from '../../lib/slices.ts';
import type { Projection } from '../../projections/projection.ts';
import { openTemporaryViews, type Views, type ViewsStore } from '../../projections/views.ts';
import type { EventLog, EventPlace, RecordedEvent } from '../../storage/event-log.ts';
import { Places } from './places.ts';

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
