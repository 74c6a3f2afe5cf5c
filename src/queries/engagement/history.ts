/** The events of one engagement, page by page. */
import { type EventLog, eventsAfter, type RecordedEvent } from '../../storage/event-log.ts';
import { requireStream, streamOf } from './as-of.ts';

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
  requireStream(log, id);
  for (const event of eventsAfter(log, after, streamOf(id))) {
    if (events.length === limit) return { events, next: events.at(-1)!.position };
    events.push(event);
  }
  return { events, next: null };
}

/** The recorded reason of an event; blank for an erased event. */
export function reasonOf({ data }: RecordedEvent): string {
  const reason = data !== null && typeof data === 'object' && 'reason' in data ? data.reason : null;
  return typeof reason === 'string' ? reason : '';
}
