/**
 * fast-check arbitraries of everything that Daybook records: events, commands, and histories that deciders accept. They
 * are derived from the zod schemas of the events and from the deciders, and they shrink.
 */
import fc from 'fast-check';
import type { z } from 'zod';
import type { AnyEvent, Decider } from '../commands/decider.ts';
import { isRefusal } from '../commands/refusal.ts';
import type { EventDefinition, EventOf } from '../events/define.ts';
import type { Seen } from '../projections/projection.ts';
import { eventTable, resources } from '../resources.ts';
import type { DaemonEvents } from './daemon-events.ts';
import { commandOf, moves, SOURCES, sourceOf } from './moves.ts';
import { arbitraryOf } from './schema-values.ts';

/**
 * An event with any data that its definition allows. The type is given as a definition, or as the name in the daemon.
 */
export function arbitraryEvent<Type extends keyof DaemonEvents>(
  type: Type,
): fc.Arbitrary<DaemonEvents[Type] extends infer Definition extends EventDefinition ? EventOf<Definition> : never>;
export function arbitraryEvent<Definition extends EventDefinition>(
  definition: Definition,
): fc.Arbitrary<EventOf<Definition>>;
export function arbitraryEvent(type: string): fc.Arbitrary<AnyEvent>;
export function arbitraryEvent(of: string | EventDefinition): fc.Arbitrary<AnyEvent> {
  const definition = typeof of === 'string' ? eventTable[of] : of;
  if (definition === undefined) throw new Error(`There is no event type ${String(of)}.`);
  return fitting(definition.data).map((data) => ({ type: definition.type, data }));
}

/** Values that a zod schema returns, from few texts and numbers, so that equal ones are frequent. */
export function arbitraryValue<Schema extends z.ZodType>(schema: Schema): fc.Arbitrary<z.infer<Schema>> {
  return fitting(schema);
}

const MISSES_MAX = 1_000;

/** Values that the schema returns. The generated values ignore its refinements, so they are filtered. */
function fitting<Schema extends z.ZodType>(schema: Schema): fc.Arbitrary<z.infer<Schema>> {
  let misses = 0;
  const parsed = arbitraryOf(schema).map((value) => schema.safeParse(value));
  const accepted = parsed.filter(({ success, error }) => {
    misses = success ? 0 : misses + 1;
    if (misses > MISSES_MAX) throw new Error(`Of ${MISSES_MAX} values none fits the schema: ${error?.message}`);
    return success;
  });
  return accepted.map(({ data }) => data as z.infer<Schema>);
}

/** A command for one stream. */
export interface StreamCommand {
  readonly stream: string;
  readonly command: { readonly type: string };
}

/** A command for a stream of a resource. In an empty history most are refused. The key is that of `resources.ts`. */
export function arbitraryCommand(resource: string): fc.Arbitrary<StreamCommand> {
  const names = namesOf(resource);
  const each = names.map((name) => {
    const { decider, ids, command, weight = 1 } = sourceOf(name);
    const made = fc.tuple(ids, command).map(([id, wish]) => {
      const move = { of: name, id, wish };
      return { stream: `${decider.category}-${id}`, command: commandOf(move, decider.initial) };
    });
    return { weight, arbitrary: made };
  });
  return fc.oneof(...each);
}

/** The accepted commands of deciders and the events that followed, in order. */
export interface History<Event extends AnyEvent = AnyEvent, Command = { readonly type: string }> {
  /** The accepted commands, including those that led to no event. */
  readonly commands: readonly { readonly stream: string; readonly command: Command }[];
  /** Their events as in a log: positions and versions start at 1. `at` is Unix time in milliseconds. */
  readonly events: readonly (Event & Seen<Event['data']> & { readonly version: number })[];
}

export interface HistoryOptions {
  /** The most commands, including refused ones; default 30. */
  readonly commandsMax?: number;
}

const COMMANDS_MAX = 30;
const START = Date.UTC(2026, 0, 1);

/** A history of the streams of a resource of the daemon. Rules about several streams (policies) are not applied. */
export function arbitraryHistory(
  resource: string,
  { commandsMax = COMMANDS_MAX }: HistoryOptions = {},
): fc.Arbitrary<History> {
  return moves(commandsMax, namesOf(resource)).map((made) => played(made, ({ of }) => sourceOf(of).decider, commandOf));
}

/** The commands from which the histories of a decider are generated. */
export interface CommandsOf<Command, State> {
  readonly ids: fc.Arbitrary<string>;
  /** Commands, or functions that make one from the state of its stream. */
  readonly command: fc.Arbitrary<Command | ((state: State) => Command)>;
}

/** A history of the streams of one decider, which may be your own. */
export function historyOf<Command extends { readonly type: string }, State, Event extends AnyEvent>(
  decider: Decider<Command, State, Event>,
  { ids, command }: CommandsOf<Command, State>,
  { commandsMax = COMMANDS_MAX }: HistoryOptions = {},
): fc.Arbitrary<History<Event, Command>> {
  const move = fc.record({ id: ids, wish: command });
  return fc.array(move, { maxLength: commandsMax, size: 'max' }).map((made) =>
    played(
      made,
      () => decider,
      ({ wish }, state) => (typeof wish === 'function' ? wish(state) : wish),
    ),
  );
}

/** Plays each move through its decider. Refused commands are not part of the history. */
function played<
  Played extends { readonly id: string },
  Command extends { readonly type: string },
  State,
  Event extends AnyEvent,
>(
  moves: readonly Played[],
  deciderOf: (move: Played) => Decider<Command, State, Event>,
  commandIn: (move: Played, state: State) => Command,
): History<Event, Command> {
  const states = new Map<string, { readonly state: State; readonly version: number }>();
  const commands: { stream: string; command: Command }[] = [];
  const events: History<Event>['events'][number][] = [];
  for (const [index, move] of moves.entries()) {
    const decider = deciderOf(move);
    const stream = `${decider.category}-${move.id}`;
    const before = states.get(stream) ?? { state: decider.initial, version: 0 };
    const command = commandIn(move, before.state);
    const at = START + index;
    const decision = decider.decide(command, before.state, { id: move.id, now: at });
    if (isRefusal(decision)) continue;
    commands.push({ stream, command });
    let { state, version } = before;
    for (const decided of decision) {
      version += 1;
      const event = { ...decided, stream, version, at, actor: 'owner', position: events.length + 1 };
      events.push(event);
      state = decider.evolve(state, event);
    }
    states.set(stream, { state, version });
  }
  return { commands, events };
}

function namesOf(resource: string): readonly string[] {
  const deciders = resources.find(({ key }) => key === resource)?.deciders ?? [];
  const names = Object.keys(SOURCES).filter((name) => deciders.includes(sourceOf(name).decider));
  if (names.length > 0) return names;
  const keys = resources.flatMap(({ key, deciders: own }) => (own.length > 0 ? [key] : []));
  throw new Error(`There are no commands of '${resource}'; there are of ${keys.join(', ')}.`);
}
