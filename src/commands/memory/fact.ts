/**
 * The decider of the facts of one (subject, predicate): at every moment at most one of them holds.
 *
 * - Ordered by `valid_from`, each fact holds until the next one begins. A fact that is recorded late is inserted in
 *   this order: it closes the previous fact and is closed by the next one.
 * - Of two facts that begin at the same moment, the one recorded later wins; the other holds for no time.
 * - There is no event when the fact is already recorded: the same object from the same moment, or, without a moment,
 *   the object that holds now.
 */
import { type FactBody, type FactEvent, factEvents } from '../../events/memory/facts.ts';
import type { Decider } from '../decider.ts';

export type FactCommand =
  | { readonly type: 'AssertFact'; readonly fact: FactBody; readonly dated: boolean }
  | { readonly type: 'DeleteFact'; readonly id: string; readonly positions: readonly number[] }
  | {
      readonly type: 'SealFact';
      readonly fact: FactBody;
      readonly valid_to: number | null;
      readonly recorded_at: number;
      readonly positions: readonly number[];
    };

interface RecordedFact {
  readonly id: string;
  readonly object_key: string;
  readonly valid_from: number;
  readonly valid_to: number | null;
}

/** In the order in which they hold; equal beginnings in the order in which they were recorded. */
export type FactState = readonly RecordedFact[];

export const fact: Decider<FactCommand, FactState, FactEvent> = {
  category: 'fact',
  events: factEvents,
  initial: [],
  decide(command, state) {
    if (command.type === 'SealFact') {
      const { valid_to, recorded_at, positions } = command;
      if (state.some(({ id }) => id === command.fact.id)) return [];
      return [{ type: 'FactSealed', data: { ...command.fact, valid_to, recorded_at, positions: [...positions] } }];
    }
    if (command.type === 'DeleteFact') return deletion(state, command);
    return recordedAs(state, command) === undefined ? assertion(state, command.fact) : [];
  },
  evolve(state, event) {
    switch (event.type) {
      case 'FactAsserted':
        return placed(state, { ...knownOf(event.data), valid_to: null });
      case 'FactSealed':
        return placed(state, { ...knownOf(event.data), valid_to: event.data.valid_to });
      case 'FactDeleted':
        return state.filter(({ id }) => id !== event.data.id);
      case 'FactReopened':
      case 'FactClosed':
        return state.map((known) => (known.id === event.data.id ? { ...known, valid_to: event.data.valid_to } : known));
    }
  },
};

/** The recorded fact that equals the asserted one. */
export function recordedAs(state: FactState, asserted: { readonly fact: FactBody; readonly dated: boolean }) {
  const { object_key, valid_from } = asserted.fact;
  return state.find(
    (known) =>
      known.object_key === object_key &&
      (asserted.dated
        ? known.valid_from === valid_from && known.valid_to !== known.valid_from
        : holdsAt(known, valid_from)),
  );
}

/** A fact has an end if a later one is already recorded. */
function holdsAt({ valid_from, valid_to }: RecordedFact, moment: number): boolean {
  return valid_from <= moment && (valid_to === null || moment < valid_to);
}

function assertion(state: FactState, asserted: FactBody): readonly FactEvent[] {
  const at = insertionIndex(state, asserted.valid_from);
  const before = state[at - 1];
  const after = state[at];
  const events: FactEvent[] = [{ type: 'FactAsserted', data: asserted }];
  if (before !== undefined && before.valid_to !== asserted.valid_from) {
    events.push(closed(before.id, asserted.valid_from, asserted.id));
  }
  if (after !== undefined) events.push(closed(asserted.id, after.valid_from, after.id));
  return events;
}

/** The fact before the deleted one holds again, until the one after it. */
function deletion(
  state: FactState,
  { id, positions }: { readonly id: string; readonly positions: readonly number[] },
): readonly FactEvent[] {
  const at = state.findIndex((known) => known.id === id);
  if (at < 0) return [];
  const before = state[at - 1];
  const valid_to = state[at + 1]?.valid_from ?? null;
  const events: FactEvent[] = [{ type: 'FactDeleted', data: { id, positions: [...positions] } }];
  if (before !== undefined && before.valid_to !== valid_to) {
    events.push({ type: 'FactReopened', data: { id: before.id, valid_to } });
  }
  return events;
}

function closed(id: string, valid_to: number, closed_by: string): FactEvent {
  return { type: 'FactClosed', data: { id, valid_to, closed_by } };
}

/** The index after the last fact that does not begin later. */
function insertionIndex(state: FactState, valid_from: number): number {
  let at = state.length;
  while (at > 0 && state[at - 1]!.valid_from > valid_from) at -= 1;
  return at;
}

function placed(state: FactState, known: RecordedFact): FactState {
  return state.toSpliced(insertionIndex(state, known.valid_from), 0, known);
}

function knownOf({ id, object_key, valid_from }: FactBody): Omit<RecordedFact, 'valid_to'> {
  return { id, object_key, valid_from };
}
