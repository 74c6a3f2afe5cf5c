/** The clock for tests refuses what is no time and no duration, which would make every later time `NaN`. */
import { expect, it } from 'vitest';
import { type Duration, testClock } from '../../src/testing/testing.ts';

it.each(['tomorrow', '', new Date(Number.NaN), Number.NaN])('%o is no time', (time) => {
  expect(() => testClock(time)).toThrow(/is no time such as '2026-/);
  const clock = testClock();
  const before = clock.now();
  expect(() => clock.set(time)).toThrow(/is no time such as '2026-/);
  expect(clock.now()).toBe(before);
});

it.each([Number.NaN, -1, '1 week' as Duration])('%o is no duration', async (duration) => {
  const clock = testClock('2026-03-01T00:00:00Z');
  await expect(clock.advance(duration)).rejects.toThrow(/is no duration such as '250 ms'/);
  await clock.advance('1 s');
  expect(new Date(clock.now()).toISOString()).toBe('2026-03-01T00:00:01.000Z');
});
