/**
 * Properties of a decider under every history: a bookmark is added at most once, a repeated command has no second
 * effect, and every event is accepted by its own schema.
 *
 *     node examples/property-tests/decider.ts          passes
 *     node examples/property-tests/decider.ts --bug    fails with the shortest counterexample
 */
import fc from 'fast-check';
import { arbitraryEvent, arbitraryValue, given, type History, historyOf } from '../../src/testing/testing.ts';
import { type BookmarkCommand, bookmark } from '../bookmarks/decide.ts';
import { type BookmarkEvent, bookmarkEvents, zBookmarkFields } from '../bookmarks/events.ts';

type Bookmarks = typeof bookmark;

/** The planted bug: a deleted bookmark counts as one that never existed. */
const forgetful: Bookmarks = {
  ...bookmark,
  evolve: (state, event) => (event.type === 'BookmarkDeleted' ? 'none' : bookmark.evolve(state, event)),
};

/** Few ids, so that several commands concern the same bookmark. */
const commands = {
  ids: fc.constantFrom('a', 'b'),
  command: fc.oneof(
    arbitraryValue(zBookmarkFields).map((fields): BookmarkCommand => ({ type: 'AddBookmark', fields })),
    fc.constant<BookmarkCommand>({ type: 'DeleteBookmark' }),
  ),
};

export function suite({ bug }: { readonly bug: boolean }): void {
  const decider = bug ? forgetful : bookmark;
  const histories = historyOf(decider, commands);
  fc.assert(
    fc.property(histories, (history) => {
      for (const id of ['a', 'b']) addedOnce(history, `bookmark-${id}`);
    }),
  );
  fc.assert(
    fc.property(histories, commands.command, ({ events }, command) => {
      const { decision, state } = given(decider, eventsOf(events, 'bookmark-a')).when(command);
      if (!Array.isArray(decision) || decision.length === 0) return;
      const again = decider.decide(command, state, { id: 'a', now: 2 });
      if (Array.isArray(again) && again.length > 0) throw new Error(`${command.type} has a second effect.`);
    }),
  );
  // Any event that fits its schema can be folded, in any order.
  const event = fc.oneof(arbitraryEvent(bookmarkEvents.BookmarkAdded), arbitraryEvent(bookmarkEvents.BookmarkDeleted));
  fc.assert(fc.property(fc.array<BookmarkEvent>(event), (events) => void given(decider, events)));
}

function addedOnce({ events }: History<BookmarkEvent, BookmarkCommand>, stream: string): void {
  const added = events.filter((event) => event.stream === stream && event.type === 'BookmarkAdded');
  if (added.length > 1) throw new Error(`${stream} was added ${added.length} times.`);
}

function eventsOf(events: History<BookmarkEvent>['events'], stream: string): BookmarkEvent[] {
  return events.filter((event) => event.stream === stream);
}

if (import.meta.main) suite({ bug: process.argv.includes('--bug') });
