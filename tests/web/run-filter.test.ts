/** The filter of the list of runs. */
import { afterEach, expect, it, vi } from 'vitest';
import { queryOf } from '../../web/views/runs/list-data.ts';

afterEach(() => vi.unstubAllEnvs());

it.each([
  ['2026-10-25', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
  ['2026-03-29', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
])('of the day %s in Berlin, on which the clocks are changed, has all its hours', (day, begin, end) => {
  vi.stubEnv('TZ', 'Europe/Berlin');
  const { from, to } = queryOf({ q: '', status: '', provider: '', goal: '', from: day, to: day });
  expect([from, to].map((at) => new Date(at!).toISOString())).toEqual([begin, end]);
});
