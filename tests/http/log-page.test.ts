/** A page of the log: how many events it reads in one turn of the event loop, and how large it becomes. */
import { expect, it } from 'vitest';
import { SLICE_MS } from '../../src/lib/slices.ts';
import { type LogPage, type LogPageQuery, logPage } from '../../src/queries/log.ts';
import { openStorage } from '../../src/storage/open.ts';
import { envelopeJson } from '../../src/streams/envelope.ts';
import { event, fill, to } from '../storage/log-helpers.ts';

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

// Five thousand events of a megabyte are more than a string can hold.
it('a page of large events ends early, and the next one continues there', async () => {
  const { log, close } = await openStorage({ directory: '', ephemeral: true });
  const large = Array.from({ length: 20 }, (_, at) => event(at + 1, 'x'.repeat(900_000)));
  for (const each of large) await log.append([to('large', [each])]);
  const pages: number[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const { items, next }: LogPage = await logPage(
      log,
      { ...EVERYTHING, limit: 5_000, after },
      { render: envelopeJson },
    );
    expect(items.join().length).toBeLessThan(18_000_000);
    expect(JSON.parse(items[0]!)).toMatchObject({ position: after + 1 });
    pages.push(items.length);
    after = next;
  }
  expect(pages).toEqual([19, 1]);
  await close();
});
