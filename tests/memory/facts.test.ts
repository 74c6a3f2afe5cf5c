/** Facts of one subject and predicate: at every moment at most one holds, in whatever order they are recorded. */
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { type FactCommand, type FactState, fact } from '../../src/commands/memory/fact.ts';
import type { FactBody, FactEvent } from '../../src/events/memory/facts.ts';
import { byDepth } from '../support/depth.ts';
import { decider } from '../support/given.ts';

const HISTORIES = byDepth({ sample: 10_000, dense: 100_000 });
const { given, fold } = decider(fact);

function body(id: string, object: string, valid_from: number): FactBody {
  const words = { subject: 's', predicate: 'p', object, sealed: null, object_key: object, line_key: object };
  return { id, ...words, valid_from, confidence: 1 };
}

const tell = (id: string, object: string, valid_from: number) =>
  ({ type: 'AssertFact', fact: body(id, object, valid_from), dated: true }) as const;
const told = (id: string, object: string, valid_from: number) =>
  ({ type: 'FactAsserted', data: body(id, object, valid_from) }) as const;
const closed = (id: string, valid_to: number, closed_by: string) =>
  ({ type: 'FactClosed', data: { id, valid_to, closed_by } }) as const;

describe('a fact', () => {
  it('is recorded', () =>
    given()
      .when(tell('a', 'Paris', 10))
      .thenEvents(told('a', 'Paris', 10)));

  it('ends the one that held', () =>
    given(told('a', 'Paris', 10))
      .when(tell('b', 'Oslo', 20))
      .thenEvents(told('b', 'Oslo', 20), closed('a', 20, 'b')));

  it('recorded late takes its place between', () =>
    given(told('a', 'Paris', 10), told('b', 'Oslo', 30), closed('a', 30, 'b'))
      .when(tell('c', 'Rome', 20))
      .thenEvents(told('c', 'Rome', 20), closed('a', 20, 'c'), closed('c', 30, 'b')));

  it('recorded late from before all others ends where they begin', () =>
    given(told('a', 'Paris', 10))
      .when(tell('b', 'Bern', 5))
      .thenEvents(told('b', 'Bern', 5), closed('b', 10, 'a')));

  it('from the same moment wins over the one recorded before', () =>
    given(told('a', 'Paris', 10))
      .when(tell('b', 'Oslo', 10))
      .thenEvents(told('b', 'Oslo', 10), closed('a', 10, 'b')));

  // It ended before it was recorded, and the earlier one held on.
  it('without a moment ends the one that held, also under a clock that was set back', () => {
    const now = (id: string, object: string, seconds: number) =>
      ({ type: 'AssertFact', fact: body(id, object, seconds), dated: false }) as const;
    const held = given({ ...told('a', 'Paris', 20), at: 20_000 });
    held.when(now('b', 'Oslo', 10)).thenEvents(told('b', 'Oslo', 20), closed('a', 20, 'b'));
    held.when(now('b', 'Paris', 10)).thenNothing();
    given({ ...told('a', 'Paris', 20), at: 9_000 })
      .when(now('b', 'Oslo', 10))
      .thenEvents(told('b', 'Oslo', 10), closed('b', 20, 'a'));
  });

  it('that is deleted leaves its time to the one before it', () => {
    const history = [told('a', 'Paris', 10), told('b', 'Oslo', 20), closed('a', 20, 'b')];
    const drop = (id: string) => ({ type: 'DeleteFact', id, positions: [7] }) as const;
    const deleted = (id: string): FactEvent => ({ type: 'FactDeleted', data: { id, positions: [7] } });
    const reopened = (id: string, valid_to: number | null) =>
      ({ type: 'FactReopened', data: { id, valid_to } }) as const;
    given(history).when(drop('b')).thenEvents(deleted('b'), reopened('a', null));
    given(history).when(drop('a')).thenEvents(deleted('a'));
    given(history).when(drop('nobody')).thenNothing();
    given(history, told('c', 'Rome', 30), closed('b', 30, 'c'))
      .when(drop('b'))
      .thenEvents(deleted('b'), reopened('a', 30));
    given(history, deleted('b'), reopened('a', null)).when(drop('b')).thenNothing();
  });

  it('keeps its end when the fact that ended it is erased, whatever is recorded or deleted after that', () => {
    const history = [told('a', 'Paris', 10), closed('a', 20, 'erased'), told('c', 'Rome', 30)];
    given(history)
      .when(tell('d', 'Bern', 25))
      .thenEvents(told('d', 'Bern', 25), closed('d', 30, 'c'));
    given(history)
      .when({ type: 'DeleteFact', id: 'c', positions: [] })
      .thenEvents({ type: 'FactDeleted', data: { id: 'c', positions: [] } });
  });

  it('is not recorded twice', () =>
    given(told('a', 'Paris', 10))
      .when(tell('b', 'Paris', 10))
      .thenNothing());

  it('that ended when it began may be recorded again from the same moment', () =>
    given(told('a', 'Paris', 10), told('b', 'Oslo', 10), closed('a', 10, 'b'))
      .when(tell('c', 'Paris', 10))
      .thenEvents(told('c', 'Paris', 10), closed('b', 10, 'c')));

  it('of the same object from another moment is another fact', () =>
    given(told('a', 'Paris', 10), told('b', 'Oslo', 20), closed('a', 20, 'b'))
      .when(tell('c', 'Paris', 30))
      .thenEvents(told('c', 'Paris', 30), closed('b', 30, 'c')));

  it('is sealed once, with its end, and then holds as before', () => {
    const seal = (id: string, valid_to: number | null, valid_from = 10) =>
      ({ type: 'SealFact', fact: body(id, 'Paris', valid_from), valid_to, recorded_at: 11, positions: [7] }) as const;
    const sealed: FactEvent = {
      type: 'FactSealed',
      data: { ...body('a', 'Paris', 10), valid_to: 20, recorded_at: 11, positions: [7] },
    };
    given().when(seal('a', 20)).thenEvents(sealed);
    given(sealed).when(seal('a', 20)).thenNothing();
    given(sealed)
      .when(seal('b', null, 20))
      .thenTypes('FactSealed');
    given(sealed, told('b', 'Oslo', 20))
      .when(seal('a', 20))
      .thenNothing();
    given(sealed)
      .when(tell('c', 'Oslo', 20))
      .thenEvents(told('c', 'Oslo', 20));
  });

  it('that is sealed ends where a fact begins that was recorded since, and ends the one that held until then', () => {
    const seal = (id: string, valid_from: number, valid_to: number | null) =>
      ({ type: 'SealFact', fact: body(id, id, valid_from), valid_to, recorded_at: 0, positions: [] }) as const;
    const sealed = (id: string, valid_from: number, valid_to: number | null): FactEvent => ({
      type: 'FactSealed',
      data: { ...body(id, id, valid_from), valid_to, recorded_at: 0, positions: [] },
    });
    given(told('new', 'Rome', 20))
      .when(seal('open', 10, null))
      .thenEvents(sealed('open', 10, 20));
    given(told('new', 'Rome', 20))
      .when(seal('long', 10, 30))
      .thenEvents(sealed('long', 10, 20));
    given(told('new', 'Rome', 20))
      .when(seal('late', 30, null))
      .thenEvents(sealed('late', 30, null), closed('new', 30, 'late'));
    given(told('new', 'Rome', 20))
      .when(seal('same', 20, null))
      .thenEvents(sealed('same', 20, 20));
  });

  it('without a moment is not recorded again in the moment in which it begins, and is before it', () => {
    const undated = (at: number) => ({ ...tell('b', 'Paris', at), dated: false });
    given(told('a', 'Paris', 10))
      .when(undated(10))
      .thenNothing();
    given(told('a', 'Paris', 10))
      .when(undated(9))
      .thenTypes('FactAsserted', 'FactClosed');
  });

  it('that holds is not recorded again without a moment', () =>
    given(told('a', 'Paris', 10))
      .when({ ...tell('b', 'Paris', 50), dated: false })
      .thenNothing());

  it('that holds at present is not recorded again either when its successor was recorded before it began', () => {
    const history = [told('a', 'Paris', 10), told('b', 'Mars', 90), closed('a', 90, 'b')];
    given(history)
      .when({ ...tell('c', 'Paris', 50), dated: false })
      .thenNothing();
    given(history)
      .when({ ...tell('c', 'Paris', 90), dated: false })
      .thenTypes('FactAsserted', 'FactClosed');
  });

  it('without a moment may come back after another one held', () =>
    given(told('a', 'Paris', 10), told('b', 'Oslo', 20), closed('a', 20, 'b'))
      .when({ ...tell('c', 'Paris', 50), dated: false })
      .thenTypes('FactAsserted', 'FactClosed'));
});

describe('histories recorded in any order', () => {
  const step = fc.record({
    object: fc.integer({ min: 0, max: 4 }),
    from: fc.integer({ min: -5, max: 20 }),
    /** One in eight steps takes a fact back instead. */
    deletes: fc.nat({ max: 7 }).map((chance) => chance === 0),
  });

  it(`close nothing wrongly (${HISTORIES} of them)`, () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (history) => {
        let state = fold([]);
        let model: { id: string; object: string; from: number }[] = [];
        for (const [at, { object, from, deletes }] of history.entries()) {
          const id = `f${at}`;
          const gone = model[from % Math.max(1, model.length)]?.id ?? 'nobody';
          const command = deletes
            ? ({ type: 'DeleteFact', id: gone, positions: [] } as const)
            : tell(id, `o${object}`, from);
          const decision = fact.decide(command, state, { id: 'an-id', now: at }) as readonly FactEvent[];
          if (deletes) model = model.filter((each) => each.id !== gone);
          else if (decision.length > 0) model.push({ id, object: `o${object}`, from });
          state = decision.reduce((folded, event) => fact.evolve(folded, { ...event, at, actor: 'owner' }), state);
          if ((fact.decide(command, state, { id: 'an-id', now: at }) as unknown[]).length > 0) return false;
        }
        return holdsAs(state, model);
      }),
      { numRuns: HISTORIES },
    );
  });
});

describe('histories that are sealed while further facts are recorded', () => {
  const told = fc.record({ object: fc.integer({ min: 0, max: 4 }), from: fc.integer({ min: -5, max: 20 }) });
  /** How many facts are sealed before each further one. */
  const since = fc.record({ fact: told, sealedBefore: fc.nat({ max: 3 }) });

  it(`hold as if all had been recorded in order (${HISTORIES} of them)`, () => {
    fc.assert(
      fc.property(fc.array(told, { maxLength: 6 }), fc.array(since, { maxLength: 6 }), (before, after) => {
        let at = 0;
        let model: { object: string; from: number }[] = [];
        const grow = (state: FactState, command: FactCommand): FactState => {
          const decision = fact.decide(command, state, { id: 'an-id', now: at }) as readonly FactEvent[];
          return decision.reduce((folded, event) => fact.evolve(folded, { ...event, at, actor: 'owner' }), state);
        };
        const tellIt = (state: FactState, { object, from }: { object: number; from: number }): FactState => {
          at += 1;
          const next = grow(state, tell(`f${at}`, `o${object}`, from));
          if (next !== state) model = [...model, { object: `o${object}`, from }];
          return next;
        };
        const plain = before.reduce(tellIt, fact.initial);
        const unsealed = [...plain];
        const seal = (state: FactState): FactState => {
          const known = unsealed.shift();
          if (known === undefined) return state;
          const { id, object_key, valid_from, valid_to } = known;
          const sealed = { fact: body(id, object_key, valid_from), valid_to, recorded_at: 0, positions: [] };
          return grow(state, { type: 'SealFact', ...sealed });
        };
        let state = fact.initial;
        for (const { fact: further, sealedBefore } of after) {
          for (let count = 0; count < sealedBefore; count += 1) state = seal(state);
          state = tellIt(state, further);
        }
        while (unsealed.length > 0) state = seal(state);
        return holdsAs(state, model);
      }),
      { numRuns: HISTORIES },
    );
  });
});

/** Whether the expected fact, and no other, holds at every moment. */
function holdsAs(state: FactState, model: readonly { object: string; from: number }[]): boolean {
  for (let moment = -6; moment <= 21; moment += 1) {
    const holding = state.filter(
      ({ valid_from, valid_to }) => valid_from <= moment && (valid_to === null || moment < valid_to),
    );
    if (holding.map(({ object_key }) => object_key).join() !== expected(model, moment)) return false;
  }
  return true;
}

/** The expected fact: of all that began by then the one that began last, of these the one recorded last. */
function expected(model: readonly { object: string; from: number }[], moment: number): string {
  const begun = model.filter(({ from }) => from <= moment);
  const latest = Math.max(...begun.map(({ from }) => from));
  const winner = begun.findLast(({ from }) => from === latest);
  return winner?.object ?? '';
}
