/** Verbatim drawers: texts in chunks, kept word for word; list them, count them. */
import { z } from 'zod';
import type { Config } from '../../config.ts';
import type { Place } from '../../events/memory/drawers.ts';
import type { Clock } from '../../ports/clock.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import { type DrawerRow, drawerRow, drawerRows, drawerStats } from '../../projections/memory/drawers.ts';
import { blended, foundByWords, type Meaning } from '../../projections/memory/meaning.ts';
import { searchTexts } from '../../projections/recall/recall.ts';
import type { Views } from '../../projections/views.ts';
import { countLoops, recognise } from '../../queries/memory/loops.ts';
import { seconds, totals } from '../../queries/memory/memory-context.ts';
import { drawerWords } from '../../queries/memory/texts.ts';
import { createIntake } from '../../reactors/memory/intake.ts';
import type { MemoryKeeper } from '../../reactors/memory/memory-store.ts';
import type { EventLog } from '../../storage/event-log.ts';
import type { CommandHandler } from '../../streams/command-handler.ts';
import type { Projector } from '../../streams/projector.ts';
import { value } from '../server/answer.ts';
import { type RouteSpec, route } from '../server/route.ts';
import { common, refused, wholeText, zText } from './schemas.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly log: EventLog;
  readonly views: Views;
  readonly projector: Projector;
  readonly dispatcher: CommandHandler;
  readonly memory: MemoryKeeper;
}

const LISTED_MAX = 10_000;
const LISTED_DEFAULT = 2_000;

export const zDrawer = z.object({
  id: z.string(),
  content: z.string(),
  wing: z.string(),
  room: z.string(),
  source: z.string(),
  content_hash: z.string(),
  created_at: z.int(),
  /** Which text it is a piece of, the how manieth, and from which character on. */
  text_id: z.string(),
  index: z.int(),
  start: z.int(),
  /** The drawer (or what was recalled) whose words it repeats; such a piece is no drawer and in no count. */
  duplicate_of: z.string().nullable(),
});

export function drawerRoutes(deps: Dependencies): readonly RouteSpec[] {
  return [chunkRoute(deps), listRoute(deps), statsRoute(deps)];
}

function chunkRoute(deps: Dependencies): RouteSpec {
  const intake = createIntake(deps);
  return route({
    ...common,
    method: 'POST',
    path: '/memory/chunk',
    summary: 'Keeps a text word for word, in chunks of 800 characters of which 100 overlap.',
    body: z.object({ content: zText, source: z.string().nullish() }),
    responses: {
      201: {
        description: 'How many new drawers it took, and how many there are.',
        schema: z.object({
          chunks_created: z.int(),
          total_drawers: z.int(),
          text_id: z.string(),
          chunks: z.int(),
          /** Chunks whose words are in a drawer, or were recalled: they make none. */
          duplicates: z.int(),
          /** Present when the text was ours before: it is listed with its source, and no drawer was made. */
          recognised: z.enum(['exact', 'near']).optional(),
        }),
      },
      ...refused,
    },
    handle: ({ body, origin }) =>
      deps.memory.beside(async () => {
        const found = recognise(deps, body.content, 'chunk');
        if (found !== null) await countLoops(deps, [found.loop], origin);
        const { text_id, places } = await intake.take({ ...body, loop: found?.loop }, origin);
        return value({ ...counted(places, deps), text_id, ...(found && { recognised: found.loop.kind }) }, 201);
      }),
  });
}

function counted(places: readonly Place[], deps: Dependencies) {
  const chunks_created = places.filter(({ kind }) => kind === 'new').length;
  const duplicates = places.filter(({ kind }) => kind === 'exact' || kind === 'near').length;
  return { chunks_created, total_drawers: totals(deps).total_drawers, chunks: places.length, duplicates };
}

function listRoute(deps: Dependencies): RouteSpec {
  return route({
    ...common,
    method: 'GET',
    path: '/memory/drawers',
    summary: 'Drawers in the order in which they were stored; of one source every piece, so that its texts come back.',
    query: z.object({
      source: z.string().min(1, 'must not be empty').optional(),
      wing: z.string().optional(),
      room: z.string().optional(),
      after: wholeText({ min: 0 }).default(0),
      limit: wholeText({ min: 1, max: LISTED_MAX }).default(LISTED_DEFAULT),
    }),
    responses: {
      200: {
        description: 'A page; `next` is where to go on, null at the end.',
        schema: z.object({
          drawers: z.array(zDrawer),
          count: z.int(),
          total_drawers: z.int(),
          next: z.int().nullable(),
        }),
      },
      ...refused,
    },
    handle({ query }) {
      const { source, ...page } = query;
      const source_key = source === undefined ? undefined : deps.memory.marks().exact(source);
      const rows = drawerRows(deps.views, { ...page, source_key });
      const drawers = rows.map((row) => drawerView(deps, row));
      const next = rows.length < query.limit ? null : rows.at(-1)!.position;
      return value({ drawers, count: drawers.length, total_drawers: totals(deps).total_drawers, next });
    },
  });
}

/** Drawers that answer a question, best first. */
export function findDrawers(
  deps: Dependencies,
  { text, k, wing, meaning }: { text: string; k: number; wing?: string; meaning?: Meaning | undefined },
) {
  const query = { text, kind: 'drawer', k: foundByWords(meaning, k), wing } as const;
  const found: (ReturnType<typeof drawerView> & { readonly similarity: number })[] = [];
  for (const { key, similarity } of blended(searchTexts(deps.memory.index(), query), meaning, 'drawer')) {
    if (found.length === k) break;
    const row = drawerRow(deps.views, key);
    if (row === undefined || (wing !== undefined && row.wing !== wing)) continue;
    found.push({ ...drawerView(deps, row), similarity });
  }
  return found;
}

export function drawerView(deps: Dependencies, row: DrawerRow) {
  const vault = deps.memory.vault();
  const words = drawerWords(vault, row);
  const same = row.kind === 'exact' && row.of_id !== null ? drawerRow(deps.views, row.of_id) : undefined;
  const content = same === undefined ? words.content : drawerWords(vault, same).content;
  const { id, text_id, wing, room, place: index, start } = row;
  return {
    ...{ id, content, wing, room, source: words.source, text_id, index, start },
    content_hash: contentHash(content),
    created_at: seconds(row.created_at),
    duplicate_of: row.of_id,
  };
}

const FNV_OFFSET = 0xcbf29ce484222325n;
const FNV_PRIME = 0x100000001b3n;

/** FNV-1a over the UTF-8 bytes, 64 bits in hex. */
function contentHash(text: string): string {
  let hash = FNV_OFFSET;
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * FNV_PRIME);
  return hash.toString(16).padStart(16, '0');
}

function statsRoute(deps: Dependencies): RouteSpec {
  return route({
    ...common,
    method: 'GET',
    path: '/memory/drawers/stats',
    summary: 'How many drawers there are, in which wings and rooms, and how often a chunk was there before.',
    responses: {
      200: {
        description: 'The stats.',
        schema: z.object({
          total_drawers: z.int(),
          wings: z.array(z.object({ wing: z.string(), count: z.int() })),
          rooms: z.array(z.object({ room: z.string(), count: z.int() })),
          /** Share of the chunks ever offered that were no new drawer, 0 to 1. */
          dedup_hit_rate: z.number(),
          dedup: z.object({ chunks_offered: z.int(), exact_hits: z.int(), near_hits: z.int(), hits: z.int() }),
        }),
      },
    },
    handle() {
      const { wings, rooms, chunks, exact, near } = drawerStats(deps.views);
      return value({
        total_drawers: totals(deps).total_drawers,
        wings,
        rooms,
        dedup_hit_rate: chunks === 0 ? 0 : (exact + near) / chunks,
        dedup: { chunks_offered: chunks, exact_hits: exact, near_hits: near, hits: exact + near },
      });
    },
  });
}
