/** Bookmarks: an address with a title, on one stream each: `bookmark-<id>`. */
import { z } from 'zod';
import { define, type EventIn } from '../../src/kernel.ts';

export const zBookmarkFields = z.object({ url: z.url(), title: z.string().trim().min(1).max(200) });

export const bookmarkEvents = {
  BookmarkAdded: define('BookmarkAdded', zBookmarkFields),
  BookmarkDeleted: define('BookmarkDeleted', z.object({})),
} as const;

export type BookmarkEvent = EventIn<typeof bookmarkEvents>;
