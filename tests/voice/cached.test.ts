/** Answers of programs are cached for a minute, by a clock that is never set back. */
import { expect, it, vi } from 'vitest';
import { cached } from '../../src/integrations/speech/cached.ts';

const MINUTE_MS = 60_000;

it('an answer is asked for again after a minute, also when the clock was set back', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: 100 * MINUTE_MS });
  let asked = 0;
  const answer = cached(async () => ++asked);
  expect([await answer(), await answer()]).toEqual([1, 1]);
  vi.setSystemTime(MINUTE_MS);
  vi.advanceTimersByTime(MINUTE_MS - 1);
  expect(await answer()).toBe(1);
  vi.advanceTimersByTime(1);
  expect(await answer()).toBe(2);
});

it('a failure is not cached, and callers at the same time share one request', async () => {
  let asked = 0;
  const answer = cached(async () => {
    asked += 1;
    if (asked === 1) throw new Error('not yet');
    return asked;
  });
  await expect(answer()).rejects.toThrow('not yet');
  expect(await Promise.all([answer(), answer()])).toEqual([2, 2]);
});
