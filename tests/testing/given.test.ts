/** Given, when, then: true expectations pass, and failures have a readable message. */
import { describe, expect, it } from 'vitest';
import { type BookmarkCommand, bookmark } from '../../examples/bookmarks/decide.ts';
import type { BookmarkEvent } from '../../examples/bookmarks/events.ts';
import type { Decider } from '../../src/commands/decider.ts';
import { given } from '../../src/testing/testing.ts';

const fields = { url: 'https://example.org', title: 'A' };
const added: BookmarkEvent = { type: 'BookmarkAdded', data: fields };

it('a decider that keeps its promises is told by examples', () => {
  given(bookmark).when({ type: 'AddBookmark', fields }).then([added]);
  given(bookmark, [added]).when({ type: 'AddBookmark', fields }).thenRefused(409);
  given(bookmark, [added]).when({ type: 'DeleteBookmark' }).thenTypes('BookmarkDeleted');
  given(bookmark)
    .when({ type: 'DeleteBookmark' })
    .thenRefused('not_found', /not found/);
  given(bookmark, [added, { type: 'BookmarkDeleted', data: {} }])
    .when({ type: 'DeleteBookmark' })
    .then([]);
  expect(given(bookmark, [added]).state).toBe('present');
  expect(given(bookmark, [added]).when({ type: 'DeleteBookmark' }).state).toBe('deleted');
});

describe('what does not hold is told', () => {
  const add: BookmarkCommand = { type: 'AddBookmark', fields };

  it('other events: the place of each difference', () => {
    const other: BookmarkEvent = { type: 'BookmarkAdded', data: { ...fields, title: 'B' } };
    expect(() => given(bookmark).when(add).then([other])).toThrow(
      'The decided events differ:\n  [0].data.title: "A" instead of "B"',
    );
    expect(() => given(bookmark).when(add).then([])).toThrow('[0]: {"type":"BookmarkAdded"');
    expect(() => given(bookmark, [added]).when(add).then([added])).toThrow('refused, 409 conflict: A bookmark');
  });

  it('a refusal that did not come, or another one', () => {
    expect(() => given(bookmark).when(add).thenRefused()).toThrow('was not refused but decided [{"type"');
    expect(() => given(bookmark, [added]).when(add).thenRefused(404)).toThrow('not refused as 404, but 409 conflict');
    expect(() => given(bookmark, [added]).when(add).thenRefused(409, 'No.')).toThrow('does not say "No."');
  });

  it('events that do not fit their definition, given or decided', () => {
    const bad: BookmarkEvent = { type: 'BookmarkAdded', data: { ...fields, title: '' } };
    expect(() => given(bookmark, [bad])).toThrow('A given event of type BookmarkAdded does not fit its schema');
    const blank = { type: 'AddBookmark', fields: { ...fields, title: '' } } as const;
    expect(() => given(bookmark).when(blank)).toThrow('A decided event of type BookmarkAdded does not fit its schema');
  });

  it('a decider that is not pure', () => {
    let calls = 0;
    const counting: typeof bookmark = {
      ...bookmark,
      decide() {
        calls += 1;
        return [{ type: 'BookmarkAdded', data: { ...fields, title: `${calls}` } }];
      },
    };
    expect(() => given(counting).when(add)).toThrow('[0].data.title: "2" instead of "1"');
    const { category, events } = bookmark;
    const changing: Decider<BookmarkCommand, { count: number }, BookmarkEvent> = {
      category,
      events,
      initial: { count: 0 },
      decide(_command, state) {
        state.count += 1;
        return [];
      },
      evolve: (state) => state,
    };
    expect(() => given(changing).when(add)).toThrow('Deciding changed the state:\n  count: 2 instead of 0');
  });

  it('an await', async () => {
    const awaited = Promise.resolve<unknown>(given(bookmark).when(add));
    await expect(awaited).rejects.toThrow('do not await it');
  });
});
