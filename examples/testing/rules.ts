/** The examples of docs/testing.md that need no daemon. Each is run by a test. */
import fc from 'fast-check';
import { openEventLog } from '../../src/kernel.ts';
import {
  arbitraryEvent,
  arbitraryHistory,
  arbitraryValue,
  eventLogContract,
  given,
  givenProjection,
  historyOf,
} from '../../src/testing/testing.ts';
import { type BookmarkCommand, bookmark } from '../bookmarks/decide.ts';
import { type BookmarkEvent, zBookmarkFields } from '../bookmarks/events.ts';
import { bookmarks } from '../bookmarks/projection.ts';

/** Stands for `test` of a test runner. */
const inTest = (_name: string, run: () => Promise<void>): Promise<void> => run();

const fields = { url: 'https://example.org', title: 'Example' };

export function decider(): void {
  const added: BookmarkEvent = { type: 'BookmarkAdded', data: fields };
  given(bookmark).when({ type: 'AddBookmark', fields }).then([added]);
  given(bookmark, [added]).when({ type: 'AddBookmark', fields }).thenRefused(409);
  given(bookmark, [added, { type: 'BookmarkDeleted', data: {} }])
    .when({ type: 'DeleteBookmark' })
    .then([]);
}

export function projection(): void {
  givenProjection(bookmarks)
    .when([{ stream: 'bookmark-a', type: 'BookmarkAdded', data: fields, at: 7 }])
    .thenRows([{ id: 'a', ...fields, added_at: 7 }]);
}

export function histories(): void {
  fc.assert(fc.property(arbitraryEvent('GateJudged'), ({ data }) => data !== null));
  fc.assert(
    fc.property(arbitraryHistory('engagement'), ({ commands, events }) => {
      const opened = commands.some(({ command }) => command.type === 'OpenEngagement');
      return opened || !events.some(({ type }) => type === 'GateAdded');
    }),
  );
}

export function ownHistories(): void {
  const add = arbitraryValue(zBookmarkFields).map((fields): BookmarkCommand => ({ type: 'AddBookmark', fields }));
  const remove = fc.constant<BookmarkCommand>({ type: 'DeleteBookmark' });
  const histories = historyOf(bookmark, { ids: fc.constantFrom('a', 'b'), command: fc.oneof(add, remove) });
  fc.assert(fc.property(histories, ({ events }) => events.every(({ version }) => version <= 2)));
}

export async function logContract(): Promise<void> {
  const place = async () => {
    const log = await openEventLog();
    return { open: async () => ({ log, close: () => log.close() }), remove: async () => {} };
  };
  for (const { name, run } of eventLogContract(place)) await inTest(name, run);
}
