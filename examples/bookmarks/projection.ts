/** The read model of bookmarks, and the query that reads it. */
import { z } from 'zod';
import { handlers, idOf, type Projection, type Views } from '../../src/kernel.ts';
import { type BookmarkEvent, zBookmarkFields } from './events.ts';

export const bookmarks: Projection = {
  name: 'bookmarks',
  version: 1,
  tables: ['bookmarks'],
  create: 'CREATE TABLE bookmarks (id TEXT PRIMARY KEY, url TEXT, title TEXT, added_at INTEGER) WITHOUT ROWID',
  on: handlers<BookmarkEvent>({
    BookmarkAdded: (views, { stream, at, data: { url, title } }) =>
      views.run('INSERT INTO bookmarks VALUES (?, ?, ?, ?)', idOf(stream), url, title, at),
    BookmarkDeleted: (views, { stream }) => views.run('DELETE FROM bookmarks WHERE id = ?', idOf(stream)),
  }),
};

/** `added_at` is Unix time in milliseconds. */
export const zBookmark = zBookmarkFields.extend({ id: z.string(), added_at: z.int() });

/** Newest first. */
export function allBookmarks(views: Pick<Views, 'all'>): readonly z.infer<typeof zBookmark>[] {
  return views.all('SELECT id, url, title, added_at FROM bookmarks ORDER BY added_at DESC, id DESC');
}
