/** Marble tests of the operators. */
import { Subject, timer } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { describe, expect, it } from 'vitest';
import { nextTurn$, paced, select, uniquePerTurn } from '../../src/streams/operators.ts';
import { event } from './marbles.ts';

function scheduler(): TestScheduler {
  return new TestScheduler((actual, expected) => expect(actual).toEqual(expected));
}

describe('select', () => {
  const run = event(1, { stream: 'run-a', type: 'RunQueued' });
  const done = event(2, { stream: 'run-a', type: 'RunCompleted' });
  const other = event(3, { stream: 'run-b', type: 'RunQueued' });
  const longer = event(4, { stream: 'runner-a', type: 'RunQueued' });
  const batches = { a: [run, longer], b: [done, other], c: [longer] };

  it.each([
    { selection: {}, expected: '-a-b-c|', values: batches },
    { selection: { category: 'run' }, expected: '-a-b--|', values: { a: [run], b: [done, other] } },
    { selection: { stream: 'run-a' }, expected: '-a-b--|', values: { a: [run], b: [done] } },
    { selection: { types: ['RunQueued'] }, expected: '-a-b-c|', values: { a: [run, longer], b: [other], c: [longer] } },
    { selection: { category: 'run', types: ['RunCompleted'] }, expected: '---b--|', values: { b: [done] } },
    { selection: { stream: 'run-c' }, expected: '------|', values: {} },
  ])('$selection', ({ selection, expected, values }) => {
    scheduler().run(({ hot, expectObservable }) => {
      expectObservable(hot('-a-b-c|', batches).pipe(select(selection))).toBe(expected, values);
    });
  });
});

describe('uniquePerTurn', () => {
  it('emits each distinct value once in the next turn, and then starts again', () => {
    scheduler().run(({ hot, expectObservable }) => {
      const values$ = hot('              -aba---b-c---|');
      const turn$ = timer(4);
      expectObservable(values$.pipe(uniquePerTurn(turn$))).toBe('-----x-----y-|', { x: ['a', 'b'], y: ['b', 'c'] });
    });
  });

  it('a value that arrives during an emission belongs to the next turn', async () => {
    const values$ = new Subject<string>();
    const turns: (readonly string[])[] = [];
    values$.pipe(uniquePerTurn()).subscribe((values) => {
      turns.push(values);
      if (turns.length === 1) values$.next('again');
    });
    values$.next('first');
    for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(turns).toEqual([['first'], ['again']]);
  });
});

describe('paced', () => {
  /** Subscribers whose work takes as long as the turn. */
  const busyFor = (ms: number, test: TestScheduler) => ({ turn$: timer(ms), now: () => test.now() });

  it('2 ms of work are followed by a pause of 2 ms and then the newest value; then it starts again', () => {
    const test = scheduler();
    test.run(({ hot, expectObservable }) => {
      const values$ = hot('                 -ab-c-d-----e------|');
      expectObservable(values$.pipe(paced(busyFor(2, test)))).toBe('-a---c---d---e-----|');
    });
  });

  it('makes no pause without work', () => {
    const test = scheduler();
    test.run(({ hot, expectObservable }) => {
      const values$ = hot('                                        -ab-(cd)-e|');
      expectObservable(values$.pipe(paced(busyFor(0, test)))).toBe('-ab-(cd)-e|');
    });
  });

  it('emits a waiting value before it completes', () => {
    const test = scheduler();
    test.run(({ hot, expectObservable }) => {
      const values$ = hot('                                        -ab|');
      expectObservable(values$.pipe(paced(busyFor(2, test)))).toBe('-a---(b|)');
    });
  });
});

it('nextTurn$ emits after the current turn, and not when unsubscribed', async () => {
  const seen: string[] = [];
  nextTurn$.subscribe(() => seen.push('kept'));
  nextTurn$.subscribe(() => seen.push('dropped')).unsubscribe();
  expect(seen).toEqual([]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(seen).toEqual(['kept']);
});
