/** Marble tests of pulling: one value for each demand, as soon as there is one. */
import { EMPTY, NEVER, type Observable, of, timer } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { describe, expect, it } from 'vitest';
import { latestOnDemand, pull } from '../../src/streams/pull.ts';

function scheduler(): TestScheduler {
  return new TestScheduler((actual, expected) => expect(actual).toEqual(expected));
}

/** A queue that each of `news$` makes one longer. */
function queue(news$: Observable<unknown>, length = 0) {
  let stored = length;
  news$.subscribe(() => {
    stored += 1;
  });
  let taken = 0;
  return {
    news$,
    next() {
      if (taken === stored) return null;
      taken += 1;
      return String(taken);
    },
    isCurrent: () => taken >= stored,
    turn$: timer(1),
  };
}

describe('pull', () => {
  it('subscribing asks for the first value; each demand asks for one more; repeated demand counts once', () => {
    scheduler().run(({ hot, expectObservable }) => {
      const news$ = hot('                                     --n--n-n-------n---n');
      const demand$ = hot('                                   ----d-----d-dd------');
      expectObservable(pull({ ...queue(news$), demand$ })).toBe('---1--2----3----4---');
    });
  });

  it('a consumer that is behind gets one value a turn, however fast it asks', () => {
    scheduler().run(({ hot, expectObservable }) => {
      const demand$ = hot('                                  ----ddd---d---');
      const options = { ...queue(NEVER, 9), demand$, turn$: timer(3) };
      expectObservable(pull(options)).toBe('                  ---1---2-----3');
    });
  });

  it('calls next again in the next turn while it returns null and is not current', () => {
    scheduler().run(({ expectObservable }) => {
      let looked = 0;
      const next = (): string | null => {
        looked += 1;
        return looked < 4 ? null : 'x';
      };
      expectObservable(
        pull({ news$: NEVER, demand$: NEVER, next, isCurrent: () => looked >= 4, turn$: timer(1) }),
      ).toBe('----x');
    });
  });

  it('completes when all values are taken and news$ has completed', () => {
    scheduler().run(({ hot, expectObservable }) => {
      const news$ = hot('                                        --n|');
      const demand$ = hot('                                      -----d--d');
      expectObservable(pull({ ...queue(news$, 1), demand$ })).toBe('-1----2--|');
      expectObservable(pull({ ...queue(EMPTY, 1), demand$ })).toBe('-1----|');
      expectObservable(pull({ ...queue(EMPTY), demand$ })).toBe('-|');
    });
  });

  it('calls whileBlocked for news while the last value is not taken; an error of it ends the Observable', () => {
    scheduler().run(({ hot, expectObservable }) => {
      let blocked = 0;
      const whileBlocked = (): void => {
        blocked += 1;
        if (blocked > 2) throw new Error('behind');
      };
      const news$ = hot('  -n-n---n-n-n');
      const demand$ = hot('--d---------');
      const expected = '   -1-2-------#';
      const options = { ...queue(news$), demand$, whileBlocked, turn$: of(null) };
      expectObservable(pull(options)).toBe(expected, undefined, new Error('behind'));
    });
  });

  it('errors with the error of next', () => {
    scheduler().run(({ expectObservable }) => {
      const next = (): string | null => {
        throw new Error('unreadable');
      };
      const broken = { news$: NEVER, demand$: NEVER, next, isCurrent: () => false, turn$: timer(1) };
      expectObservable(pull(broken)).toBe('-#', undefined, new Error('unreadable'));
    });
  });

  it('does not call next after an unsubscription before its turn', () => {
    scheduler().run(({ hot, expectObservable, expectSubscriptions }) => {
      const demand$ = hot('-d');
      const result$ = pull({ ...queue(of('n'), 3), demand$ });
      expectObservable(result$, '^!').toBe('');
      expectSubscriptions(demand$.subscriptions).toBe('^!');
    });
  });
});

it('latestOnDemand drops values that were superseded before the consumer asked', () => {
  scheduler().run(({ hot, expectObservable }) => {
    const values$ = hot('                                      -ab-c----d-|');
    const demand$ = hot('                                      ------d-d--d');
    expectObservable(values$.pipe(latestOnDemand(demand$, of(null)))).toBe('-a----c--d-|');
  });
});
