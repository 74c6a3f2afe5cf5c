/** Moments of the past: valid times, and which events a time includes. */
import { describe, expect, it } from 'vitest';
import { rfc3339 } from '../../src/queries/as-of/moment.ts';
import { documentAsOf, type EngagementSources } from '../../src/queries/engagement/as-of.ts';
import { historyOf, logOf, OPEN, REASON } from './support.ts';

const NINE = Date.UTC(2026, 0, 31, 9, 30, 0);

describe('an RFC 3339 time', () => {
  it.each([
    ['2026-01-31T09:30:00Z', NINE],
    ['2026-01-31t09:30:00z', NINE],
    ['2026-01-31 09:30:00Z', NINE],
    ['2026-01-31T09:30:00.5Z', NINE + 500],
    ['2026-01-31T09:30:00.1239999Z', NINE + 123],
    ['2026-01-31T11:30:00+02:00', NINE],
    ['2026-01-31T11:30:00 02:00', NINE],
    ['2026-01-31T04:00:00-05:30', NINE],
    ['2026-01-31T09:29:60Z', NINE],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
  ])('%s', (text, ms) => {
    expect(rfc3339(text)).toBe(ms);
  });
  it.each([
    '2026-01-31',
    '2026-01-31T09:30Z',
    '2026-01-31T09:30:00',
    '2026-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-31T24:00:00Z',
    '2026-01-31T09:60:00Z',
    '2026-01-31T09:30:61Z',
    '2026-01-31T09:30:00+24:00',
    '2026-01-31T09:30:00.Z',
    '1769851800000Z',
    'now',
    '',
  ])('is not %j', (text) => {
    expect(rfc3339(text)).toBeUndefined();
  });
});

const ID = 'an-id';

/** A log: the seeded engagement at the first time, then a change of status at each other. */
function logWith(...times: readonly number[]): Promise<EngagementSources> {
  const statuses = ['active', 'paused', 'closed', 'draft'] as const;
  const changes = times
    .slice(1)
    .map((_, n) => ({ type: 'ChangeEngagement', status: statuses[n]!, move_id: '', by: 'owner', ...REASON }) as const);
  const history = historyOf(OPEN, ...changes);
  const opening = history.length - changes.length;
  return logOf(history, (n) => times[Math.max(0, n - opening + 1)]!);
}

const at = (ms: number): string => new Date(ms).toISOString();

describe('a time', () => {
  it('counts in what happened within its millisecond', async () => {
    const deps = await logWith(NINE, NINE + 5, NINE + 9);
    const status = async (ms: number): Promise<string> =>
      (await documentAsOf(deps, ID, at(ms))).document.engagement.status;
    const times = [NINE, NINE + 4, NINE + 5, NINE + 8, NINE + 9];
    expect(await Promise.all(times.map(status))).toEqual(['draft', 'draft', 'active', 'active', 'paused']);
    await expect(documentAsOf(deps, ID, at(NINE - 1))).rejects.toThrow('did not exist');
  });
  it('after the newest event is the state now, and says which event was the last', async () => {
    const deps = await logWith(NINE, NINE + 5);
    const { document, asOf } = await documentAsOf(deps, ID, at(NINE + 86_400_000));
    expect(document.engagement.status).toBe('active');
    expect(asOf).toMatchObject({ position: 48, at: NINE + 5, asked: at(NINE + 86_400_000) });
  });
  it('is told back with the plus of its zone, which a query turns into a blank', async () => {
    const deps = await logWith(NINE, NINE + 5);
    const zoned = (sign: string): string => at(NINE + 7_200_000).replace('Z', `${sign}02:00`);
    expect((await documentAsOf(deps, ID, zoned(' '))).asOf).toMatchObject({ at: NINE, asked: zoned('+') });
  });
  it('ends with the newest event before it, also when the clock had gone back', async () => {
    const deps = await logWith(NINE, NINE + 50, NINE + 10);
    expect((await documentAsOf(deps, ID, at(NINE + 20))).document.engagement.status).toBe('paused');
  });
});
