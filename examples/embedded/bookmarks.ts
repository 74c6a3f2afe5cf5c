/**
 * Bookmarks without the daemon: an event log in a folder, a table in an SQLite file, live events. Events, decider and
 * table are those of `examples/bookmarks/`.
 *
 *     node examples/embedded/bookmarks.ts <folder> add <url> <title>
 *     node examples/embedded/bookmarks.ts <folder> delete <id>
 *     node examples/embedded/bookmarks.ts <folder> list
 *     node examples/embedded/bookmarks.ts <folder> watch     adds each line "<url> <title>" of its input
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { prettifyError, ZodError } from 'zod';
import { createCommandHandler, openEventLog, project, Refused, subscribe } from '../../src/kernel.ts';
import { bookmark } from '../bookmarks/decide.ts';
import { bookmarkEvents, zBookmarkFields } from '../bookmarks/events.ts';
import { allBookmarks, bookmarks } from '../bookmarks/projection.ts';

const [folder = 'bookmarks', action = 'list', ...words] = process.argv.slice(2);

await using log = await openEventLog({ folder: join(folder, 'log'), engine: 'lsm' });
const { dispatch } = createCommandHandler({ log });
using models = await project({
  log,
  events: bookmarkEvents,
  projections: [bookmarks],
  file: join(folder, 'views.db'),
});

async function add([url, ...title]: readonly string[]): Promise<void> {
  const fields = zBookmarkFields.parse({ url, title: title.join(' ') });
  await dispatch(bookmark, randomUUID(), { type: 'AddBookmark', fields });
}

function list(): void {
  for (const { id, url, title } of allBookmarks(models)) console.log(id, url, title);
}

async function watch(): Promise<void> {
  const events$ = subscribe({ log, events: bookmarkEvents, category: 'bookmark' });
  events$.subscribe(({ position, type, data }) => console.log(position, type, JSON.stringify(data)));
  for await (const line of createInterface({ input: process.stdin })) await add(line.split(' '));
}

const actions: Readonly<Record<string, () => unknown>> = {
  add: () => add(words),
  delete: () => dispatch(bookmark, words.join(), { type: 'DeleteBookmark' }),
  list,
  watch,
};

try {
  await actions[action]?.();
} catch (error) {
  if (!(error instanceof Refused || error instanceof ZodError)) throw error;
  console.error(error instanceof Refused ? error.message : prettifyError(error));
  process.exitCode = 1;
}
