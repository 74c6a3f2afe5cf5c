/**
 * A read model, and a client that maintains one: for every history the rows of the projection follow from the history,
 * and a client whose stream is interrupted anywhere ends with the same list as one whose stream is not.
 *
 *     node examples/property-tests/stream.ts          passes
 *     node examples/property-tests/stream.ts --bug    fails with the shortest history and the cuts that break it
 */
import fc from 'fast-check';
import {
  arbitraryValue,
  assertFoldOfLog,
  assertTranscriptEqualsLog,
  givenProjection,
  historyOf,
  parseSse,
  readSse,
  type SseEvent,
  startTestDaemon,
  type TestDaemon,
} from '../../src/testing/testing.ts';
import { type BookmarkCommand, bookmark } from '../bookmarks/decide.ts';
import { zBookmarkFields } from '../bookmarks/events.ts';
import { bookmarks } from '../bookmarks/projection.ts';

const command = fc.oneof(
  arbitraryValue(zBookmarkFields).map((fields): BookmarkCommand => ({ type: 'AddBookmark', fields })),
  fc.constant<BookmarkCommand>({ type: 'DeleteBookmark' }),
);
const history = historyOf(bookmark, { ids: fc.constantFrom('a', 'b', 'c'), command });

function projection(): void {
  const rowsFollow = fc.property(history, ({ events }) => {
    const present = new Map(events.map((event) => [event.stream, event]));
    const rows = [...present.values()].flatMap((event) => {
      if (event.type === 'BookmarkDeleted') return [];
      return [{ id: event.stream.slice('bookmark-'.length), ...event.data, added_at: event.at }];
    });
    const sorted = rows.sort((one, other) => (one.id < other.id ? -1 : 1));
    givenProjection(bookmarks)
      .when(events)
      .thenRows(sorted.map(({ id, url, title, added_at }) => ({ id, url, title, added_at })));
  });
  fc.assert(rowsFollow);
}

/** A client that loses its connection after each of these numbers of characters, and resumes. */
async function follow(daemon: TestDaemon, { cuts, bug }: { cuts: readonly number[]; bug: boolean }) {
  const end = `${daemon.log.head().position}`;
  const seen: SseEvent[] = [];
  for (const cut of [...cuts, Number.POSITIVE_INFINITY]) {
    const last = seen.at(-1)?.id ?? '0';
    if (last === end) break;
    const response = await daemon.fetch(`/v1/events/stream?after=${last}`);
    const events = await readSse(response, ({ id }) => id === end);
    const text = events.map(({ id, data }) => `id: ${id}\ndata: ${data}\n\n`).join('');
    // The planted bug: an event that was cut off counts as seen.
    const read = text.slice(0, cut);
    seen.push(...parseSse(bug && read !== text ? `${read}\n\n` : read));
  }
  return seen;
}

async function resume({ bug }: { readonly bug: boolean }): Promise<void> {
  await using daemon = await startTestDaemon();
  for (const title of ['One', 'Two', 'Three']) await daemon.json('POST', '/api/tasks', { title });
  const titles = (model: readonly unknown[], { data }: { data: unknown }) => [...model, data];
  const nothingLost = fc.asyncProperty(fc.array(fc.nat(700), { maxLength: 4 }), async (cuts) => {
    const seen = await follow(daemon, { cuts, bug });
    await assertTranscriptEqualsLog(daemon, seen);
    const model = seen.map(({ data }) => JSON.parse(data) as { data: unknown }).reduce(titles, []);
    await assertFoldOfLog(daemon, { initial: () => [], evolve: titles }, model);
  });
  await fc.assert(nothingLost, { numRuns: 40 });
}

export async function suite({ bug }: { readonly bug: boolean }): Promise<void> {
  projection();
  await resume({ bug });
}

if (import.meta.main) await suite({ bug: process.argv.includes('--bug') });
