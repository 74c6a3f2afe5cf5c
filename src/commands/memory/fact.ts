/**
 * The decider of the facts of one (subject, predicate): at every moment at most one of them holds.
 *
 * - Ordered by `valid_from`, each fact holds until the next one begins. A fact that is recorded late is inserted in
 *   this order: it closes the previous fact and is closed by the next one.
 * - Of two facts that begin at the same moment, the one recorded later wins; the other holds for no time.
 * - A fact from before encryption is inserted in the same order: facts may have been recorded since on its new stream.
 * - A fact without a moment begins now, also under a clock that was set back: not before a fact that had begun when it
 *   was recorded.
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
  /** Whether it is from before encryption: older than every other fact of its stream. */
  readonly isSealed: boolean;
  /** Whether it had begun when it was recorded. */
  readonly hasBegun: boolean;
}

/** In the order in which they hold; equal beginnings in the order in which they were recorded. */
export type FactState = readonly RecordedFact[];

export const fact: Decider<FactCommand, FactState, FactEvent> = {
  category: 'fact',
  events: factEvents,
  initial: [],
  decide(command, state) {
    if (command.type === 'SealFact') return sealing(state, command);
    if (command.type === 'DeleteFact') return deletion(state, command);
    return recordedAs(state, command) === undefined ? assertion(state, dated(state, command)) : [];
  },
  evolve(state, event) {
    switch (event.type) {
      case 'FactAsserted':
        return placed(state, { ...knownOf(event.data, event.at), valid_to: null, isSealed: false });
      case 'FactSealed':
        return placed(state, {
          ...knownOf(event.data, event.data.recorded_at),
          valid_to: event.data.valid_to,
          isSealed: true,
        });
      case 'FactDeleted':
        return state.filter(({ id }) => id !== event.data.id);
      case 'FactReopened':
      case 'FactClosed':
        return state.map((known) => (known.id === event.data.id ? { ...known, valid_to: event.data.valid_to } : known));
    }
  },
};

type Asserted = Pick<Extract<FactCommand, { readonly type: 'AssertFact' }>, 'fact' | 'dated'>;

/** The fact with the moment from which it holds. */
function dated(state: FactState, asserted: Asserted): FactBody {
  if (asserted.dated) return asserted.fact;
  const last = state.findLast(({ hasBegun }) => hasBegun);
  return { ...asserted.fact, valid_from: Math.max(asserted.fact.valid_from, last?.valid_from ?? 0) };
}

/** The recorded fact that equals the asserted one. */
export function recordedAs(state: FactState, asserted: Asserted) {
  const { object_key, valid_from } = dated(state, asserted);
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
  const at = insertionIndex(state, { ...asserted, isSealed: false });
  const before = state[at - 1];
  const after = state[at];
  const events: FactEvent[] = [{ type: 'FactAsserted', data: asserted }, ...closedBy(asserted, before)];
  if (after !== undefined) events.push(closed(asserted.id, after.valid_from, after.id));
  return events;
}

/**
 * It keeps its end, unless a fact that was recorded since begins earlier; and it ends the fact that held until then.
 * Facts are sealed in the order in which they hold.
 */
function sealing(state: FactState, command: Extract<FactCommand, { readonly type: 'SealFact' }>): readonly FactEvent[] {
  const { fact: sealed, recorded_at, positions } = command;
  if (state.some(({ id }) => id === sealed.id)) return [];
  const at = insertionIndex(state, { ...sealed, isSealed: true });
  const valid_to = earliest(command.valid_to, state[at]?.valid_from ?? null);
  const data = { ...sealed, valid_to, recorded_at, positions: [...positions] };
  return [{ type: 'FactSealed', data }, ...closedBy(sealed, state[at - 1])];
}

/** A fact before it that had ended earlier keeps its end: the fact between the two is erased. */
function closedBy({ id, valid_from }: FactBody, before: RecordedFact | undefined): readonly FactEvent[] {
  return before !== undefined && holdsAt(before, valid_from) ? [closed(before.id, valid_from, id)] : [];
}

/** null is without end. */
function earliest(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

/** The fact that held until the deleted one began holds again, until the one after it. */
function deletion(
  state: FactState,
  { id, positions }: { readonly id: string; readonly positions: readonly number[] },
): readonly FactEvent[] {
  const at = state.findIndex((known) => known.id === id);
  if (at < 0) return [];
  const [before, deleted] = [state[at - 1], state[at]!];
  const valid_to = state[at + 1]?.valid_from ?? null;
  const events: FactEvent[] = [{ type: 'FactDeleted', data: { id, positions: [...positions] } }];
  if (before?.valid_to === deleted.valid_from && before.valid_to !== valid_to) {
    events.push({ type: 'FactReopened', data: { id: before.id, valid_to } });
  }
  return events;
}

function closed(id: string, valid_to: number, closed_by: string): FactEvent {
  return { type: 'FactClosed', data: { id, valid_to, closed_by } };
}

/** The index after the last fact that does not begin later and, if it begins at the same moment, is not newer. */
function insertionIndex(
  state: FactState,
  { valid_from, isSealed }: Pick<RecordedFact, 'valid_from' | 'isSealed'>,
): number {
  const isLater = (known: RecordedFact): boolean =>
    known.valid_from > valid_from || (known.valid_from === valid_from && isSealed && !known.isSealed);
  let at = state.length;
  while (at > 0 && isLater(state[at - 1]!)) at -= 1;
  return at;
}

function placed(state: FactState, known: RecordedFact): FactState {
  return state.toSpliced(insertionIndex(state, known), 0, known);
}

/** `recordedAt` in Unix milliseconds. */
function knownOf({ id, object_key, valid_from }: FactBody, recordedAt: number) {
  return { id, object_key, valid_from, hasBegun: valid_from * 1000 <= recordedAt };
}
