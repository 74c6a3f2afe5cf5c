/**
 * The code of docs/kernel.md, in its order. It works in the current folder, which should be empty. A test runs it and
 * compares what it prints with the comments.
 */
import { firstValueFrom, map, take, toArray } from 'rxjs';
import { createCommandHandler, follow, openEventLog, project, Refused, subscribe } from '../../src/kernel.ts';
import { bookmark } from '../bookmarks/decide.ts';
import { bookmarkEvents } from '../bookmarks/events.ts';
import { allBookmarks, bookmarks } from '../bookmarks/projection.ts';

await using log = await openEventLog({ folder: 'log', engine: 'cow' });
const { dispatch } = createCommandHandler({ log });

const fields = { url: 'https://example.org/a', title: 'An example' };
const { state, events } = await dispatch(bookmark, 'a', { type: 'AddBookmark', fields });
console.log(state, events.length, log.head().position); // present 1 1

try {
  await dispatch(bookmark, 'a', { type: 'AddBookmark', fields });
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  console.log(`${error.refusal.kind}: ${error.message}`); // conflict: A bookmark with this id exists already.
}

using hosts = await project({
  log,
  events: bookmarkEvents,
  initial: new Map<string, number>(),
  evolve(counts, event) {
    if (event.type !== 'BookmarkAdded') return counts;
    const { host } = new URL(event.data.url);
    return counts.set(host, (counts.get(host) ?? 0) + 1);
  },
});
const second = { url: 'https://example.org/b', title: 'Another' };
await dispatch(bookmark, 'b', { type: 'AddBookmark', fields: second });
console.log(hosts.position, hosts.state.get('example.org')); // 2 2

using models = await project({
  log,
  events: bookmarkEvents,
  projections: [bookmarks],
  file: 'views.db',
});
await dispatch(bookmark, 'b', { type: 'DeleteBookmark' });
console.log(allBookmarks(models).map(({ title }) => title)); // [ 'An example' ]

const added$ = subscribe({ log, events: bookmarkEvents, types: ['BookmarkAdded'] });
const titles$ = added$.pipe(
  map((event) => (event.type === 'BookmarkAdded' ? event.data.title : '')),
  take(3),
  toArray(),
);
const titles = firstValueFrom(titles$);
const third = { url: 'https://example.net/c', title: 'A third' };
await dispatch(bookmark, 'c', { type: 'AddBookmark', fields: third });
console.log(await titles); // [ 'An example', 'Another', 'A third' ]

const seen: string[] = [];
for await (const { position, type } of follow({ log, events: bookmarkEvents, after: 1 })) {
  seen.push(`${position} ${type}`);
  if (position === log.head().position) break;
}
console.log(seen.join(', ')); // 2 BookmarkAdded, 3 BookmarkDeleted, 4 BookmarkAdded

await log.erase([2]);
console.log(log.at(2)?.data, (await log.verify()).ok); // null true
await log.backup('copy');

await using copy = await openEventLog({ folder: 'copy' });
console.log(copy.head().treeHash === log.head().treeHash); // true
