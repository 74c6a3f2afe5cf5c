/**
 * Commands in, events out: load → fold → decide → append, again when another writer was faster. The only writer of the
 * event log beside the storage's own tools.
 *
 * - Commands with one lock key run one at a time; a conflict comes from a stream that a command only reads, or from
 *   another process. After three conflicts a command takes the exclusive lock.
 * - What a decider decides is checked against its event definitions once, before it is folded and appended.
 * - Folded states are cached by stream version; the log stays the truth and the cache is only ever a prefix of it. The
 *   state of a new stream is not cached: most streams are written once and not looked at again.
 * - A unit of work may span several streams: all events share one commit, and every version that was read is a
 *   condition of it.
 * - A policy sees the state that a command leads to. Through it the answer of an idempotent request is recorded in the
 *   same commit.
 */
import type { Context, Decider, Decision, Occurrence, Policy, UnitOfWork } from '../commands/decider.ts';
import { isRefusal, Refused } from '../commands/refusal.ts';
import { decodeEvents } from '../events/decode.ts';
import type { EventTable } from '../events/define.ts';
import type { Clock } from '../ports/clock.ts';
import type { IdGenerator } from '../ports/id-generator.ts';
import type { EventLog, ExpectedVersion, Json, NewEvent, RecordedEvent, StreamAppend } from '../storage/event-log.ts';
import { KeyedMutex } from './keyed-mutex.ts';

/** On whose behalf, and as part of what. */
export interface Origin {
  readonly actor: string;
  readonly correlation: string | null;
}

export interface DispatchOptions<State> {
  readonly origin: Origin;
  /** What the command brings about in other streams, in the same commit. */
  readonly policy?: Policy<State> | undefined;
  /** Commands with one key run one at a time; the default key is the stream. */
  readonly lockKey?: string | undefined;
}

export interface Dispatched<State> {
  readonly state: State;
  readonly events: readonly RecordedEvent[];
}

type AnyEvent = { readonly type: string; readonly data: unknown };

/** One command for one stream, to be carried out with others; made by `batchCommand` and `unconditional`. */
export interface BatchCommand {
  /** Sends the command; throws `Refused`. */
  sendTo(unit: UnitOfWork): void;
}

export interface CommandHandler {
  /** Carries out one command, and what its policy brings about. Throws `Refused`. */
  dispatch<Command, State, Event extends AnyEvent>(
    decider: Decider<Command, State, Event>,
    id: string,
    command: Command,
    options: DispatchOptions<State>,
  ): Promise<Dispatched<State>>;
  /**
   * Carries out commands of unrelated streams in one commit: all of their events are appended, or none are. A refused
   * command contributes nothing and stops no other. The log takes 10 000 events in a commit: splitting a longer batch
   * is up to the caller.
   */
  dispatchBatch(commands: readonly BatchCommand[], origin: Origin): Promise<readonly RecordedEvent[]>;
  /** The state of a stream as the log has it now. */
  load<Command, State, Event extends AnyEvent>(decider: Decider<Command, State, Event>, id: string): State;
}

const ATTEMPTS_MAX = 16;
/** Conflicts after which a command takes the exclusive lock: what it reads may change all the time. */
const CONFLICTS_BEFORE_EXCLUSIVE = 3;
const CACHED_STATES_MAX = 512;

export function batchCommand<Command, State, Event extends AnyEvent>(
  decider: Decider<Command, State, Event>,
  id: string,
  command: Command,
): BatchCommand {
  return { sendTo: (unit) => void unit.send(decider, id, command) };
}

/** A command that its decider answers alike in every state: its stream is not read, and is never in conflict. */
export function unconditional<Command, State, Event extends AnyEvent>(
  decider: Decider<Command, State, Event>,
  id: string,
  command: Command,
): BatchCommand {
  return { sendTo: (unit) => unit.sendUnconditional(decider, id, command) };
}

interface Dependencies {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

export function createCommandHandler({ log, clock, ids }: Dependencies): CommandHandler {
  const states = createStates(log);
  const locks = new KeyedMutex();

  /** Decides and appends until no other writer comes between. */
  async function commit<Result>(decide: (unit: Attempt) => Result, { actor, correlation }: Origin) {
    while (locks.closed !== null) await locks.closed;
    locks.enter();
    try {
      for (let attempts = 0; attempts < ATTEMPTS_MAX; attempts += 1) {
        if (attempts === CONFLICTS_BEFORE_EXCLUSIVE) await locks.exclusive();
        const at = clock.now();
        const attempt = new Attempt(states.current, { now: at, actor });
        const result = decide(attempt);
        const batch = attempt.appends({
          actor,
          correlation,
          causation: ids.uuid(),
          at,
          newId: () => ids.uuid(),
        });
        if (batch.every(({ events }) => events.length === 0)) return { result, events: [] };
        const appended = await log.append(batch);
        if (appended.kind === 'conflict') continue;
        states.keep(attempt.streams);
        return { result, events: appended.events };
      }
    } finally {
      locks.leave();
    }
    throw new Error(`A stream changed ${ATTEMPTS_MAX} times while a command on it was decided.`);
  }

  return {
    load(decider, id) {
      return states.current(decider, streamOf(decider, id)).state;
    },
    async dispatch(decider, id, command, { origin, policy, lockKey = streamOf(decider, id) }) {
      const locked = locks.lock(lockKey);
      if (locked !== null) await locked;
      try {
        const { result: state, events } = await commit((unit) => {
          const before = policy === undefined ? decider.initial : unit.read(decider, id);
          const after = unit.send(decider, id, command);
          const refusal = policy?.(unit, { id, before, after });
          if (refusal !== undefined) throw new Refused(refusal);
          return after;
        }, origin);
        return { state, events };
      } finally {
        locks.unlock(lockKey);
      }
    },
    async dispatchBatch(commands, origin) {
      const { events } = await commit((unit) => {
        for (const command of commands) unless(Refused, () => command.sendTo(unit));
      }, origin);
      return events;
    },
  };
}

/** Does the work; an error of the class ends it and is no failure. */
function unless(error: typeof Refused, work: () => void): void {
  try {
    work();
  } catch (thrown) {
    if (!(thrown instanceof error)) throw thrown;
  }
}

function streamOf({ category }: { readonly category: string }, id: string): string {
  return `${category}-${id}`;
}

interface Versioned<State = unknown> {
  readonly version: number;
  readonly state: State;
}

type AnyDecider<State, Event extends AnyEvent> = Decider<never, State, Event>;

/** Folded states by stream, at most `CACHED_STATES_MAX` of them. */
function createStates(log: EventLog) {
  /** Two generations: a state that is not used while the young one fills is dropped with the old one. */
  let young = new Map<string, Versioned>();
  let old = new Map<string, Versioned>();

  function remember(stream: string, entry: Versioned): void {
    if (young.size >= CACHED_STATES_MAX / 2) {
      old = young;
      young = new Map();
    }
    young.set(stream, entry);
  }

  function cached(stream: string): Versioned | undefined {
    const aged = young.has(stream) ? undefined : old.get(stream);
    if (aged !== undefined) remember(stream, aged);
    return young.get(stream);
  }

  return {
    /** The state of a stream at its newest version: of the cache, and of the events after it. */
    current<State, Event extends AnyEvent>(decider: AnyDecider<State, Event>, stream: string): Versioned<State> {
      const version = log.streamVersion(stream);
      if (version === 0) return { state: decider.initial, version };
      const known = cached(stream);
      let state = (known?.state ?? decider.initial) as State;
      const after = known?.version ?? 0;
      if (version === after) return { state, version };
      const events = log.readStream(stream, { after });
      for (const event of decodeEvents(decider.events, events)) {
        state = decider.evolve(state, event as unknown as Event & RecordedEvent);
      }
      remember(stream, { state, version });
      return { state, version };
    },
    /** After a commit: the states it led to, but not of new streams. */
    keep(streams: readonly Touched[]): void {
      for (const { stream, expectedVersion, state, events } of streams) {
        if (typeof expectedVersion !== 'number' || expectedVersion === 0 || events.length === 0) continue;
        remember(stream, { state, version: expectedVersion + events.length });
      }
    },
  };
}

/** A stream of an attempt: the version it relies on, the state it leads to, and what is appended to it. */
interface Touched {
  readonly stream: string;
  readonly expectedVersion: ExpectedVersion;
  state: unknown;
  readonly events: Checked[];
}

/** An event whose data was checked against its definition. */
interface Checked {
  readonly type: string;
  readonly data: Json;
  readonly schema: number;
}

/** One attempt of a unit of work: what it read, and what it would append. A decision concerns few streams. */
class Attempt implements UnitOfWork {
  readonly streams: Touched[] = [];
  readonly #current: ReturnType<typeof createStates>['current'];
  readonly #context: Context;
  readonly #actor: string;

  constructor(current: ReturnType<typeof createStates>['current'], { now, actor }: Context & Actor) {
    this.#current = current;
    this.#context = { now };
    this.#actor = actor;
  }

  read<Command, State, Event extends AnyEvent>(decider: Decider<Command, State, Event>, id: string): State {
    return this.#touch(decider, streamOf(decider, id)).state as State;
  }

  send<Command, State, Event extends AnyEvent>(
    decider: Decider<Command, State, Event>,
    id: string,
    command: Command,
  ): State {
    const touched = this.#touch(decider, streamOf(decider, id));
    const events = this.#decided(decider, decider.decide(command, touched.state as State, this.#context));
    const around = { at: this.#context.now, actor: this.#actor };
    let state = touched.state as State;
    for (const event of events) state = decider.evolve(state, { ...event, ...around } as unknown as Event & Occurrence);
    touched.state = state;
    touched.events.push(...events);
    return state;
  }

  sendUnconditional<Command, State, Event extends AnyEvent>(
    decider: Decider<Command, State, Event>,
    id: string,
    command: Command,
  ): void {
    const events = this.#decided(decider, decider.decide(command, decider.initial, this.#context));
    this.streams.push({ stream: streamOf(decider, id), expectedVersion: 'any', state: undefined, events });
  }

  /** The batch for the log, each event in its envelope. */
  appends(meta: EventMeta): readonly StreamAppend[] {
    return this.streams.map(({ stream, expectedVersion, events }) => {
      return { stream, expectedVersion, events: events.map((event) => newEvent(event, meta)) };
    });
  }

  #touch<State, Event extends AnyEvent>(decider: AnyDecider<State, Event>, stream: string): Touched {
    for (const known of this.streams) if (known.stream === stream) return known;
    const { state, version } = this.#current(decider, stream);
    const touched = { stream, expectedVersion: version, state, events: [] };
    this.streams.push(touched);
    return touched;
  }

  #decided({ events }: { readonly events: EventTable }, decision: Decision<AnyEvent>): Checked[] {
    if (isRefusal(decision)) throw new Refused(decision);
    return decision.map((event) => checked(events, event));
  }
}

interface Actor {
  readonly actor: string;
}

function checked(table: EventTable, { type, data }: AnyEvent): Checked {
  const definition = table[type];
  if (definition === undefined) throw new Error(`The event type ${type} is not in its decider's table of events.`);
  return { type, schema: definition.version, data: definition.data.parse(data) as Json };
}

/** What the events of one decision have in common. */
interface EventMeta extends Origin {
  readonly causation: string;
  readonly at: number;
  readonly newId: () => string;
}

function newEvent({ type, schema, data }: Checked, { newId, at, actor, correlation, causation }: EventMeta): NewEvent {
  return { id: newId(), type, schema, at, actor, correlation, causation, data };
}
