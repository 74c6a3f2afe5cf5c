/** Concurrency helpers: limits hold, waiting callers are served in order, and aborted ones leave no trace. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCoalescer } from '../../src/lib/coalesce.ts';
import { KeyedMutex, Mutex } from '../../src/lib/keyed-mutex.ts';
import { createLimiter } from '../../src/lib/limiter.ts';
import { createSingleFlight } from '../../src/lib/single-flight.ts';

const never = new AbortController().signal;

describe('limiter', () => {
  it('admits as many jobs as run and wait, and no more', () => {
    const limiter = createLimiter({ runningMax: 1, waitingMax: 2 });
    const leave = [limiter.admit(), limiter.admit(), limiter.admit()];
    expect(limiter.admit()).toBeNull();
    leave[0]!();
    leave[0]!();
    expect(limiter.admit()).not.toBeNull();
    expect(limiter.admit()).toBeNull();
  });

  it('removes an aborted job from the queue', async () => {
    const limiter = createLimiter({ runningMax: 1, waitingMax: 2 });
    const first = await limiter.acquire(never);
    const gone = new AbortController();
    const second = limiter.acquire(gone.signal);
    const third = limiter.acquire(never);
    gone.abort(new Error('gone'));
    await expect(second).rejects.toThrow('gone');
    first();
    (await third)();
    (await limiter.acquire(never))();
  });

  it('never runs more jobs than it may, in any order of arrival and abort', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 }),
        fc.array(fc.tuple(fc.nat(3), fc.boolean()), { minLength: 1, maxLength: 12 }),
        async (runningMax, jobs) => {
          const limiter = createLimiter({ runningMax, waitingMax: 100 });
          let running = 0;
          let most = 0;
          const work = jobs.map(async ([ticks, aborted]) => {
            const controller = new AbortController();
            const mine = limiter.acquire(controller.signal);
            if (aborted) controller.abort(new Error('gone'));
            const release = await mine.catch(() => undefined);
            if (release === undefined) return;
            running += 1;
            most = Math.max(most, running);
            for (let tick = 0; tick < ticks; tick += 1) await null;
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

describe('single flight', () => {
  it('does the work of concurrent callers once', async () => {
    const flight = createSingleFlight<number>();
    let runs = 0;
    const work = async (): Promise<number> => {
      runs += 1;
      return 7;
    };
    const all = await Promise.all([1, 2, 3].map(() => flight.run('k', never, work)));
    expect(all.map(({ result }) => result)).toEqual([7, 7, 7]);
    expect(all.map(({ joined }) => joined)).toEqual([false, true, true]);
    expect(runs).toBe(1);
    expect((await flight.run('k', never, work)).joined).toBe(false);
  });

  it('continues while one caller waits and is aborted with the last', async () => {
    const flight = createSingleFlight<string>();
    const [first, second] = [new AbortController(), new AbortController()];
    const work = (signal: AbortSignal): Promise<string> =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const both = [first, second].map(({ signal }) => flight.run('k', signal, work));
    const ends = Promise.allSettled(both);
    first.abort(new Error('one'));
    expect((await Promise.race([ends, null])) === null).toBe(true);
    second.abort(new Error('two'));
    expect((await ends).map((end) => (end as PromiseRejectedResult).reason.message)).toEqual(['two', 'two']);
  });
});

describe('keyed mutex', () => {
  it('runs work of one key in order and work of two keys at the same time', async () => {
    const mutex = new KeyedMutex();
    const log: string[] = [];
    const gate = Promise.withResolvers<void>();
    const work = (name: string, until: Promise<void>) => async (): Promise<void> => {
      log.push(`${name} begins`);
      await until;
      log.push(`${name} ends`);
    };
    const all = [
      mutex.run('a', work('first', gate.promise)),
      mutex.run('a', work('second', Promise.resolve())),
      mutex.run('b', work('other', Promise.resolve())),
    ];
    await all[2];
    expect(log).toEqual(['first begins', 'other begins', 'other ends']);
    gate.resolve();
    await Promise.all(all);
    expect(log.slice(3)).toEqual(['first ends', 'second begins', 'second ends']);
  });

  it('does not pass a failure on to the work behind it', async () => {
    const mutex = new Mutex();
    const failing = mutex.run(() => Promise.reject(new Error('broken')));
    const next = mutex.run(async () => 1);
    await expect(failing).rejects.toThrow('broken');
    expect(await next).toBe(1);
    await mutex.idle();
  });
});

describe('coalescer', () => {
  it('shares the next run among the calls that arrive during one', async () => {
    const coalesce = createCoalescer<number>();
    const gate = Promise.withResolvers<void>();
    let runs = 0;
    const work = async (): Promise<number> => {
      runs += 1;
      const mine = runs;
      await gate.promise;
      return mine;
    };
    const first = coalesce('k', work);
    await null;
    const others = [coalesce('k', work), coalesce('k', work)];
    gate.resolve();
    expect(await first).toBe(1);
    expect(await Promise.all(others)).toEqual([2, 2]);
    expect(await coalesce('k', work)).toBe(3);
  });

  it('runs again after a failure', async () => {
    const coalesce = createCoalescer<number>();
    await expect(coalesce('k', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await coalesce('k', async () => 1)).toBe(1);
  });
});
