/** The filter of the list of runs. */
import { afterEach, expect, it, vi } from 'vitest';
import { queryOf } from '../../web/views/runs/list-data.ts';

afterEach(() => vi.unstubAllEnvs());

it.each([
  ['2026-10-25', 'Europe/Berlin', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
  ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
  // The clocks are set forward at midnight.
  ['2026-09-06', 'America/Santiago', '2026-09-06T04:00:00.000Z', '2026-09-07T03:00:00.000Z'],
  ['2026-09-05', 'America/Santiago', '2026-09-05T04:00:00.000Z', '2026-09-06T04:00:00.000Z'],
])('of the day %s in %s, about which the clocks are changed, has exactly its hours', (day, zone, begin, end) => {
  vi.stubEnv('TZ', zone);
  const { from, to } = queryOf({ q: '', status: '', provider: '', goal: '', from: day, to: day });
  expect([from, to].map((at) => new Date(at!).toISOString())).toEqual([begin, end]);
});
