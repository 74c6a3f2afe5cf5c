/** Pages of the event log, filtered by stream and type. */
import type { EventLog, RecordedEvent } from '../storage/event-log.ts';

export interface LogPageQuery {
  readonly after: number;
  readonly limit: number;
  /** Empty for every stream. */
  readonly stream: string;
  /** Empty for every type. */
  readonly type: string;
}

export interface LogPage {
  readonly items: readonly string[];
  /** The position to continue after; null at the head. */
  readonly next: number | null;
  readonly head: number;
}

/** Events that one filtered page looks at. */
const SCANNED_MAX = 50_000;
/** Characters of one page; it ends with the event that exceeds them. */
const PAGE_CHARACTERS_MAX = 16_777_216;

/** Renders each event of the page with `render`. */
export function logPage(
  log: EventLog,
  { after, limit, stream, type }: LogPageQuery,
  render: (event: RecordedEvent) => string,
): LogPage {
  const head = log.head().position;
  const items: string[] = [];
  let characters = 0;
  let scanned = 0;
  for (const event of eventsAfter(log, after, stream)) {
    scanned += 1;
    if (type === '' || event.type === type) {
      const item = render(event);
      items.push(item);
      characters += item.length;
    }
    if (items.length < limit && scanned < SCANNED_MAX && characters < PAGE_CHARACTERS_MAX) continue;
    return { items, next: event.position < head ? event.position : null, head };
  }
  return { items, next: null, head };
}

function* eventsAfter(log: EventLog, after: number, stream: string): Iterable<RecordedEvent> {
  if (stream === '') {
    yield* log.readAll({ after });
    return;
  }
  for (const event of log.readStream(stream)) if (event.position > after) yield event;
}
