/** The routes of bookmarks, and the declaration that registers everything. */
import { z } from 'zod';
import { zEnvelope } from '../../src/events/envelope.ts';
import { cursorOf, zCursor } from '../../src/http/server/query-params.ts';
import { ok, routesOf, sse, value } from '../../src/http/server/route.ts';
import { frameSource } from '../../src/http/server/sse.ts';
import type { IdGenerator } from '../../src/ports/id-generator.ts';
import type { Views } from '../../src/projections/views.ts';
import { resource } from '../../src/resource.ts';
import type { Subscriptions } from '../../src/streams/subscriptions.ts';
import { bookmark } from './decide.ts';
import { zBookmarkFields } from './events.ts';
import { allBookmarks, bookmarks, zBookmark } from './projection.ts';

type Dependencies = Readonly<{ views: Views; ids: IdGenerator; subscriptions: Subscriptions }>;

const { get, post, del } = routesOf({ tag: 'bookmarks' });

const bookmarkRoutes = ({ views, ids, subscriptions }: Dependencies) => [
  post('/bookmarks', {
    operation: 'add',
    summary: 'Adds a bookmark.',
    body: zBookmarkFields,
    responses: { 201: { description: 'Its id.', schema: z.object({ id: z.string() }) } },
    async handle({ body: fields, answerAfter }) {
      const id = ids.hex(16);
      return answerAfter(bookmark, id, { type: 'AddBookmark', fields }, () => value({ id }, 201));
    },
  }),
  get('/bookmarks', {
    operation: 'list',
    summary: 'All bookmarks, newest first.',
    responses: ok('The list.', { bookmarks: z.array(zBookmark) }),
    handle: () => value({ bookmarks: allBookmarks(views) }),
  }),
  del('/bookmarks/{id}', {
    operation: 'delete',
    summary: 'Deletes a bookmark.',
    params: z.object({ id: z.string() }),
    responses: { 204: { description: 'The bookmark is deleted.' } },
    async handle({ params, dispatch }) {
      await dispatch(bookmark, params.id, { type: 'DeleteBookmark' });
      return { kind: 'empty', status: 204 };
    },
  }),
  get('/bookmarks/stream', {
    operation: 'stream',
    summary: 'The events of all bookmarks, as SSE: stored ones, then live ones.',
    query: z.object({ after: zCursor.optional() }),
    responses: {
      200: { description: 'The events.', type: 'text/event-stream', events: { data: zEnvelope, end: 'Never.' } },
    },
    handle({ query, request }) {
      const after = cursorOf(request, query.after) ?? 0;
      return sse(frameSource((demand$) => subscriptions.events({ category: 'bookmark', after, demand$ })));
    },
  }),
];

export const bookmarkResource = resource({
  key: 'bookmark',
  deciders: [bookmark],
  projections: [bookmarks],
  routes: [bookmarkRoutes],
});
