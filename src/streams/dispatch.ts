/**
 * Commands in, events out: load → fold → decide → append, again when another writer was faster.
 *
 * - Commands of one stream take turns, so a conflict can only come from outside this dispatcher.
 * - Folded states are cached by stream version; the log stays the truth and the cache is only ever a prefix of it.
 * - A command may concern several streams: all their events share one commit, and every version that was read is a
 *   condition of it. Commands that would get into each other's way name a common turn.
 * - What a command answers to its caller is computed from the state it leads to, so that an idempotent request's
 *   answer can be appended in the same commit.
 */
import { type Context, type Decider, type Desk, isRefusal, type Refusal, type Together } from '../commands/decider.ts';
import { registry } from '../events/registry.ts';
import type { RequestEvent } from '../events/request.ts';
import type { Ambient } from '../ports/ambient.ts';
import type { EventLog, NewEvent, RecordedEvent, StreamAppend } from '../storage/event-log.ts';

/** A refusal on its way to the caller. */
export class Refused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.name = 'Refused';
    this.refusal = refusal;
  }
}

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
  readonly together?: Together<State>;
  /** Commands with one name here are carried out one after the other; by default those of one stream. */
  readonly turn?: string;
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
const CACHED_STATES_MAX = 512;

interface Cached {
  readonly version: number;
  readonly state: unknown;
}

/** A stream that a decision looked at: the version it relies on, and what it adds. */
interface Touched {
  readonly version: number;
  readonly state: unknown;
  readonly events: readonly AnyEvent[];
}

interface Attempt {
  readonly desk: Desk;
  readonly touched: ReadonlyMap<string, Touched>;
  readonly notes: readonly { readonly stream: string; readonly event: AnyEvent }[];
}

export function createDispatcher({ log, ambient }: { log: EventLog; ambient: Ambient }): Dispatcher {
  const cache = new Map<string, Cached>();
  const turns = new Map<string, Promise<unknown>>();

  function remember(stream: string, entry: Cached): void {
    cache.delete(stream);
    cache.set(stream, entry);
    if (cache.size > CACHED_STATES_MAX) cache.delete(cache.keys().next().value!);
  }

  function current<State, Event extends AnyEvent>(
    decider: Decider<never, State, Event>,
    stream: string,
  ): { state: State; version: number } {
    const cached = cache.get(stream);
    let version = cached?.version ?? 0;
    let state = (cached?.state ?? decider.initial) as State;
    if (log.streamVersion(stream) === version) return { state, version };
    for (const event of log.readStream(stream, { after: version })) {
      if (event.erased !== true) state = decider.evolve(state, event as unknown as Event & RecordedEvent);
      version = event.version;
    }
    remember(stream, { state, version });
    return { state, version };
  }

  /** One attempt's view of the streams: what it read, and what it would append to them. */
  function openDesk(context: Context): Attempt {
    const touched = new Map<string, Touched>();
    const notes: { readonly stream: string; readonly event: AnyEvent }[] = [];
    const look = (decider: Decider<never, unknown, never>, stream: string): Touched => {
      const known = touched.get(stream);
      if (known !== undefined) return known;
      const found = { ...current(decider, stream), events: [] };
      touched.set(stream, found);
      return found;
    };
    const desk: Desk = {
      read: <State>(decider: Decider<never, State, never>, id: string) =>
        look(decider as never, `${decider.category}-${id}`).state as State,
      send(decider, id, command) {
        const stream = `${decider.category}-${id}`;
        const { version, state, events } = look(decider as never, stream);
        const decision = decider.decide(command, state as never, context);
        if (isRefusal(decision)) throw new Refused(decision);
        const fold = (folded: unknown, event: AnyEvent): unknown =>
          decider.evolve(folded as never, { ...event, at: context.now } as never);
        const after = decision.reduce(fold, state);
        touched.set(stream, { version, state: after, events: [...events, ...decision] });
        return after as never;
      },
      note: (stream, event) => void notes.push({ stream, event }),
    };
    return { desk, touched, notes };
  }

  async function attempt<Command, State, Event extends AnyEvent>(
    decider: Decider<Command, State, Event>,
    { id, command }: { readonly id: string; readonly command: Command },
    options: DispatchOptions<State>,
  ): Promise<Dispatched<State> | 'conflict'> {
    const context: Context = { now: ambient.now() };
    const { desk, touched, notes } = openDesk(context);
    const before = desk.read(decider, id);
    const after = desk.send(decider, id, command);
    const refusal = options.together?.(desk, { id, before, after });
    if (refusal !== undefined) throw new Refused(refusal);
    const causation = ambient.uuid();
    const envelope = (event: AnyEvent): NewEvent =>
      newEvent(event, { ...options.origin, causation, at: context.now, ambient });
    const batch: StreamAppend[] = [...touched].map(([stream, { version, events }]) => {
      return { stream, expectedVersion: version, events: events.map(envelope) };
    });
    for (const { stream, event } of notes) batch.push({ stream, expectedVersion: 'any', events: [envelope(event)] });
    const answer = options.answer?.(after);
    if (answer) batch.push({ stream: answer.stream, expectedVersion: 'none', events: [envelope(answer.event)] });
    if (batch.every(({ events }) => events.length === 0)) return { state: after, events: [] };
    const result = await log.append(batch);
    if (result.kind === 'conflict') return 'conflict';
    for (const [stream, { version, state, events }] of touched) {
      if (events.length > 0) remember(stream, { state, version: version + events.length });
    }
    return { state: after, events: result.events };
  }

  return {
    load(decider, id) {
      return current(decider, `${decider.category}-${id}`).state;
    },
    async dispatch(decider, id, command, options) {
      const stream = `${decider.category}-${id}`;
      return inTurn(turns, options.turn ?? stream, async () => {
        for (let tries = 0; tries < CONFLICT_RETRIES_MAX; tries += 1) {
          const done = await attempt(decider, { id, command }, options);
          if (done !== 'conflict') return done;
        }
        throw new Error(`The stream ${stream} changed ${CONFLICT_RETRIES_MAX} times while a command was decided.`);
      });
    },
  };
}

/** One after the other per key; the map holds only keys with work under way. */
async function inTurn<Result>(
  turns: Map<string, Promise<unknown>>,
  key: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const before = turns.get(key);
  const mine = before === undefined ? work() : before.then(work, work);
  turns.set(key, mine);
  try {
    return await mine;
  } finally {
    if (turns.get(key) === mine) turns.delete(key);
  }
}

/** The event in its envelope, checked against its definition. */
export function newEvent(
  event: AnyEvent,
  meta: Origin & { readonly causation: string; readonly at: number; readonly ambient: Ambient },
): NewEvent {
  const definition = registry[event.type];
  if (definition === undefined) throw new Error(`The event type ${event.type} is in no event file.`);
  return {
    id: meta.ambient.uuid(),
    type: event.type,
    schema: definition.schema,
    at: meta.at,
    actor: meta.actor,
    correlation: meta.correlation,
    causation: meta.causation,
    data: definition.data.parse(event.data) as NewEvent['data'],
  };
}
