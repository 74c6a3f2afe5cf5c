/** Concurrency helpers: limits hold, waiting callers are served in order, and aborted ones leave no trace. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCoalescer } from '../../src/lib/coalesce.ts';
import { KeyedMutex, Mutex } from '../../src/lib/keyed-mutex.ts';
import { createSingleFlight } from '../../src/lib/single-flight.ts';
import { WorkPool } from '../../src/lib/work-pool.ts';

const never = new AbortController().signal;

describe('work pool', () => {
  const full = (): Error => new Error('full');

  it('admits as many jobs as run and wait, and no more', async () => {
    const pool = new WorkPool({ runningMax: 1, waitingMax: 2, full });
    const gates = [1, 2, 3].map(() => Promise.withResolvers<void>());
    const jobs = gates.map(({ promise }) => pool.admit(null, () => promise));
    await expect(pool.admit(null, async () => 1)).rejects.toThrow('full');
    gates[0]!.resolve();
    await jobs[0];
    expect(await pool.admit(null, async () => 1)).toBe(1);
    for (const { resolve } of gates) resolve();
    await Promise.all(jobs);
  });

  it('runs the job that waits longest next; an aborted one leaves the queue', async () => {
    const pool = new WorkPool({ runningMax: 1, waitingMax: 3, full });
    const log: string[] = [];
    const first = Promise.withResolvers<void>();
    const gone = new AbortController();
    const job = (name: string, signal: AbortSignal | null, until?: Promise<void>) =>
      pool.run(signal, async () => {
        log.push(name);
        await until;
      });
    const jobs = [job('first', never, first.promise), job('gone', gone.signal), job('third', never), job('last', null)];
    gone.abort(new Error('gone'));
    await expect(jobs[1]).rejects.toThrow('gone');
    first.resolve();
    await Promise.all([jobs[0], jobs[2], jobs[3]]);
    expect(log).toEqual(['first', 'third', 'last']);
    await expect(job('late', AbortSignal.abort(new Error('late')))).rejects.toThrow('late');
  });

  it('closes: aborts running and waiting jobs, waits for them, and runs no other', async () => {
    const pool = new WorkPool({ runningMax: 1, waitingMax: 3, full });
    const ends: string[] = [];
    const running = pool.run(never, async (signal) => {
      await new Promise((aborted) => signal.addEventListener('abort', aborted));
      await null;
      ends.push('cleaned up');
      throw signal.reason;
    });
    const waiting = pool.run(null, async () => ends.push('never'));
    const both = Promise.allSettled([running, waiting]);
    await pool.close(new Error('closing'));
    expect(ends).toEqual(['cleaned up']);
    expect((await both).map((end) => (end as PromiseRejectedResult).reason.message)).toEqual(['closing', 'closing']);
    await expect(pool.run(never, async () => ends.push('never'))).rejects.toThrow('closing');
    expect(ends).toEqual(['cleaned up']);
  });

  it('never runs more jobs than it may, in any order of arrival, failure and abort', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 }),
        fc.array(fc.tuple(fc.nat(3), fc.constantFrom('ends', 'fails', 'aborted')), { minLength: 1, maxLength: 12 }),
        async (runningMax, jobs) => {
          const pool = new WorkPool({ runningMax, waitingMax: 100, full });
          let running = 0;
          let most = 0;
          const work = jobs.map(([ticks, end]) => {
            const controller = new AbortController();
            const job = pool.run(controller.signal, async () => {
              running += 1;
              most = Math.max(most, running);
              for (let tick = 0; tick < ticks; tick += 1) await null;
              running -= 1;
              if (end === 'fails') throw new Error('failed');
            });
            if (end === 'aborted') controller.abort(new Error('gone'));
            return job;
          });
          await Promise.allSettled(work);
          expect(most).toBeLessThanOrEqual(runningMax);
          expect(running).toBe(0);
          expect(await pool.run(null, async () => 'free')).toBe('free');
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
