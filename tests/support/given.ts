/** given(events).when(command) for deciders: folds, decides, and returns the decision. */
import { expect } from 'vitest';
import type { Decider } from '../../src/commands/decider.ts';
import { isRefusal, type RefusalKind } from '../../src/commands/refusal.ts';

type Named = { readonly type: string; readonly data: unknown };

export function decider<Command, State, Event extends Named>(of: Decider<Command, State, Event>) {
  const fold = (events: readonly Event[], from: State): State =>
    events.reduce((state, event) => of.evolve(state, { ...event, at: 1, actor: 'owner' }), from);
  return {
    fold: (events: readonly Event[]) => fold(events, of.initial),
    given(...events: readonly Event[]) {
      const state = fold(events, of.initial);
      return {
        state,
        when(command: Command, now = 1) {
          const decision = of.decide(command, state, { id: 'an-id', now });
          return {
            events(): readonly Event[] {
              if (isRefusal(decision)) throw new Error(`refused: ${decision.kind} ${decision.message}`);
              return decision;
            },
            after: () => (isRefusal(decision) ? state : fold(decision, state)),
            thenEvents(...expected: readonly unknown[]) {
              expect(isRefusal(decision) ? decision : [...decision]).toEqual(expected);
            },
            thenTypes(...types: readonly string[]) {
              expect(isRefusal(decision) ? decision : decision.map((event) => event.type)).toEqual(types);
            },
            thenNothing() {
              expect(decision).toEqual([]);
            },
            thenRefused(kind: RefusalKind) {
              expect(isRefusal(decision) ? decision.kind : decision).toBe(kind);
            },
          };
        },
      };
    },
  };
}
