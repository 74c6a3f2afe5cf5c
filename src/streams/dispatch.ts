/**
 * Commands in, events out: load → fold → decide → append, again when another writer was faster.
 *
 * - Commands of one stream take turns; a conflict comes from what a command only reads, or from outside.
 * - Folded states are cached by stream version; the log stays the truth and the cache is only ever a prefix of it. Of a
 *   stream that is new nothing is kept: most are written once and not looked at again.
 * - A command may concern several streams: all their events share one commit, and every version that was read is a
 *   condition of it. Commands that would get into each other's way name a common turn.
 * - What a command answers to its caller is computed from the state it leads to, so that an idempotent request's
 *   answer can be appended in the same commit.
 */
import type { Context, Decider, Desk, Together } from '../commands/decider.ts';
import { isRefusal, Refused } from '../commands/refusal.ts';
import { registry } from '../events/registry.ts';
import type { RequestEvent } from '../events/request.ts';
import type { Clock } from '../ports/clock.ts';
import type { IdGenerator } from '../ports/id-generator.ts';
import type { EventLog, NewEvent, RecordedEvent, StreamAppend } from '../storage/event-log.ts';
import { Turns } from './turns.ts';

/** On whose behalf, and as part of what. */
export interface Origin {
  readonly actor: string;
  readonly correlation: string | null;
}

export interface DispatchOptions<State> {
  readonly origin: Origin;
  /** The record of the answer to an idempotent request, appended with the events of the command. */
  readonly answer?: (state: State) => { readonly stream: string; readonly event: RequestEvent } | null;
  /** What the command brings about in other streams, in the same commit. */
  readonly together?: Together<State> | undefined;
  /** Commands with one name here are carried out one after the other; by default those of one stream. */
  readonly turn?: string | undefined;
}

export interface Dispatched<State> {
  readonly state: State;
  readonly events: readonly RecordedEvent[];
}

type AnyEvent = { readonly type: string; readonly data: unknown };

export interface Dispatcher {
  dispatch<Command, State, Event extends AnyEvent>(
    decider: Decider<Command, State, Event>,
    id: string,
    command: Command,
    options: DispatchOptions<State>,
  ): Promise<Dispatched<State>>;
  /** The state of a stream as the log has it now. */
  load<Command, State, Event extends AnyEvent>(decider: Decider<Command, State, Event>, id: string): State;
}

const CONFLICT_RETRIES_MAX = 16;
/** A command that met so many conflicts is carried out alone: what it rests on may change all the time. */
const CONFLICTS_BORNE = 3;
const CACHED_STATES_MAX = 512;

interface Cached {
  readonly version: number;
  readonly state: unknown;
}

/** A stream that a decision looked at: the version it relies on, the state it leads to, and what it adds. */
interface Touched {
  readonly stream: string;
  readonly version: number;
  state: unknown;
  events: readonly AnyEvent[];
}

interface Note {
  readonly stream: string;
  readonly event: AnyEvent;
}

type Look = (decider: Decider<never, unknown, never>, stream: string) => { state: unknown; version: number };

/** One attempt's view of the streams: what it read, and what it would append to them. A decision concerns few. */
class Attempt implements Desk {
  touched: Touched[] = NO_TOUCHED;
  notes: readonly Note[] = NO_NOTES;
  readonly #look: Look;
  readonly #context: Context;

  constructor(look: Look, context: Context) {
    this.#look = look;
    this.#context = context;
  }

  read<Command, State, Event extends AnyEvent>(decider: Decider<Command, State, Event>, id: string): State {
    return this.touch(decider as never, `${decider.category}-${id}`).state as State;
  }

  send<Command, State, Event extends AnyEvent>(
    decider: Decider<Command, State, Event>,
    id: string,
    command: Command,
  ): State {
    return this.sendTo(decider, `${decider.category}-${id}`, command);
  }

  sendTo<Command, State, Event extends AnyEvent>(
    decider: Decider<Command, State, Event>,
    stream: string,
    command: Command,
  ): State {
    const touched = this.touch(decider as never, stream);
    const decision = decider.decide(command, touched.state as State, this.#context);
    if (isRefusal(decision)) throw new Refused(decision);
    const at = this.#context.now;
    let state = touched.state as State;
    for (const event of decision) state = decider.evolve(state, { ...event, at });
    touched.state = state;
    touched.events = touched.events.length === 0 ? decision : [...touched.events, ...decision];
    return state;
  }

  note(stream: string, event: AnyEvent): void {
    this.notes = [...this.notes, { stream, event }];
  }

  touch(decider: Decider<never, unknown, never>, stream: string): Touched {
    for (const known of this.touched) if (known.stream === stream) return known;
    const { state, version } = this.#look(decider, stream);
    const found = { stream, version, state, events: NO_EVENTS };
    // A list of one takes as much as it needs; one that is pushed to takes room for sixteen more.
    if (this.touched.length === 0) this.touched = [found];
    else this.touched.push(found);
    return found;
  }
}

const NO_TOUCHED: Touched[] = [];
const NO_EVENTS: readonly AnyEvent[] = [];
const NO_NOTES: readonly Note[] = [];

export function createDispatcher({ log, clock, ids }: { log: EventLog; clock: Clock; ids: IdGenerator }): Dispatcher {
  /** Two generations: what nothing touched while the young one filled is dropped with the old one. */
  let young = new Map<string, Cached>();
  let old = new Map<string, Cached>();
  const turns = new Turns();

  function remember(stream: string, entry: Cached): void {
    if (young.size >= CACHED_STATES_MAX / 2) {
      old = young;
      young = new Map();
    }
    young.set(stream, entry);
  }

  /** Of the old generation; it is young again. */
  function aged(stream: string): Cached | undefined {
    const entry = old.get(stream);
    if (entry !== undefined) remember(stream, entry);
    return entry;
  }

  function current<State, Event extends AnyEvent>(
    decider: Decider<never, State, Event>,
    stream: string,
  ): { state: State; version: number } {
    const head = log.streamVersion(stream);
    if (head === 0) return { state: decider.initial, version: 0 };
    const cached = young.get(stream) ?? aged(stream);
    let version = cached?.version ?? 0;
    let state = (cached?.state ?? decider.initial) as State;
    if (head === version) return { state, version };
    for (const event of log.readStream(stream, { after: version })) {
      if (event.erased !== true) state = decider.evolve(state, event as unknown as Event & RecordedEvent);
      version = event.version;
    }
    remember(stream, { state, version });
    return { state, version };
  }

  /** What the attempt appends, each event in its envelope. */
  function batchOf({ touched, notes }: Attempt, meta: EventMeta, answer: Note | null): StreamAppend[] {
    const batch = touched.map(({ stream, version, events }): StreamAppend => {
      return { stream, expectedVersion: version, events: events.map((event) => newEvent(event, meta)) };
    });
    for (const { stream, event } of notes) {
      batch.push({ stream, expectedVersion: 'any', events: [newEvent(event, meta)] });
    }
    if (answer !== null) {
      batch.push({ stream: answer.stream, expectedVersion: 'none', events: [newEvent(answer.event, meta)] });
    }
    return batch;
  }

  async function carryOut<Command, State, Event extends AnyEvent>(
    decider: Decider<Command, State, Event>,
    { stream, id, command }: { readonly stream: string; readonly id: string; readonly command: Command },
    { origin, together, answer, turn = stream }: DispatchOptions<State>,
  ): Promise<Dispatched<State>> {
    const others = turns.take(turn);
    if (others !== null) await others;
    while (turns.closed !== null) await turns.closed;
    turns.enter();
    try {
      for (let tries = 0; tries < CONFLICT_RETRIES_MAX; tries += 1) {
        if (tries === CONFLICTS_BORNE) await turns.alone();
        const at = clock.now();
        const attempt = new Attempt(current as Look, { now: at });
        const before = together === undefined ? undefined : attempt.read(decider, id);
        const state = attempt.sendTo(decider, stream, command);
        const refusal = together?.(attempt, { id, before: before as State, after: state });
        if (refusal !== undefined) throw new Refused(refusal);
        const { actor, correlation } = origin;
        const meta: EventMeta = { actor, correlation, causation: ids.uuid(), at, ids };
        const batch = batchOf(attempt, meta, answer?.(state) ?? null);
        if (batch.every(isEmpty)) return { state, events: [] };
        const result = await log.append(batch);
        if (result.kind === 'conflict') continue;
        for (const { stream, version, state, events } of attempt.touched) {
          if (events.length > 0 && version > 0) remember(stream, { state, version: version + events.length });
        }
        return { state, events: result.events };
      }
    } finally {
      turns.leave();
      turns.give(turn);
    }
    throw new Error(`The stream ${stream} changed ${CONFLICT_RETRIES_MAX} times while a command was decided.`);
  }

  return {
    load(decider, id) {
      return current(decider, `${decider.category}-${id}`).state;
    },
    dispatch(decider, id, command, options) {
      return carryOut(decider, { stream: `${decider.category}-${id}`, id, command }, options);
    },
  };
}

function isEmpty({ events }: StreamAppend): boolean {
  return events.length === 0;
}

/** What the events of one decision have in common. */
export interface EventMeta extends Origin {
  readonly causation: string;
  readonly at: number;
  readonly ids: IdGenerator;
}

/** The event in its envelope, checked against its definition. */
export function newEvent(event: AnyEvent, meta: EventMeta): NewEvent {
  const definition = registry[event.type];
  if (definition === undefined) throw new Error(`The event type ${event.type} is in no event file.`);
  return {
    id: meta.ids.uuid(),
    type: event.type,
    schema: definition.schema,
    at: meta.at,
    actor: meta.actor,
    correlation: meta.correlation,
    causation: meta.causation,
    data: definition.data.parse(event.data) as NewEvent['data'],
  };
}
