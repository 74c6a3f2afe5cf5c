/**
 * One attempt of a unit of work: the streams that it read, each with its version, and the events that it would append.
 *
 * - Every version that was read is a condition of the commit.
 * - What a decider decides is checked against its event definitions once, before it is folded and appended.
 */
import type { AnyEvent, Decider, Decision, Occurrence, UnitOfWork } from '../commands/decider.ts';
import { isRefusal, Refused } from '../commands/refusal.ts';
import type { EventTable } from '../events/define.ts';
import type { Seen } from '../projections/projection.ts';
import { canonicalJson } from '../storage/canonical-json.ts';
import type { ExpectedVersion, Json, NewEvent, StreamAppend } from '../storage/event-log.ts';
import type { StreamStates } from './stream-states.ts';

/** Envelope fields that all events of a commit share. */
export interface EventMeta {
  readonly actor: string;
  readonly correlation: string | null;
  readonly causation: string;
  readonly at: number;
  readonly newId: () => string;
}

/** What an attempt does to a stream: the version it relies on, the state it leads to, and the events to append. */
interface StreamChange {
  readonly stream: string;
  expectedVersion: ExpectedVersion;
  readonly isRead: boolean;
  /** Undefined while the stream is not read. */
  state: unknown;
  readonly events: CheckedEvent[];
}

/** An event whose data was checked against its definition. */
interface CheckedEvent {
  readonly type: string;
  readonly data: Json;
  readonly schema: number;
}

/** One attempt to decide a unit of work. */
export class Attempt implements UnitOfWork {
  readonly #states: StreamStates;
  /** The fields that all events of the attempt share. */
  readonly #shared: Pick<Occurrence, 'at' | 'actor'>;
  /** By the name of the stream, in the order in which the attempt came to them. */
  readonly #changes = new Map<string, StreamChange>();

  constructor(states: StreamStates, shared: Pick<Occurrence, 'at' | 'actor'>) {
    this.#states = states;
    this.#shared = shared;
  }

  read<State>(decider: Decider<never, State>, id: string): State {
    return this.#read(decider, streamOf(decider, id)).state as State;
  }

  send<Command, State>(decider: Decider<Command, State>, id: string, command: Command): State {
    if (decider.isStateless === true) {
      this.sendUnconditional(decider, id, command);
      return decider.initial;
    }
    const change = this.#read(decider, streamOf(decider, id));
    const state = change.state as State;
    const events = checkedEvents(decider, decider.decide(command, state, { id, now: this.#shared.at }));
    const after = this.#fold(decider, state, events);
    change.state = after;
    change.events.push(...events);
    return after;
  }

  sendUnconditional<Command, State>(decider: Decider<Command, State>, id: string, command: Command): void {
    this.#sendUnread(decider, id, { command, expectedVersion: 'any' });
  }

  sendUnread<Command, State>(decider: Decider<Command, State>, id: string, command: Command): void {
    const expectedVersion = this.#states.version(streamOf(decider, id));
    this.#sendUnread(decider, id, { command, expectedVersion });
  }

  /** The events as folds will see them, at the positions after `head`. */
  seen(head: number): readonly Seen[] {
    const events = [...this.#changes.values()].flatMap(({ stream, events }) =>
      // The log returns the fields of data in canonical order.
      events.map(({ type, data }) => ({ stream, type, data: JSON.parse(canonicalJson(data)) })),
    );
    return events.map((event, index) => ({ ...event, ...this.#shared, position: head + index + 1 }));
  }

  /** The batch for the log, each event in its envelope. Throws for an event of an empty id. */
  appends(meta: EventMeta): readonly StreamAppend[] {
    const appends: StreamAppend[] = [];
    for (const { stream, expectedVersion, events } of this.#changes.values()) {
      if (events.length > 0 && stream.indexOf('-') === stream.length - 1) throw new TypeError(withoutId(stream));
      appends.push({ stream, expectedVersion, events: events.map((event) => newEvent(event, meta)) });
    }
    return appends;
  }

  /**
   * Caches the states that the commit led to, except those of new streams: most streams are written once and not read
   * again.
   */
  keepStates(): void {
    for (const { stream, expectedVersion, isRead, state, events } of this.#changes.values()) {
      if (!isRead) continue;
      if (typeof expectedVersion !== 'number' || expectedVersion === 0 || events.length === 0) continue;
      this.#states.keep(stream, { state, version: expectedVersion + events.length });
    }
  }

  #sendUnread<Command, State>(
    decider: Decider<Command, State>,
    id: string,
    { command, expectedVersion }: { readonly command: Command; readonly expectedVersion: ExpectedVersion },
  ): void {
    const stream = streamOf(decider, id);
    const decision = decider.decide(command, decider.initial, { id, now: this.#shared.at });
    const events = checkedEvents(decider, decision);
    const change = this.#changes.get(stream);
    if (change === undefined) {
      this.#changes.set(stream, { stream, expectedVersion, isRead: false, state: undefined, events });
      return;
    }
    if (change.isRead) change.state = this.#fold(decider, change.state as State, events);
    else if (change.expectedVersion === 'any') change.expectedVersion = expectedVersion;
    change.events.push(...events);
  }

  /** The change of a stream that is read now, or was read before. */
  #read<State>(decider: Decider<never, State>, stream: string): StreamChange {
    const known = this.#changes.get(stream);
    if (known?.isRead === true) return known;
    const { state, version } = this.#states.current(decider, stream);
    const events = known?.events ?? [];
    const after = this.#fold(decider, state, events);
    const change = { stream, expectedVersion: version, isRead: true, state: after, events };
    this.#changes.set(stream, change);
    return change;
  }

  #fold<State>(decider: Decider<never, State>, before: State, events: readonly CheckedEvent[]): State {
    let state = before;
    for (const event of events) state = decider.evolve(state, { ...event, ...this.#shared });
    return state;
  }
}

/** The name of a stream. The id begins after the first hyphen, so a category with one is refused. */
export function streamOf({ category }: { readonly category: string }, id: string): string {
  if (category.includes('-')) throw new TypeError(hyphenated(category));
  return `${category}-${id}`;
}

function hyphenated(category: string): string {
  const other = category.replaceAll('-', '_');
  return `The category ${category} has a hyphen; a stream name is <category>-<id>: write ${other}.`;
}

function withoutId(stream: string): string {
  return `The stream ${stream} has an empty id; a stream name is <category>-<id>.`;
}

/** Throws `Refused`, and an error for what is no decision: JavaScript and casts allow a `decide` without `return`. */
function checkedEvents(
  { events, category }: { readonly events: EventTable; readonly category: string },
  decision: Decision<AnyEvent>,
): CheckedEvent[] {
  if (isRefusal(decision)) throw new Refused(decision);
  if (!Array.isArray(decision)) {
    throw new TypeError(`The decider of ${category} returned ${decision}, not an array of events or a Refusal.`);
  }
  return decision.map((event) => checkedEvent(events, event));
}

function checkedEvent(table: EventTable, { type, data }: AnyEvent): CheckedEvent {
  const definition = table[type];
  if (definition === undefined) throw new Error(`The event type ${type} is not in its decider's table of events.`);
  return { type, schema: definition.version, data: definition.data.parse(data) as Json };
}

function newEvent(
  { type, schema, data }: CheckedEvent,
  { newId, at, actor, correlation, causation }: EventMeta,
): NewEvent {
  return { id: newId(), type, schema, at, actor, correlation, causation, data };
}
