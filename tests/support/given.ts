/** `given` of `daybook/testing` for one decider: events and lists of events are arguments. */
import type { AnyEvent, Decider } from '../../src/commands/decider.ts';
import type { RefusalKind } from '../../src/commands/refusal.ts';
import { fold, type GivenEvent, given } from '../../src/testing/given.ts';

export function decider<Command, State, Event extends AnyEvent>(of: Decider<Command, State, Event>) {
  return {
    fold: (events: readonly Event[]) => fold(of, of.initial, events),
    given(...events: readonly (GivenEvent<Event> | readonly GivenEvent<Event>[])[]) {
      const before = given(
        of,
        events.flatMap<GivenEvent<Event>>((each) => each),
      );
      return {
        state: before.state,
        when(command: Command, now = 1) {
          const when = before.when(command, { now });
          return {
            events: () => when.events,
            after: () => when.state,
            thenEvents: (...expected: readonly Event[]) => when.then(expected),
            thenTypes: when.thenTypes,
            thenNothing: () => when.then([]),
            thenRefused: (kind: RefusalKind) => when.thenRefused(kind),
          };
        },
      };
    },
  };
}
