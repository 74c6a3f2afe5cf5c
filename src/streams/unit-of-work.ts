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

/** What the events of one commit have in common. */
export interface EventMeta {
  readonly actor: string;
  readonly correlation: string | null;
  readonly causation: string;
  readonly at: number;
  readonly newId: () => string;
}

/** A stream of an attempt: the version it relies on, the state it leads to, and what is appended to it. */
interface Touched {
  readonly stream: string;
  readonly expectedVersion: ExpectedVersion;
  /** Undefined where the stream was not read. */
  state: unknown;
  readonly events: Checked[];
}

/** An event whose data was checked against its definition. */
interface Checked {
  readonly type: string;
  readonly data: Json;
  readonly schema: number;
}

export class Attempt implements UnitOfWork {
  readonly #states: StreamStates;
  /** What all of its events have in common for folds. */
  readonly #around: Pick<Occurrence, 'at' | 'actor'>;
  /** A decision concerns few streams, so they are searched one after the other. */
  readonly #streams: Touched[] = [];

  constructor(states: StreamStates, around: Pick<Occurrence, 'at' | 'actor'>) {
    this.#states = states;
    this.#around = around;
  }

  read<State>(decider: Decider<never, State>, id: string): State {
    return this.#touch(decider, streamOf(decider, id)).state as State;
  }

  send<Command, State>(decider: Decider<Command, State>, id: string, command: Command): State {
    const touched = this.#touch(decider, streamOf(decider, id));
    let state = touched.state as State;
    const events = checkedAll(decider.events, decider.decide(command, state, { id, now: this.#around.at }));
    for (const event of events) {
      state = decider.evolve(state, { ...event, ...this.#around });
    }
    touched.state = state;
    touched.events.push(...events);
    return state;
  }

  sendUnconditional<Command, State>(decider: Decider<Command, State>, id: string, command: Command): void {
    this.#sendWithoutState(decider, id, { command, expectedVersion: 'any' });
  }

  sendUnread<Command, State>(decider: Decider<Command, State>, id: string, command: Command): void {
    const expectedVersion = this.#states.version(streamOf(decider, id));
    this.#sendWithoutState(decider, id, { command, expectedVersion });
  }

  /** The events as folds will see them when they follow the position `head` of the log. */
  seen(head: number): readonly Seen[] {
    const events = this.#streams.flatMap(({ stream, events }) =>
      // The log returns the fields of data in canonical order.
      events.map(({ type, data }) => ({ stream, type, data: JSON.parse(canonicalJson(data)) })),
    );
    return events.map((event, index) => ({ ...event, ...this.#around, position: head + index + 1 }));
  }

  /** The batch for the log, each event in its envelope. */
  appends(meta: EventMeta): readonly StreamAppend[] {
    return this.#streams.map(({ stream, expectedVersion, events }) => {
      return { stream, expectedVersion, events: events.map((event) => newEvent(event, meta)) };
    });
  }

  /**
   * After the commit: the states that it led to are cached, but not those of new streams. Most streams are written once
   * and not looked at again.
   */
  keepStates(): void {
    for (const { stream, expectedVersion, state, events } of this.#streams) {
      if (state === undefined) continue;
      if (typeof expectedVersion !== 'number' || expectedVersion === 0 || events.length === 0) continue;
      this.#states.keep(stream, { state, version: expectedVersion + events.length });
    }
  }

  #sendWithoutState<Command, State>(
    decider: Decider<Command, State>,
    id: string,
    { command, expectedVersion }: { readonly command: Command; readonly expectedVersion: ExpectedVersion },
  ): void {
    const decision = decider.decide(command, decider.initial, { id, now: this.#around.at });
    const events = checkedAll(decider.events, decision);
    this.#streams.push({ stream: streamOf(decider, id), expectedVersion, state: undefined, events });
  }

  #touch<State>(decider: Decider<never, State>, stream: string): Touched {
    for (const known of this.#streams) if (known.stream === stream) return known;
    const { state, version } = this.#states.current(decider, stream);
    const touched = { stream, expectedVersion: version, state, events: [] };
    this.#streams.push(touched);
    return touched;
  }
}

export function streamOf({ category }: { readonly category: string }, id: string): string {
  return `${category}-${id}`;
}

/** Throws `Refused`. */
function checkedAll(table: EventTable, decision: Decision<AnyEvent>): Checked[] {
  if (isRefusal(decision)) throw new Refused(decision);
  return decision.map((event) => checked(table, event));
}

function checked(table: EventTable, { type, data }: AnyEvent): Checked {
  const definition = table[type];
  if (definition === undefined) throw new Error(`The event type ${type} is not in its decider's table of events.`);
  return { type, schema: definition.version, data: definition.data.parse(data) as Json };
}

function newEvent({ type, schema, data }: Checked, { newId, at, actor, correlation, causation }: EventMeta): NewEvent {
  return { id: newId(), type, schema, at, actor, correlation, causation, data };
}
