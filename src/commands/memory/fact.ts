/**
 * The rules of the facts of one (subject, predicate): at every moment at most one of them holds.
 *
 * - Ordered by `valid_from`, each fact holds until the next one begins. One that is told late is put in its place: it
 *   shortens the fact before it and is itself closed by the one after it.
 * - Of two that begin at the same moment the one told later wins; the other held for no time at all.
 * - What is true already is not told twice: the same object from the same moment, or, told without a moment, the object
 *   that holds now.
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

interface Known {
  readonly id: string;
  readonly object_key: string;
  readonly valid_from: number;
  readonly valid_to: number | null;
}

/** In the order in which they held; equal beginnings in the order in which they were told. */
export type FactState = readonly Known[];

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
    return knownAs(state, command) === undefined ? assertion(state, command.fact) : [];
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

/** The fact that says already what is asserted. */
export function knownAs(state: FactState, asserted: { readonly fact: FactBody; readonly dated: boolean }) {
  const { object_key, valid_from } = asserted.fact;
  return state.find(
    (known) =>
      known.object_key === object_key &&
      (asserted.dated
        ? known.valid_from === valid_from && known.valid_to !== known.valid_from
        : heldAt(known, valid_from)),
  );
}

/** It may have an end already, when what comes after it was told before its time. */
function heldAt({ valid_from, valid_to }: Known, moment: number): boolean {
  return valid_from <= moment && (valid_to === null || moment < valid_to);
}

function assertion(state: FactState, asserted: FactBody): readonly FactEvent[] {
  const at = placeOf(state, asserted.valid_from);
  const before = state[at - 1];
  const after = state[at];
  const events: FactEvent[] = [{ type: 'FactAsserted', data: asserted }];
  if (before !== undefined && before.valid_to !== asserted.valid_from) {
    events.push(closed(before.id, asserted.valid_from, asserted.id));
  }
  if (after !== undefined) events.push(closed(asserted.id, after.valid_from, after.id));
  return events;
}

/** The fact before it holds again, up to the one after it. */
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

/** Behind every fact that begins no later. */
function placeOf(state: FactState, valid_from: number): number {
  let at = state.length;
  while (at > 0 && state[at - 1]!.valid_from > valid_from) at -= 1;
  return at;
}

function placed(state: FactState, known: Known): FactState {
  return state.toSpliced(placeOf(state, known.valid_from), 0, known);
}

function knownOf({ id, object_key, valid_from }: FactBody): Omit<Known, 'valid_to'> {
  return { id, object_key, valid_from };
}
