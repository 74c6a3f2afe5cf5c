/**
 * Folds a batch of events into the rows of one projection.
 *
 * - Events are decoded before they are folded: parsed with the schema of their version and upcast. Those that the
 *   command handler appended in this process were checked when they were written and are folded as they are.
 * - An erased payload is skipped, unless the definition of the event has data for that case. An unknown type is
 *   skipped, unless its category is one of this program: then a newer program wrote it, and it stops the projections
 *   that fold the category.
 */
import { decodeEvent, EventSchemaError, NewerEventError, UNKNOWN_TYPE_FAULT } from '../events/decode.ts';
import type { EventTable } from '../events/define.ts';
import type { Projection, Seen } from '../projections/projection.ts';
import type { ViewsStore } from '../projections/views.ts';
import type { RecordedEvent } from '../storage/event-log.ts';

/** A decoded event, or why it cannot be decoded. */
type Foldable = Seen | EventSchemaError;

/**
 * The categories whose events a program knows, and single streams of other categories, each with the names of the
 * projections that fold it.
 */
export type FoldedCategories = ReadonlyMap<string, ReadonlySet<string>>;

/** Consecutive events of the log. */
export interface FoldBatch {
  /** Number of events covered, including skipped ones. */
  readonly size: number;
  readonly first: number;
  readonly last: number;
  readonly types: ReadonlySet<string>;
  readonly events: readonly Foldable[];
  /** Events of unknown types in known categories. */
  readonly newer: readonly NewerEvent[];
}

interface NewerEvent {
  readonly error: NewerEventError;
  /** The names of the projections that it stops. */
  readonly stops: ReadonlySet<string>;
}

/** A fold that threw, or data that fits no schema: the fault of one projection. */
export class FoldError extends Error {
  readonly projection: string;

  constructor(projection: string, position: number, cause: unknown) {
    super(`The projection ${projection} failed at position ${position}: ${(cause as Error).message}`, { cause });
    this.projection = projection;
  }
}

/** Events that the command handler has appended in this process, or is about to append. */
export function appendedBatch(events: readonly Seen[]): FoldBatch {
  return batchOf(events, events, []);
}

/** Events that were read from the log. */
export function storedBatch(
  events: readonly RecordedEvent[],
  table: EventTable,
  categories: FoldedCategories = NO_CATEGORIES,
): FoldBatch {
  const newer: NewerEvent[] = [];
  const foldable = events.flatMap((event) => {
    const results = decoded(table, event);
    const stops = results === null ? projectionsOf(event.stream, categories) : undefined;
    if (stops !== undefined) newer.push({ error: new NewerEventError(event, UNKNOWN_TYPE_FAULT), stops });
    return results ?? [];
  });
  return batchOf(events, foldable, newer);
}

const NO_CATEGORIES: FoldedCategories = new Map();

/** The projections that stop at an event of the stream that this program does not know; undefined: none of its own. */
export function projectionsOf(stream: string, categories: FoldedCategories): ReadonlySet<string> | undefined {
  return categories.get(stream.split('-', 1)[0]!) ?? categories.get(stream);
}

/** Whether events can be folded as they are: all of types and versions of this program, with their payloads. */
export function areCurrent(events: readonly RecordedEvent[], table: EventTable): boolean {
  return events.every(({ type, schema, erased }) => table[type]?.version === schema && erased !== true);
}

/** Folds the events of the batch after the position `after`. Throws `FoldError`. */
export function foldBatch(projection: Projection, batch: FoldBatch, store: ViewsStore, after: number): void {
  const stop = batch.newer.find(({ error, stops }) => error.position > after && stops.has(projection.name));
  if (stop !== undefined) throw new FoldError(projection.name, stop.error.position, stop.error);
  if (!foldsAny(projection, batch.types)) return;
  for (const event of batch.events) if (event.position > after) foldEvent(projection, event, store);
  try {
    projection.complete?.(store);
  } catch (error) {
    throw new FoldError(projection.name, batch.last, error);
  }
}

function batchOf(covered: readonly Seen[], events: readonly Foldable[], newer: readonly NewerEvent[]): FoldBatch {
  return {
    size: covered.length,
    first: covered[0]?.position ?? 0,
    last: covered.at(-1)?.position ?? 0,
    types: new Set(covered.map(({ type }) => type)),
    events,
    newer,
  };
}

/**
 * Empty for an erased payload that is skipped, null for an unknown type. An error of the data is returned: it concerns
 * only the projections that fold the event.
 */
function decoded(table: EventTable, event: RecordedEvent): readonly Foldable[] | null {
  try {
    const result = decodeEvent(table, event);
    switch (result.kind) {
      case 'event':
        return [result.event];
      case 'erased':
        return [];
      case 'unknown':
        return null;
    }
  } catch (error) {
    if (error instanceof EventSchemaError) return [error];
    throw error;
  }
}

function foldsAny({ on }: Projection, types: ReadonlySet<string>): boolean {
  for (const type of types) if (on[type] !== undefined) return true;
  return false;
}

function foldEvent({ name, on }: Projection, event: Foldable, store: ViewsStore): void {
  const fold = on[event.type];
  if (fold === undefined) return;
  try {
    if (event instanceof EventSchemaError) throw event;
    fold(store, event);
  } catch (error) {
    throw new FoldError(name, event.position, error);
  }
}
