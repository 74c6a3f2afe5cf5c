/**
 * What holds for every decider, over histories that random commands made: a command that took effect has no second
 * effect, and its events, in whatever order, make no fold throw.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRefusal } from '../../src/commands/refusal.ts';
import { eventsOf } from '../support/arbitrary.ts';
import { commandOf, DECIDERS, type Move, moves } from './moves.ts';

/**
 * Commands that are increments, not wishes: two equal pieces of an answer are two pieces, and a second wrong code is a
 * second attempt.
 */
function isIncrement(command: unknown): boolean {
  const { type, code, local } = command as { type: string; code?: string; local?: boolean };
  return type === 'RecordFrames' || (type === 'ExchangePairing' && code === 'wrong' && local === false);
}

type Folded = Map<string, unknown>;

function decide(states: Folded, of: Move, command: unknown) {
  const decider = DECIDERS[of.of];
  const state = states.get(of.id) ?? decider.initial;
  const decision = decider.decide(command, state, { id: 'an-id', now: 1 });
  if (isRefusal(decision)) return decision;
  const after = decision.reduce(
    (folded: unknown, event) => decider.evolve(folded, { ...event, at: 1, actor: 'owner' }),
    state,
  );
  states.set(of.id, after);
  return decision;
}

const stateOf = (states: Folded, of: Move): unknown => states.get(of.id) ?? DECIDERS[of.of].initial;

describe('every decider', () => {
  it('makes no second event of the same command', () => {
    const effects: Record<string, number> = {};
    fc.assert(
      fc.property(moves(80), (history) => {
        const states: Folded = new Map();
        for (const each of history) {
          const command = commandOf(each, stateOf(states, each));
          const first = decide(states, each, command);
          if (isRefusal(first) || first.length === 0 || isIncrement(command)) continue;
          const type = (command as { type: string }).type;
          effects[type] = (effects[type] ?? 0) + 1;
          const second = decide(states, each, command);
          expect(isRefusal(second) ? [] : second).toEqual([]);
        }
      }),
      { numRuns: 300 },
    );
    // The histories were worth it: every kind of command took effect somewhere.
    expect(Object.keys(effects).sort()).toEqual([
      'AnswerApproval',
      'BeginRun',
      'CancelRun',
      'ChangeTask',
      'CreateTask',
      'EndBackoff',
      'ExchangePairing',
      'FailRun',
      'OfferPairing',
      'RecordAnswer',
      'RecordModelFailure',
      'RecordTool',
      'RecoverRun',
      'RemoveHarnessOverride',
      'RequestRun',
      'ResumeRun',
      'SetHarnessOverride',
      'StartModelCall',
      'StartTool',
    ]);
  });

  it('decides without changing the state it was given', () => {
    fc.assert(
      fc.property(moves(40), (history) => {
        const states: Folded = new Map();
        for (const each of history) {
          const before = structuredClone(stateOf(states, each));
          const given = stateOf(states, each);
          decide(states, each, commandOf(each, given));
          expect(given).toEqual(before);
        }
      }),
      { numRuns: 60 },
    );
  });

  it.each(Object.entries(DECIDERS))('%s folds its events without throwing, in any order', (name, decider) => {
    fc.assert(
      fc.property(moves(30), fc.array(eventsOf(decider), { maxLength: 6 }), (history, events) => {
        const states: Folded = new Map();
        for (const each of history) decide(states, each, commandOf(each, stateOf(states, each)));
        const from = history.find((each) => each.of === name);
        let state: unknown = from === undefined ? decider.initial : stateOf(states, from);
        for (const each of events) {
          state = decider.evolve(state, each);
          expect(state).toBeTypeOf('object');
        }
      }),
      { numRuns: 100 },
    );
  });
});
