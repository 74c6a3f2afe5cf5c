/**
 * The shape of every decider: pure functions from a command and the folded state to events, or a refusal.
 *
 * - No clock, randomness, I/O or `await`: time and chance come in with the command or the context.
 * - `[]` means that nothing needs to happen: the same command twice is no second event.
 * - `evolve` never throws, also for events it does not know.
 */
import type { Refusal } from './refusal.ts';

export type Decision<Event> = readonly Event[] | Refusal;

export interface Context {
  /** Unix time in milliseconds. */
  readonly now: number;
}

/** What a fold may look at beside type and data. */
export interface Occurrence {
  readonly type: string;
  readonly at: number;
}

export interface Decider<Command, State, Event extends { readonly type: string }> {
  /** The stream's category: streams are named `<category>-<id>`. */
  readonly category: string;
  readonly initial: State;
  decide(command: Command, state: State, context: Context): Decision<Event>;
  evolve(state: State, event: Event & Occurrence): State;
}

/**
 * Where a rule that concerns several streams stands: beside the command that is being decided, before its commit. What
 * was read here must still be so when the commit is made, else everything is decided again. All of it is synchronous.
 */
export interface Desk {
  read<Command, State, Event extends AnyEvent>(decider: Decider<Command, State, Event>, id: string): State;
  /** Decides a command of another stream; its events join the commit, its refusal is the refusal of the whole. */
  send<Command, State, Event extends AnyEvent>(
    decider: Decider<Command, State, Event>,
    id: string,
    command: Command,
  ): State;
  /** An event that holds whatever its stream has become meanwhile: it joins the commit and is never in conflict. */
  note(stream: string, event: AnyEvent): void;
}

type AnyEvent = { readonly type: string; readonly data: unknown };

/** What a command brings about in other streams. Pure; it is asked again when a commit met a conflict. */
export type Together<State> = (
  desk: Desk,
  change: { readonly id: string; readonly before: State; readonly after: State },
) => Refusal | undefined;

/**
 * A fold that never throws: an event whose data is not what its type promises (an older or newer build wrote it, its
 * payload was erased) leaves the state as it was.
 */
export function total<State, Event>(
  evolve: (state: State, event: Event) => State,
): (state: State, event: Event) => State {
  return (state, event) => {
    try {
      return evolve(state, event);
    } catch {
      return state;
    }
  };
}
