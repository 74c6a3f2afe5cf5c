/** Places and shared work: never more than allowed, nobody forgotten, nobody waits for the dead. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLimiter } from '../../src/lib/limiter.ts';
import { createSingleFlight } from '../../src/lib/single-flight.ts';

const never = new AbortController().signal;

describe('slots', () => {
  it('let in as many as run and wait, and no more', () => {
    const slots = createLimiter({ runningMax: 1, waitingMax: 2 });
    const leave = [slots.admit(), slots.admit(), slots.admit()];
    expect(slots.admit()).toBeNull();
    leave[0]!();
    leave[0]!();
    expect(slots.admit()).not.toBeNull();
    expect(slots.admit()).toBeNull();
  });

  it('free the place of one who gave up waiting', async () => {
    const slots = createLimiter({ runningMax: 1, waitingMax: 2 });
    const first = await slots.acquire(never);
    const gone = new AbortController();
    const second = slots.acquire(gone.signal);
    const third = slots.acquire(never);
    gone.abort(new Error('gone'));
    await expect(second).rejects.toThrow('gone');
    first();
    (await third)();
    (await slots.acquire(never))();
  });

  it('never run more than they may, in any order of coming and going', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 }),
        fc.array(fc.tuple(fc.nat(3), fc.boolean()), { minLength: 1, maxLength: 12 }),
        async (runningMax, jobs) => {
          const slots = createLimiter({ runningMax, waitingMax: 100 });
          let running = 0;
          let most = 0;
          const work = jobs.map(async ([turns, aborted]) => {
            const controller = new AbortController();
            const mine = slots.acquire(controller.signal);
            if (aborted) controller.abort(new Error('gone'));
            const release = await mine.catch(() => undefined);
            if (release === undefined) return;
            running += 1;
            most = Math.max(most, running);
            for (let turn = 0; turn < turns; turn += 1) await null;
            running -= 1;
            release();
            release();
          });
          await Promise.all(work);
          expect(most).toBeLessThanOrEqual(runningMax);
          expect(running).toBe(0);
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('flights', () => {
  it('do the work of several callers once', async () => {
    const flights = createSingleFlight<number>();
    let runs = 0;
    const work = async (): Promise<number> => {
      runs += 1;
      return 7;
    };
    const all = await Promise.all([1, 2, 3].map(() => flights.run('k', never, work)));
    expect(all.map(({ result }) => result)).toEqual([7, 7, 7]);
    expect(all.map(({ joined }) => joined)).toEqual([false, true, true]);
    expect(runs).toBe(1);
    expect((await flights.run('k', never, work)).joined).toBe(false);
  });

  it('go on while one waits and end when the last is gone', async () => {
    const flights = createSingleFlight<string>();
    const [first, second] = [new AbortController(), new AbortController()];
    const work = (signal: AbortSignal): Promise<string> =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const both = [first, second].map(({ signal }) => flights.run('k', signal, work));
    const ends = Promise.allSettled(both);
    first.abort(new Error('one'));
    expect((await Promise.race([ends, null])) === null).toBe(true);
    second.abort(new Error('two'));
    expect((await ends).map((end) => (end as PromiseRejectedResult).reason.message)).toEqual(['two', 'two']);
  });
});
