/** A page of the log: how many events it reads in one turn of the event loop, and how large it becomes. */
import { expect, it } from 'vitest';
import { SLICE_MS } from '../../src/lib/slices.ts';
import { Moments } from '../../src/queries/as-of/moment.ts';
import { type LogPage, type LogPageQuery, logPage } from '../../src/queries/log.ts';
import { openStorage } from '../../src/storage/open.ts';
import { envelopeJson } from '../../src/streams/envelope.ts';
import { event, fill, to } from '../storage/log-helpers.ts';
import { replacing } from '../support/replacing.ts';

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
  const page = await logPage(log, query, { render: String, slicing, moments: new Moments(log) });
  expect(page).toEqual({ items: [], next: null, head: 100 });
  expect(turns).toBeGreaterThanOrEqual(100 / (SLICE_MS + 1));
  await close();
});

// One page reads 50 000 events at most.
it('the newest events before a time are on the first page, however long ago that was', async () => {
  const { log, close } = await openStorage({ directory: '', ephemeral: true });
  for (let first = 1; first < 50_010; first += 5_001) {
    await log.append([
      to(
        'many',
        Array.from({ length: 5_001 }, (_, at) => event(first + at)),
      ),
    ]);
  }
  const reading = { render: ({ position }: { position: number }) => String(position), moments: new Moments(log) };
  const before = Number.MAX_SAFE_INTEGER;
  const page = await logPage(log, { ...EVERYTHING, limit: 2, before, to: event(4).at }, reading);
  expect(page).toEqual({ items: ['3', '2'], next: 2, head: 50_010 });
  const none = await logPage(log, { ...EVERYTHING, before, to: event(1).at }, reading);
  expect(none).toEqual({ items: [], next: null, head: 50_010 });
  await close();
});

it('a page of the older events of a stream does not read the newer ones', async () => {
  const { log, close } = await openStorage({ directory: '', ephemeral: true });
  await fill(log, 1_000);
  let read = 0;
  const counted = replacing(log, {
    *readStream(...asked: Parameters<typeof log.readStream>) {
      for (const each of log.readStream(...asked)) {
        read += 1;
        yield each;
      }
    },
  });
  const reading = { render: ({ position }: { position: number }) => String(position), moments: new Moments(log) };
  const page = await logPage(counted, { ...EVERYTHING, stream: 'stream-0', before: 100, limit: 3 }, reading);
  expect(page).toEqual({ items: ['97', '94', '91'], next: 91, head: 1_000 });
  expect(read).toBeLessThan(20);
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
      { render: envelopeJson, moments: new Moments(log) },
    );
    expect(items.join().length).toBeLessThan(18_000_000);
    expect(JSON.parse(items[0]!)).toMatchObject({ position: after + 1 });
    pages.push(items.length);
    after = next;
  }
  expect(pages).toEqual([19, 1]);
  await close();
});
