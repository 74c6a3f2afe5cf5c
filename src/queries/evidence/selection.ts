/** Which events an evidence bundle holds: those of a thing or of some positions, and those that their check needs. */
import { engagement } from '../../commands/engagement/decide.ts';
import { goal } from '../../commands/goal/decide.ts';
import { refused, sanitiseEcho } from '../../commands/refusal.ts';
import { run } from '../../commands/run/decide.ts';
import { LOG_KEY_STREAM_ID, logKey } from '../../commands/tlog/log-key.ts';
import { TimeSlices } from '../../lib/slices.ts';
import { ERASURES_STREAM, type EventLog, type RecordedEvent } from '../../storage/event-log.ts';

export type Subject =
  | { readonly kind: 'engagement' | 'run' | 'goal' | 'stream'; readonly id: string }
  | { readonly kind: 'positions'; readonly id: string; readonly first: number; readonly last: number };

export interface Selection {
  /** By position. */
  readonly events: readonly RecordedEvent[];
  /** Streams of which all events up to the size are selected. */
  readonly whole: ReadonlySet<string>;
}

export type SelectionLog = Pick<EventLog, 'readAll' | 'readStream' | 'streamVersion'>;

/** More would be a file that browsers and mail do not take. */
export const EVENTS_MAX = 50_000;

const DECIDERS = { engagement, run, goal };

/** The thing with this id. Throws `Refused` (not found). */
export function subjectOf(log: SelectionLog, id: string): Subject {
  for (const kind of ['engagement', 'run', 'goal'] as const) {
    if (log.streamVersion(streamOf({ kind, id })) > 0) return { kind, id };
  }
  throw refused('not_found', `There is no engagement, run or goal '${sanitiseEcho(id)}'.`);
}

export function streamOf({ kind, id }: { readonly kind: Exclude<Subject['kind'], 'positions'>; readonly id: string }) {
  return kind === 'stream' ? id : `${DECIDERS[kind].category}-${id}`;
}

/** The events up to the position `size`. Throws `Refused` when there are none, or too many. */
export async function selectEvents(log: SelectionLog, subject: Subject, size: number): Promise<Selection> {
  const slices = new TimeSlices();
  const selected = new Map<number, RecordedEvent>();
  const whole = new Set(subject.kind === 'positions' ? [] : [streamOf(subject)]);
  for (const event of eventsOf(log, subject)) {
    if (event.position > size) break;
    selected.set(event.position, event);
    if (selected.size > EVENTS_MAX) {
      throw refused('invalid', `A bundle holds at most ${EVENTS_MAX} events; export a part of them by positions.`);
    }
    if (slices.isOver) await slices.next();
  }
  if (selected.size === 0) throw refused('not_found', 'The log has no such events.');
  for (const event of needed(log, [...selected.values()]))
    if (event.position <= size) selected.set(event.position, event);
  return { events: [...selected.values()].sort((left, right) => left.position - right.position), whole };
}

function eventsOf(log: SelectionLog, subject: Subject): Iterable<RecordedEvent> {
  if (subject.kind !== 'positions') return log.readStream(streamOf(subject));
  return log.readAll({ after: subject.first - 1, limit: subject.last - subject.first + 1 });
}

/** The records of the erasures among the events, and every change of the key. */
function* needed(log: SelectionLog, events: readonly RecordedEvent[]): Iterable<RecordedEvent> {
  yield* log.readStream(`${logKey.category}-${LOG_KEY_STREAM_ID}`);
  const erased = new Set(events.filter((event) => event.erased === true).map(({ position }) => position));
  if (erased.size === 0) return;
  for (const event of log.readStream(ERASURES_STREAM)) {
    if (erasedPositions(event).some((position) => erased.has(position))) yield event;
  }
}

function erasedPositions({ data }: RecordedEvent): readonly number[] {
  const { erased } = (data ?? {}) as { readonly erased?: readonly { readonly position: number }[] };
  return (erased ?? []).map(({ position }) => position);
}
