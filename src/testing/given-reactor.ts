/**
 * Example-based tests of reactors: given events of a stream, then this effect is due; when performed, it sends these
 * commands.
 *
 *     givenReactor(reactor, events).thenEffect({ key: 'ask 1', kind: 'ask' });
 *     (await givenReactor(reactor, events).whenPerformed()).thenCommands([{ type: 'RecordAnswer', … }]);
 */
import type { AnyEvent } from '../commands/decider.ts';
import { isRefusal, Refused } from '../commands/refusal.ts';
import type { Reactor } from '../streams/reactor.ts';
import { assertSame } from './difference.ts';
import { fold, type GivenEvent, type Moment } from './given.ts';

export interface GivenReactor<Command, Event, Effect> {
  /** The effect that is due; undefined if there is none. */
  readonly effect: (Effect & { readonly key: string }) | undefined;
  /** Asserts that this effect is due. Omitted fields are not compared. */
  thenEffect(expected: Partial<Effect & { readonly key: string }>): void;
  /** Asserts that no effect is due. */
  thenRests(): void;
  /** Performs the effect that is due, and decides the commands that it sends. */
  whenPerformed(signal?: AbortSignal): Promise<Performed<Command, Event>>;
}

export interface Performed<Command, Event> {
  readonly commands: readonly Command[];
  readonly events: readonly Event[];
  thenCommands(expected: readonly Command[]): void;
  thenTypes(...types: readonly string[]): void;
}

export function givenReactor<Command, State, Event extends AnyEvent, Effect>(
  reactor: Reactor<Command, State, Event, Effect>,
  events: readonly GivenEvent<Event>[] = [],
  { id = 'an-id', now = 1 }: Moment = {},
): GivenReactor<Command, Event, Effect> {
  const { decider } = reactor;
  const before = fold(decider, decider.initial, events);
  const effect = reactor.next(before);
  return {
    effect,
    thenEffect(expected) {
      const fields = Object.keys(expected);
      const named = effect && Object.fromEntries(Object.entries(effect).filter(([name]) => fields.includes(name)));
      assertSame(named, expected, 'The effect that is due differs');
    },
    thenRests() {
      assertSame(effect, undefined, 'The stream does not rest');
    },
    async whenPerformed(signal = new AbortController().signal) {
      if (effect === undefined) throw new Error('The stream rests: there is no effect to perform.');
      let state = before;
      const commands: Command[] = [];
      const decided: Event[] = [];
      const send = async (command: Command): Promise<State> => {
        commands.push(command);
        const decision = decider.decide(command, state, { id, now });
        if (isRefusal(decision)) throw new Refused(decision);
        decided.push(...decision);
        state = fold(decider, state, decision);
        return state;
      };
      await reactor.admit?.(effect, { id, signal });
      await reactor.perform(effect, { id, signal, send, state: () => state, ensureHeld: () => undefined });
      return performed(commands, decided);
    },
  };
}

function performed<Command, Event extends AnyEvent>(
  commands: readonly Command[],
  events: readonly Event[],
): Performed<Command, Event> {
  return {
    commands,
    events,
    thenCommands: (expected) => assertSame(commands, expected, 'The commands of the effect differ'),
    thenTypes(...types) {
      const found = events.map(({ type }) => type);
      assertSame(found, types, 'The types of the events that the effect led to differ');
    },
  };
}
