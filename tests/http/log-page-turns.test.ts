/** How many events a filtered page of the log reads in one turn of the event loop. */
import { expect, it } from 'vitest';
import { SLICE_MS } from '../../src/lib/slices.ts';
import { type LogPageQuery, logPage } from '../../src/queries/log.ts';
import { openStorage } from '../../src/storage/open.ts';
import { fill } from '../storage/log-helpers.ts';

const EVERYTHING: LogPageQuery = { after: 0, limit: 500, stream: '', type: '' };

it.each([
  ['the oldest first', {}],
  ['the newest first', { before: 1_000 }],
])('a filter that matches nothing looks at events in slices, %s', async (_order, direction) => {
  const { log, close } = await openStorage({ directory: '', ephemeral: true });
  await fill(log, 100);
  let clock = 0;
  let turns = 1;
  const turn = async (): Promise<void> => {
    turns += 1;
  };
  // Each look at the clock takes a millisecond, and there is one for each event.
  const slicing = { now: () => clock++, turn };
  const query = { ...EVERYTHING, ...direction, type: 'NothingLikeThis' };
  const page = await logPage(log, query, { render: String, slicing });
  expect(page).toEqual({ items: [], next: null, head: 100 });
  expect(turns).toBeGreaterThanOrEqual(100 / (SLICE_MS + 1));
  await close();
});
