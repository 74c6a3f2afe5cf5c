/** Stored events after a position, by the shortest way that the log offers for a selection. */
import type { EventLog, RecordedEvent } from '../storage/event-log.ts';
import type { Selection } from './operators.ts';

/**
 * The events after a position of the log, lazily and in order: those of the selected stream, or without one all.
 * Category and types are up to the caller.
 */
export function eventsAfter(log: EventLog, { stream }: Selection, after: number): Iterable<RecordedEvent> {
  return stream === undefined ? log.readAll({ after }) : ofStream(log, stream, after);
}

/** Events of one stream after a position, found by halving: positions ascend with versions. */
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
