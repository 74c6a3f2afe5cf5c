/** The events of one engagement, page by page. */
import type { EventLog, RecordedEvent } from '../../storage/event-log.ts';
import { eventsOf, streamOf } from './as-of.ts';

interface HistoryPage {
  readonly events: readonly RecordedEvent[];
  /** The position to continue after; null at the end. */
  readonly next: number | null;
}

/** At most `limit` events after a position of the log, oldest first. Throws `Refused` (not found). */
export function historyPage(
  log: EventLog,
  id: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): HistoryPage {
  const events: RecordedEvent[] = [];
  for (const event of eventsAfter(log, id, after)) {
    if (events.length === limit) return { events, next: events.at(-1)!.position };
    events.push(event);
  }
  return { events, next: null };
}

/** When `after` is an event of this stream, reading starts there and not at the beginning of the stream. */
function* eventsAfter(log: EventLog, id: string, after: number): Iterable<RecordedEvent> {
  const all = eventsOf(log, id);
  const last = log.at(after);
  const events = last?.stream === streamOf(id) ? log.readStream(streamOf(id), { after: last.version }) : all;
  for (const event of events) if (event.position > after) yield event;
}

/** The recorded reason of an event; blank for an erased event. */
export function reasonOf({ data }: RecordedEvent): string {
  const reason = data !== null && typeof data === 'object' && 'reason' in data ? data.reason : null;
  return typeof reason === 'string' ? reason : '';
}
