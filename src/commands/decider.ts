/**
 * The shape of every decider: pure functions from a command and the folded state to events, or a refusal.
 *
 * - No clock, randomness, I/O or `await`: the command or the context contains time and random values.
 * - `[]` means that nothing needs to happen: repeating a command appends no second event.
 * - `evolve` never throws, and names every event of its union: a new type without its case does not compile.
 */
import type { EventTable } from '../events/define.ts';
import type { Refusal } from './refusal.ts';

export type AnyEvent = { readonly type: string; readonly data: unknown };

export type Decision<Event> = readonly Event[] | Refusal;

export interface Context {
  /** The id of the stream. */
  readonly id: string;
  /** Unix time in milliseconds. */
  readonly now: number;
}

/** The fields of an event that a fold may use, besides its data. */
export interface Occurrence {
  readonly type: string;
  readonly at: number;
  /** The cause of the event: `owner`, `system`, `agent:<run>` … */
  readonly actor: string;
}

export interface Decider<Command, State, Event extends { readonly type: string } = AnyEvent> {
  /** The stream's category: streams are named `<category>-<id>`. It has no hyphen. */
  readonly category: string;
  /**
   * The definitions of its events. Decided events are checked against them before they are appended, stored events are
   * decoded with them before they are folded. An event with an erased payload is skipped, unless its definition has
   * data for that case or the decider has `evolveErased`. The daemon refuses a stream with an event of another type;
   * `daybook/kernel` skips the event.
   */
  readonly events: EventTable<Event['type']>;
  readonly initial: State;
  /** No decision depends on the state: its streams, which may be long, are not read for a command. */
  readonly isStateless?: true;
  decide(command: Command, state: State, context: Context): Decision<Event>;
  evolve(state: State, event: Event & Occurrence): State;
  /** The state after an event that lost its payload, where the type alone says enough. */
  evolveErased?(state: State, event: Occurrence): State;
}

/**
 * The streams of one atomic commit, for rules that concern several of them. The version of every stream that is read is
 * a condition of the commit; after a conflict everything is decided again. All methods are synchronous.
 */
export interface UnitOfWork {
  read<State>(decider: Decider<never, State>, id: string): State;
  /**
   * Decides a command of another stream and returns the resulting state. Its events join the commit; its refusal is
   * thrown and refuses the whole commit.
   */
  send<Command, State>(decider: Decider<Command, State>, id: string, command: Command): State;
  /**
   * Decides a command whose decision does not depend on the state. The stream is not read: the events join the commit
   * at any version of it, and never conflict, unless `read` or `send` read the stream too. Their state includes them.
   */
  sendUnconditional<Command, State>(decider: Decider<Command, State>, id: string, command: Command): void;
  /** As `sendUnconditional`, but the commit conflicts with everything that is appended to the stream from now on. */
  sendUnread<Command, State>(decider: Decider<Command, State>, id: string, command: Command): void;
}

/** Sends commands to other streams, in the same commit as a change. Pure; called again after a conflict. */
export type Policy<State> = (
  unit: UnitOfWork,
  change: { readonly id: string; readonly before: State; readonly after: State },
) => Refusal | undefined;
