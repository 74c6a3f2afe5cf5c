/**
 * Example-based tests of deciders: given events, when a command comes, then these events follow. Failures are plain
 * Errors, for any test runner.
 *
 *     given(task, [{ type: 'TaskCreated', data: facts }])
 *       .when({ type: 'ChangeTask', title: 'New' })
 *       .then([{ type: 'TaskRenamed', data: { title: 'New' } }]);
 */
import type { AnyEvent, Decider, Decision } from '../commands/decider.ts';
import { isRefusal, type Refusal, type RefusalKind } from '../commands/refusal.ts';
import { STATUS } from '../http/server/errors.ts';
import { assertSame, shown } from './difference.ts';

/** An event as a test writes it: time and actor are optional. */
export type GivenEvent<Event> = Event & { readonly at?: number; readonly actor?: string };

export interface Moment {
  /** The id of the stream; default `an-id`. */
  readonly id?: string;
  /** Unix time in milliseconds; default 1. */
  readonly now?: number;
}

export interface Given<Command, State, Event> {
  /** The fold of the events. */
  readonly state: State;
  /** Decides the command. Throws if the decider is not deterministic or changes the state. */
  when(command: Command, moment?: Moment): When<State, Event>;
}

export interface When<State, Event> {
  readonly decision: Decision<Event>;
  /** The decided events; throws if the command was refused. */
  readonly events: readonly Event[];
  /** The state after them. */
  readonly state: State;
  /** Asserts exactly these events. `[]`: the command leads to no event. */
  then(expected: readonly Event[]): void;
  /** Asserts events of these types, in this order. */
  thenTypes(...types: readonly string[]): void;
  /** Asserts a refusal, optionally with this HTTP status or of this kind, and with this message. */
  thenRefused(status?: number | RefusalKind, message?: string | RegExp): void;
}

/** The state of a decider after some events. Throws if an event does not match its own definition. */
export function given<Command, State, Event extends AnyEvent>(
  decider: Decider<Command, State, Event>,
  events: readonly GivenEvent<Event>[] = [],
): Given<Command, State, Event> {
  checkEvents(decider, events, 'A given event');
  const state = fold(decider, decider.initial, events);
  return {
    state,
    when(command, { id = 'an-id', now = 1 } = {}) {
      const before = structuredClone(state);
      const decision = decider.decide(command, state, { id, now });
      assertSame(
        decider.decide(command, state, { id, now }),
        decision,
        'Decided again, the command has another outcome',
      );
      assertSame(state, before, 'Deciding changed the state');
      if (!isRefusal(decision)) checkEvents(decider, decision, 'A decided event');
      return when(decider, state, decision);
    },
  };
}

function when<Command, State, Event extends AnyEvent>(
  decider: Decider<Command, State, Event>,
  before: State,
  decision: Decision<Event>,
): When<State, Event> {
  const decided = (): readonly Event[] => {
    if (isRefusal(decision)) throw new Error(`The command was refused, ${described(decision)}`);
    return decision;
  };
  return {
    decision,
    get events() {
      return decided();
    },
    get state() {
      return isRefusal(decision) ? before : fold(decider, before, decision);
    },
    // biome-ignore lint/suspicious/noThenProperty: the third word of given, when, then. It refuses to be awaited.
    then(expected) {
      if (!Array.isArray(expected)) throw new Error('given(…).when(…) is no promise: do not await it.');
      assertSame(decided(), expected, 'The decided events differ');
    },
    thenTypes(...types) {
      assertSame(
        decided().map(({ type }) => type),
        types,
        'The types of the decided events differ',
      );
    },
    thenRefused(status, message) {
      if (!isRefusal(decision)) throw new Error(`The command was not refused but decided ${shown(decision)}`);
      if (status !== undefined && status !== decision.kind && status !== STATUS[decision.kind])
        throw new Error(`The command was not refused as ${status}, but ${described(decision)}`);
      const fits =
        message === undefined ||
        (typeof message === 'string' ? message === decision.message : message.test(decision.message));
      if (!fits) throw new Error(`The refusal does not say ${shown(String(message))}: ${described(decision)}`);
    },
  };
}

function described({ kind, message }: Refusal): string {
  return `${STATUS[kind]} ${kind}: ${message}`;
}

/** The state that events lead to. */
export function fold<Command, State, Event extends AnyEvent>(
  decider: Decider<Command, State, Event>,
  from: State,
  events: readonly GivenEvent<Event>[],
): State {
  return events.reduce((state, event) => decider.evolve(state, { at: 1, actor: 'owner', ...event }), from);
}

function checkEvents<Event extends AnyEvent>(
  { category, events: table }: Pick<Decider<never, unknown, Event>, 'category' | 'events'>,
  events: readonly AnyEvent[],
  what: string,
): void {
  const definitions = new Map(Object.entries<(typeof table)[Event['type']]>(table));
  for (const { type, data } of events) {
    const definition = definitions.get(type);
    if (definition === undefined) throw new Error(`${what} is of type ${type}, which ${category} does not define.`);
    const { error } = definition.data.safeParse(data);
    if (error !== undefined) throw new Error(`${what} of type ${type} does not fit its schema: ${error.message}`);
  }
}
