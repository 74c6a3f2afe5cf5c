/**
 * The streams to which a goal or a run refers, and which its bundle also holds: the runs that a goal links, the runs
 * from which forks started, and the engagements that a goal names.
 */
import { engagement } from '../../commands/engagement/decide.ts';
import { goal } from '../../commands/goal/decide.ts';
import { run } from '../../commands/run/decide.ts';
import { decodeEvents } from '../../events/decode.ts';
import { type GoalEvent, goalEvents } from '../../events/goal.ts';
import { runEvents } from '../../events/run/events.ts';
import type { RecordedEvent } from '../../storage/event-log.ts';

/** A reference from an event to a stream. */
export interface Reference {
  readonly stream: string;
  /** `run`: a goal links it. `origin`: a fork started from it. `engagement`: a goal names it. */
  readonly relation: 'run' | 'origin' | 'engagement';
  /** Position of the event with the reference. */
  readonly position: number;
}

/** The references of a goal or a run, in the order of its events; a stream of another category refers to nothing. */
export function referencesOf(stream: string, events: readonly RecordedEvent[]): readonly Reference[] {
  if (stream.startsWith(`${goal.category}-`)) return [...goalReferences(events)];
  return stream.startsWith(`${run.category}-`) ? [...runReferences(events)] : [];
}

function* runReferences(events: readonly RecordedEvent[]): Iterable<Reference> {
  const forks = events.filter((event) => event.type === 'RunForked');
  for (const { type, data, position } of decodeEvents(runEvents, forks)) {
    if (type !== 'RunForked') continue;
    yield { stream: `${run.category}-${data.from_session_id}`, relation: 'origin', position };
  }
}

function* goalReferences(events: readonly RecordedEvent[]): Iterable<Reference> {
  for (const event of decodeEvents(goalEvents, events)) {
    const { position } = event;
    if (event.type === 'GoalLinked' && event.data.kind !== 'note') {
      yield { stream: `${run.category}-${event.data.target_id}`, relation: 'run', position };
    }
    for (const id of namedIn(event)) {
      yield { stream: `${engagement.category}-${id}`, relation: 'engagement', position };
    }
  }
}

const ID = /\b(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b/g;

/** Every part of an event's texts that looks like an id. */
function namedIn(event: GoalEvent): readonly string[] {
  return textsOf(event).flatMap((text) => text.match(ID) ?? []);
}

function textsOf(event: GoalEvent): readonly string[] {
  switch (event.type) {
    case 'GoalCreated': {
      const { title, statement, success_criteria, tags } = event.data;
      return [title, statement, ...success_criteria, ...tags];
    }
    case 'GoalRevised': {
      const { title = '', statement = '', success_criteria = [], tags = [] } = event.data.changes;
      return [title, statement, ...success_criteria, ...tags];
    }
    case 'GoalLinked':
      return [event.data.target_id, event.data.note ?? ''];
    case 'GoalPlanned':
    case 'GoalDeleted':
      return [];
  }
}
