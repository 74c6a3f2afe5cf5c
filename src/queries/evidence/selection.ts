/**
 * Selects the events of an evidence bundle: those of the subject, those of the streams to which a goal or a
 * run refers, and the erasure records that their verification needs.
 */
import { engagement } from '../../commands/engagement/decide.ts';
import { goal } from '../../commands/goal/decide.ts';
import { refused, sanitiseEcho } from '../../commands/refusal.ts';
import { run } from '../../commands/run/decide.ts';
import { LOG_KEY_STREAM_ID, logKey } from '../../commands/tlog/log-key.ts';
import { decodeEvents } from '../../events/decode.ts';
import { type GoalEvent, goalEvents } from '../../events/goal.ts';
import { runEvents } from '../../events/run/events.ts';
import { TimeSlices } from '../../lib/slices.ts';
import { ERASURES_STREAM, type EventLog, type RecordedEvent } from '../../storage/event-log.ts';

export type Subject =
  | { readonly kind: 'engagement' | 'run' | 'goal' | 'stream'; readonly id: string }
  | { readonly kind: 'positions'; readonly id: string; readonly first: number; readonly last: number };

/** A reference of the subject, or of a stream to which the subject refers. */
export interface Related extends Reference {
  /** Whether the bundle has all events of the stream up to the checkpoint. */
  readonly included: boolean;
}

export interface Selection {
  /** By position. */
  readonly events: readonly RecordedEvent[];
  /** Streams of which all events up to the size are selected. */
  readonly whole: ReadonlySet<string>;
  /** Each stream once, in the order in which the references are found. */
  readonly related: readonly Related[];
}

export type SelectionLog = Pick<EventLog, 'readAll' | 'readStream' | 'streamVersion'>;

/** A limit that keeps bundles small enough for browsers and mail. */
export const EVENTS_MAX = 50_000;

const DECIDERS = { engagement, run, goal };

/** The engagement, run or goal with this id. Throws `Refused` (not found). */
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
  const picked = new Picked(size);
  const whole = new Set(subject.kind === 'positions' ? [] : [streamOf(subject)]);
  const own = await picked.add(eventsOf(log, subject));
  if (own.length === 0) throw refused('not_found', 'The log has no such events.');
  const related = new Map<string, Related>();
  const open = subject.kind === 'goal' || subject.kind === 'run' ? referencesOf(streamOf(subject), own) : [];
  for (const queue = [...open]; queue.length > 0; ) {
    const reference = queue.shift()!;
    if (whole.has(reference.stream) || related.has(reference.stream)) continue;
    const events = await picked.add(log.readStream(reference.stream));
    const included = events.length > 0;
    // Most texts that look like an id are not the id of an engagement.
    if (!included && reference.relation === 'engagement') continue;
    related.set(reference.stream, { ...reference, included });
    if (included) whole.add(reference.stream);
    queue.push(...referencesOf(reference.stream, events));
  }
  await picked.add(log.readStream(`${logKey.category}-${LOG_KEY_STREAM_ID}`));
  await addErasures(log, picked);
  return { events: picked.events(), whole, related: [...related.values()] };
}

class Picked {
  readonly #size: number;
  readonly #slices = new TimeSlices();
  readonly #events = new Map<number, RecordedEvent>();

  constructor(size: number) {
    this.#size = size;
  }

  /** Returns the events that were added. Throws `Refused` when there are too many. */
  async add(events: Iterable<RecordedEvent>): Promise<readonly RecordedEvent[]> {
    const added: RecordedEvent[] = [];
    for (const event of events) {
      if (event.position > this.#size) break;
      this.#events.set(event.position, event);
      added.push(event);
      if (this.#events.size > EVENTS_MAX) {
        throw refused(
          'invalid',
          `A bundle holds at most ${EVENTS_MAX} events; export a part of them by stream or by positions.`,
        );
      }
      if (this.#slices.isOver) await this.#slices.next();
    }
    return added;
  }

  /** By position. */
  events(): readonly RecordedEvent[] {
    return [...this.#events.values()].sort((left, right) => left.position - right.position);
  }
}

function eventsOf(log: SelectionLog, subject: Subject): Iterable<RecordedEvent> {
  if (subject.kind !== 'positions') return log.readStream(streamOf(subject));
  return log.readAll({ after: subject.first - 1, limit: subject.last - subject.first + 1 });
}

/** The records of the erasures among the events. Throws `Refused` when one is newer than the checkpoint. */
async function addErasures(log: SelectionLog, picked: Picked): Promise<void> {
  const erased = new Set(picked.events().flatMap((event) => (event.erased === true ? [event.position] : [])));
  if (erased.size === 0) return;
  const records = [...log.readStream(ERASURES_STREAM)].filter((event) =>
    erasedPositions(event).some((position) => erased.has(position)),
  );
  const recorded = new Set((await picked.add(records)).flatMap(erasedPositions));
  if ([...erased].every((position) => recorded.has(position))) return;
  throw refused('unavailable', 'An event was erased while the bundle was made; export it again.');
}

function erasedPositions({ data }: RecordedEvent): readonly number[] {
  const { erased } = (data ?? {}) as { readonly erased?: readonly { readonly position: number }[] };
  return (erased ?? []).map(({ position }) => position);
}

/** A reference from an event to a stream. */
interface Reference {
  readonly stream: string;
  /** `run`: a goal links it. `origin`: a fork started from it. `engagement`: a goal names it. */
  readonly relation: 'run' | 'origin' | 'engagement';
  /** Position of the event with the reference. */
  readonly position: number;
}

/** The references of a goal or a run, in the order of its events; a stream of another category refers to nothing. */
function referencesOf(stream: string, events: readonly RecordedEvent[]): readonly Reference[] {
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
