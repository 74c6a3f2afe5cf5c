/** Verbatim drawers: texts in chunks, kept word for word; list them, count them. */
import { z } from 'zod';
import { type Chunk, chunksOf } from '../../commands/memory/chunk.ts';
import { classify } from '../../commands/memory/classify.ts';
import { drawer as decider } from '../../commands/memory/drawer.ts';
import { quoted, VERBATIM_CHARACTERS } from '../../commands/memory/lines.ts';
import type { Loop } from '../../commands/memory/recalled.ts';
import type { Place } from '../../events/memory-drawers.ts';
import {
  type DrawerRow,
  drawerRow,
  drawerRows,
  drawerStats,
  drawerWith,
  newestDrawers,
  textOf,
} from '../../projections/memory/drawers.ts';
import { blended, foundByWords, type Meaning } from '../../projections/memory/meaning.ts';
import { readingOf } from '../../projections/recall/reading.ts';
import { searchTexts } from '../../projections/recall/recall.ts';
import { cosine } from '../../projections/recall/vector.ts';
import type { House } from '../house.ts';
import { value } from '../server/answer.ts';
import { type Call, type RouteSpec, route } from '../server/route.ts';
import { countLoops, recognise } from './loops.ts';
import { currentWing, seconds, totals } from './room.ts';
import { common, refused, wholeText, zText } from './shapes.ts';
import { drawerWords, kept } from './words.ts';

const SOURCE_DEFAULT = 'api';
/** A chunk this near to one of so many recent drawers is no drawer of its own. */
const NEAR_COSINE_MIN = 0.85;
const RECENT_DRAWERS = 20;
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

export function drawerRoutes(house: House): readonly RouteSpec[] {
  return [chunkRoute(house), listRoute(house), statsRoute(house)];
}

function chunkRoute(house: House): RouteSpec {
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
    handle: ({ body, dispatch, origin }) =>
      house.memory.inTurn(async () => {
        const found = recognise(house, body.content, 'chunk');
        if (found !== null) await countLoops(house, [found.loop], origin);
        const { text_id, places } = await ingest(house, { ...body, loop: found?.loop }, dispatch);
        return value({ ...counted(places, house), text_id, ...(found && { recognised: found.loop.kind }) }, 201);
      }),
  });
}

function counted(places: readonly Place[], house: House) {
  const chunks_created = places.filter(({ kind }) => kind === 'new').length;
  const duplicates = places.filter(({ kind }) => kind === 'exact' || kind === 'near').length;
  return { chunks_created, total_drawers: totals(house).total_drawers, chunks: places.length, duplicates };
}

interface Offered {
  readonly content: string;
  readonly source?: string | null | undefined;
  /** What of ours the text repeats. */
  readonly loop: Loop | undefined;
}

/** Stores a text; one at a time, so that no two see the same chunk as new. */
async function ingest(house: House, { content, source: named, loop }: Offered, dispatch: Call['dispatch']) {
  const source = named === undefined || named === null || named.trim() === '' ? SOURCE_DEFAULT : named;
  const { exact } = house.memory.marks();
  const stream = exact(source);
  const text_key = exact(content);
  const known = textOf(house.views, `${decider.category}-${stream}`, text_key);
  const text_id = known?.text_id ?? house.ambient.uuid();
  const text: TextParts = { text_id, source, source_key: stream, room: classify(content).sector, loop };
  const places = placesOf(house, chunksOf(content), text);
  const repeated = known !== undefined;
  await dispatch(decider, stream, { type: 'ChunkText', text_id, text_key, places, repeated });
  return { text_id, places: repeated ? places.map(asRepeated) : places };
}

/** Of a text that is kept already no chunk is new. */
function asRepeated(place: Place): Place {
  return place.kind === 'new' ? { ...place, kind: 'exact' } : place;
}

interface TextParts {
  readonly text_id: string;
  readonly source: string;
  readonly source_key: string;
  readonly room: string;
  readonly loop: Loop | undefined;
}

interface Recent {
  readonly id: string;
  readonly vector: Float32Array;
}

function placesOf(house: House, chunks: readonly Chunk[], text: TextParts): readonly Place[] {
  const { exact } = house.memory.marks();
  const vault = house.memory.vault();
  const recent: Recent[] = newestDrawers(house.views, RECENT_DRAWERS)
    .toReversed()
    .map((row) => ({ id: row.id, vector: readingOf(drawerWords(vault, row).content).vector }));
  const own = new Map<string, string>();
  return chunks.map(({ content, start }, index) => {
    const key = exact(content);
    const same = own.get(key) ?? drawerWith(house.views, key)?.id;
    const kind = kindOf(content, { same, recent, loop: text.loop });
    const id = house.ambient.uuid();
    if (kind.kind === 'new') {
      own.set(key, id);
      recent.push({ id, vector: kind.vector });
      if (recent.length > RECENT_DRAWERS) recent.shift();
    }
    return placeOf(house, text, { id, index, start, content, content_key: key, kind: kind.kind, of: kind.of });
  });
}

interface Resemblance {
  /** The drawer with these very words. */
  readonly same: string | undefined;
  readonly recent: readonly Recent[];
  readonly loop: Loop | undefined;
}

function kindOf(content: string, { same, recent, loop }: Resemblance) {
  const nothing = new Float32Array();
  if (content.trim() === '') return { kind: 'blank', of: null, vector: nothing } as const;
  if (same !== undefined) return { kind: 'exact', of: same, vector: nothing } as const;
  if (loop !== undefined) return { kind: 'near', of: loop.id, vector: nothing } as const;
  const { vector } = readingOf(content);
  const near = recent.find((each) => cosine(each.vector, vector) >= NEAR_COSINE_MIN);
  if (near !== undefined) return { kind: 'near', of: near.id, vector } as const;
  return { kind: 'new', of: null, vector } as const;
}

function placeOf(
  house: House,
  { text_id, source, source_key, room }: TextParts,
  place: Pick<Place, 'id' | 'index' | 'start' | 'content' | 'content_key' | 'kind' | 'of'>,
): Place {
  const { content, id } = place;
  const words = { content: place.kind === 'exact' ? '' : content, source };
  return {
    ...place,
    ...kept(house.memory.vault(), words, { id, empty: { content: '', source: '' } }),
    line_key: house.memory.marks().fingerprint(quoted(content, VERBATIM_CHARACTERS)),
    ...{ text_id, source_key, room },
    wing: currentWing(house),
  };
}

function listRoute(house: House): RouteSpec {
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
      const source_key = source === undefined ? undefined : house.memory.marks().exact(source);
      const rows = drawerRows(house.views, { ...page, source_key });
      const drawers = rows.map((row) => drawerView(house, row));
      const next = rows.length < query.limit ? null : rows.at(-1)!.position;
      return value({ drawers, count: drawers.length, total_drawers: totals(house).total_drawers, next });
    },
  });
}

/** Drawers that answer a question, best first. */
export function findDrawers(
  house: House,
  { text, k, wing, meaning }: { text: string; k: number; wing?: string; meaning?: Meaning | undefined },
) {
  const query = { text, kind: 'drawer', k: foundByWords(meaning, k), wing } as const;
  const found: (ReturnType<typeof drawerView> & { readonly similarity: number })[] = [];
  for (const { key, similarity } of blended(searchTexts(house.memory.index(), query), meaning, 'drawer')) {
    if (found.length === k) break;
    const row = drawerRow(house.views, key);
    if (row === undefined || (wing !== undefined && row.wing !== wing)) continue;
    found.push({ ...drawerView(house, row), similarity });
  }
  return found;
}

export function drawerView(house: House, row: DrawerRow) {
  const vault = house.memory.vault();
  const words = drawerWords(vault, row);
  const same = row.kind === 'exact' && row.of_id !== null ? drawerRow(house.views, row.of_id) : undefined;
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

function statsRoute(house: House): RouteSpec {
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
      const { wings, rooms, chunks, exact, near } = drawerStats(house.views);
      return value({
        total_drawers: totals(house).total_drawers,
        wings,
        rooms,
        dedup_hit_rate: chunks === 0 ? 0 : (exact + near) / chunks,
        dedup: { chunks_offered: chunks, exact_hits: exact, near_hits: near, hits: exact + near },
      });
    },
  });
}
