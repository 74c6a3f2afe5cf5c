/** Shared turns in virtual time: slices of 5 ms, in the order of requests. */
import { type Observable, repeat, timer, VirtualTimeScheduler } from 'rxjs';
import { expect, it } from 'vitest';
import { fairTurns } from '../../src/streams/fair-turns.ts';

const WORK_MS = 2;

/** Turns of the event loop are one frame apart; each piece of work takes 2 ms of the clock. */
function eventLoop() {
  const scheduler = new VirtualTimeScheduler();
  let now = 0;
  const worked: string[] = [];
  const turns$ = fairTurns({ turn$: timer(1, scheduler), now: () => now });
  const work = (name: string, on$: Observable<void> = turns$) =>
    on$.subscribe(() => {
      now += WORK_MS;
      worked.push(`${scheduler.frame}${name}`);
    });
  return { scheduler, turns$, work, worked };
}

it('one turn of the event loop serves as many consumers as fit into 5 ms, in the order they came', () => {
  const { scheduler, work, worked } = eventLoop();
  for (const name of 'abcdefg') work(name);
  expect(worked).toEqual([]);
  scheduler.flush();
  expect(worked).toEqual(['1a', '1b', '1c', '2d', '2e', '2f', '3g']);
});

it('a consumer that asks again queues behind all others', () => {
  const { scheduler, turns$, work, worked } = eventLoop();
  work('a', turns$.pipe(repeat(3)));
  for (const name of 'bcd') work(name);
  scheduler.flush();
  expect(worked).toEqual(['1a', '1b', '1c', '2d', '2a', '2a']);
});

it('a single consumer that asks again is served in the same turn, and once', () => {
  const { scheduler, turns$, work, worked } = eventLoop();
  work('a', turns$.pipe(repeat(5)));
  scheduler.flush();
  expect(worked).toEqual(['1a', '1a', '1a', '2a', '2a']);
});

it('a consumer that has unsubscribed gets no turn', () => {
  const { scheduler, work, worked } = eventLoop();
  work('a').unsubscribe();
  work('b');
  scheduler.flush();
  expect(worked).toEqual(['1b']);
});
