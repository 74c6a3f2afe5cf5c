/** Reads the stored events after a position. */
import type { EventLog, RecordedEvent } from '../storage/event-log.ts';
import type { Selection } from './operators.ts';

/**
 * The events after a position of the log, lazily and in order: of the selected stream, or else of all streams. The
 * caller filters by category and type.
 */
export function eventsAfter(log: EventLog, { stream }: Selection, after: number): Iterable<RecordedEvent> {
  return stream === undefined ? log.readAll({ after }) : ofStream(log, stream, after);
}

/** Events of one stream after a position of the log. Positions ascend with versions, so a binary search finds it. */
function ofStream(log: EventLog, stream: string, after: number): Iterable<RecordedEvent> {
  let [before, through] = [0, log.streamVersion(stream)];
  while (before < through) {
    const middle = Math.floor((before + through) / 2);
    const [event] = log.readStream(stream, { after: middle, limit: 1 });
    if (event!.position > after) through = middle;
    else before = middle + 1;
  }
  return log.readStream(stream, { after: before });
}
