/** Routes of verbatim drawers: store a text in chunks, list drawers, count them. */
import { z } from 'zod';
import type { Place } from '../../events/memory/drawers.ts';
import type { ReadWriteLock } from '../../lib/read-write-lock.ts';
import { type DrawerQueryContext, drawerStatistics, listDrawers } from '../../queries/memory/drawers.ts';
import { recallLoopOf } from '../../queries/memory/loops.ts';
import { totals } from '../../queries/memory/memories.ts';
import { zDrawer } from '../../queries/memory/schemas.ts';
import type { DrawerIntake } from '../../reactors/memory/drawer-intake.ts';
import { type RecallLogParts, recordLoops } from '../../reactors/memory/recall-log.ts';
import { jsonList } from '../server/json-array.ts';
import { queryNumber } from '../server/query-params.ts';
import { ok, type RouteSpec, routesOf, value } from '../server/route.ts';
import { badRequest, zText } from './schemas.ts';

const { get, post } = routesOf({ tag: 'memory' });

export interface Dependencies extends DrawerQueryContext {
  readonly commandHandler: RecallLogParts['commandHandler'];
  readonly memoryLock: ReadWriteLock;
  readonly drawerIntake: DrawerIntake;
}

const LISTED_MAX = 10_000;
const LISTED_DEFAULT = 2_000;

const zStored = z.object({
  chunks_created: z.int().describe('Chunks that became drawers.'),
  total_drawers: z.int(),
  text_id: z.string().describe('Id of the text.'),
  chunks: z.int().describe('Chunks of the text, without blank ones.'),
  duplicates: z
    .int()
    .describe('Chunks whose words are in a drawer or in a shown entry already; no drawer is made of them.'),
  recognised: z
    .enum(['exact', 'near'])
    .optional()
    .describe('Present when the text repeats a shown entry: it is listed with its source, and made no drawer.'),
});

const zPage = z.object({
  source: z.string().min(1, 'must not be empty').optional().describe('Only drawers of this source.'),
  wing: z.string().optional(),
  room: z.string().optional().describe('Only drawers of this room.'),
  after: queryNumber({ min: 0 }).default(0),
  limit: queryNumber({ min: 1, max: LISTED_MAX }).default(LISTED_DEFAULT),
});

const zStats = z.object({
  total_drawers: z.int(),
  wings: z.array(z.object({ wing: z.string(), count: z.int().describe('Its drawers.') })).describe('Drawers by wing.'),
  rooms: z
    .array(z.object({ room: z.string().describe('Part of a wing: a topic.'), count: z.int().describe('Its drawers.') }))
    .describe('Drawers by room.'),
  dedup_hit_rate: z.number().describe('Share of the offered chunks that made no new drawer, 0 to 1.'),
  dedup: z
    .object({
      chunks_offered: z.int().describe('Chunks of all texts that were offered.'),
      exact_hits: z.int().describe('Of those, chunks with the same words as a drawer.'),
      near_hits: z.int().describe('Of those, chunks with nearly the same words.'),
      hits: z.int().describe('Both together.'),
    })
    .describe('How often a chunk made no new drawer.'),
});

export function drawerRoutes(deps: Dependencies): readonly RouteSpec[] {
  const { views } = deps;
  return [
    post('/memory/chunk', {
      operation: 'addDrawers',
      summary: 'Stores a text verbatim, in chunks of 800 characters that overlap by 100.',
      body: z.object({
        content: zText.describe('The text to store verbatim.'),
        source: z.string().nullish().describe('Where the text comes from, such as a path; absent: nowhere.'),
      }),
      responses: {
        201: { description: 'How many drawers it added, and how many there are.', schema: zStored },
        ...badRequest,
      },
      handle: ({ body, origin, repeatId }) =>
        deps.memoryLock.shared(async () => {
          const repeated = await recallLoopOf(deps, body.content, 'chunk');
          if (repeated !== null) await recordLoops(deps, [repeated.loop], origin);
          const { text_id, places } = await deps.drawerIntake.store(
            { ...body, loop: repeated?.loop, repeatId },
            origin,
          );
          const total_drawers = totals(deps.views).total_drawers;
          const recognised = repeated && { recognised: repeated.loop.kind };
          return value({ ...chunkCounts(places), total_drawers, text_id, ...recognised }, 201);
        }),
    }),
    get('/memory/drawers', {
      operation: 'listDrawers',
      summary: 'Drawers in the order in which they were stored; with `source` every piece of its texts.',
      query: zPage,
      responses: ok(
        'A page; `next` is where to go on, null at the end.',
        {
          drawers: z.array(zDrawer).describe('Drawers, oldest first.'),
          count: z.int().describe('Drawers in the list.'),
          total_drawers: z.int(),
          next: z.int().nullable(),
        },
        badRequest,
      ),
      isLong: true,
      handle({ query }) {
        const { drawers, ...rest } = listDrawers(deps, query);
        return jsonList('drawers', drawers, rest);
      },
    }),
    get('/memory/drawers/stats', {
      operation: 'drawerStats',
      summary: 'How many drawers there are, in which wings and rooms, and how often a chunk was stored already.',
      responses: ok('The stats.', zStats),
      handle: () => value(drawerStatistics(views)),
    }),
  ];
}

function chunkCounts(places: readonly Place[]) {
  const chunks_created = places.filter(({ kind }) => kind === 'new').length;
  const duplicates = places.filter(({ kind }) => kind === 'exact' || kind === 'near').length;
  return { chunks_created, chunks: places.length, duplicates };
}
