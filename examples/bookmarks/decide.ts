/** The decider of bookmarks: a bookmark is added once and deleted once. */
import type { z } from 'zod';
import { type Decider, Refusal } from '../../src/kernel.ts';
import { type BookmarkEvent, bookmarkEvents, type zBookmarkFields } from './events.ts';

export type BookmarkCommand =
  | { readonly type: 'AddBookmark'; readonly fields: z.infer<typeof zBookmarkFields> }
  | { readonly type: 'DeleteBookmark' };

type BookmarkState = 'none' | 'present' | 'deleted';

export const bookmark: Decider<BookmarkCommand, BookmarkState, BookmarkEvent> = {
  category: 'bookmark',
  events: bookmarkEvents,
  initial: 'none',
  decide(command, state) {
    switch (command.type) {
      case 'AddBookmark':
        if (state !== 'none') return new Refusal('conflict', 'A bookmark with this id exists already.');
        return [{ type: 'BookmarkAdded', data: command.fields }];
      case 'DeleteBookmark':
        if (state === 'none') return new Refusal('not_found', 'Bookmark not found');
        return state === 'deleted' ? [] : [{ type: 'BookmarkDeleted', data: {} }];
    }
  },
  evolve(_state, event) {
    switch (event.type) {
      case 'BookmarkAdded':
        return 'present';
      case 'BookmarkDeleted':
        return 'deleted';
    }
  },
};
