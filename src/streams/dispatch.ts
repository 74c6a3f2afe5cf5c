/**
 * Commands in, events out: load → fold → decide → append, again when another writer was faster.
 *
 * - Commands of one stream take turns, so a conflict can only come from outside this dispatcher.
 * - Folded states are cached by stream version; the log stays the truth and the cache is only ever a prefix of it.
 * - What a command answers to its caller is computed from the state it leads to, so that an idempotent request's
 *   answer can be appended in the same commit.
 */
import { type Context, type Decider, isRefusal, type Refusal } from '../commands/decider.ts';
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

  async function attempt<Command, State, Event extends AnyEvent>(
    decider: Decider<Command, State, Event>,
    stream: string,
    command: Command,
    options: DispatchOptions<State>,
  ): Promise<Dispatched<State> | 'conflict'> {
    const { state, version } = current(decider as Decider<never, State, Event>, stream);
    const context: Context = { now: ambient.now() };
    const decision = decider.decide(command, state, context);
    if (isRefusal(decision)) throw new Refused(decision);
    const after = decision.reduce((folded, event) => decider.evolve(folded, { ...event, at: context.now }), state);
    const causation = ambient.uuid();
    const envelope = (event: AnyEvent): NewEvent =>
      newEvent(event, { ...options.origin, causation, at: context.now, ambient });
    const batch: StreamAppend[] = [];
    if (decision.length > 0) batch.push({ stream, expectedVersion: version, events: decision.map(envelope) });
    const answer = options.answer?.(after);
    if (answer) batch.push({ stream: answer.stream, expectedVersion: 'none', events: [envelope(answer.event)] });
    if (batch.length === 0) return { state, events: [] };
    const result = await log.append(batch);
    if (result.kind === 'conflict') return 'conflict';
    if (decision.length > 0) remember(stream, { state: after, version: version + decision.length });
    return { state: after, events: result.events };
  }

  return {
    load(decider, id) {
      return current(decider, `${decider.category}-${id}`).state;
    },
    async dispatch(decider, id, command, options) {
      const stream = `${decider.category}-${id}`;
      return inTurn(turns, stream, async () => {
        for (let tries = 0; tries < CONFLICT_RETRIES_MAX; tries += 1) {
          const done = await attempt(decider, stream, command, options);
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

function newEvent(
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
