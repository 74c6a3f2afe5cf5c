/** What is in the cognitive store: list, one memory with its events, stats, export. */
import { z } from 'zod';
import { MEMORY_NOT_FOUND } from '../../commands/memory/decide.ts';
import type { Config } from '../../config.ts';
import { zJson } from '../../events/envelope.ts';
import { zSector } from '../../events/memory/events.ts';
import type { Clock } from '../../ports/clock.ts';
import {
  exportedMemories,
  type MemoryRow,
  memoryCounts,
  memoryRow,
  newestMemories,
  sectorStats,
} from '../../projections/memory/memories.ts';
import { recallMark } from '../../projections/memory/recalled.ts';
import { waypointCount, waypointsOf } from '../../projections/memory/waypoints.ts';
import { CODE_WORDS } from '../../projections/recall/quantise.ts';
import { VECTOR_DIMENSIONS } from '../../projections/recall/vector.ts';
import type { Views } from '../../projections/views.ts';
import { memoryView, seconds, totals } from '../../queries/memory/memory-context.ts';
import { memoryWords } from '../../queries/memory/texts.ts';
import type { MemoryKeeper } from '../../reactors/memory/memory-store.ts';
import type { MemoryVectors } from '../../reactors/memory/vectors/vectors.ts';
import type { EventLog } from '../../storage/event-log.ts';
import type { Projector } from '../../streams/projector.ts';
import { json, value } from '../server/answer.ts';
import { HttpError, zError } from '../server/errors.ts';
import { type RouteSpec, route } from '../server/route.ts';
import { common, refused, wholeText, zMemoryView, zSectorName } from './schemas.ts';
import { zVectorStatus } from './vector-schemas.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: EventLog;
  readonly views: Views;
  readonly projector: Projector;
  readonly memory: MemoryKeeper;
  readonly memoryVectors: MemoryVectors;
}

export const ONE_MEMORY = '/memory/{id}';

const LISTED_MAX = 10_000;
const LISTED_DEFAULT = 100;
/** How vectors are kept: the backend's name, and how much smaller than 32-bit numbers it makes them. */
const VECTOR_BACKEND = 'turboquant';
const VECTOR_COMPRESSION = VECTOR_DIMENSIONS / CODE_WORDS;
/** Events of one memory that are shown; a memory has a handful. */
const EVENTS_MAX = 1_000;

const zDetail = zMemoryView.extend({
  effective_salience: z.number(),
  stored_salience: z.number(),
  decay_lambda: z.number(),
  /** Pairs of a sector and its share. */
  secondary_sectors: z.array(z.array(z.union([zSector, z.number()]))),
  metadata: z.record(z.string(), z.string()),
  updated_at: z.int(),
  last_seen_at: z.int(),
  version: z.int(),
  user_id: z.string(),
  project_id: z.string().nullable(),
  session_id: z.string().nullable(),
  encrypted: z.boolean(),
  recalled_at: z.int().nullable(),
  recalls: z.int(),
  waypoint_count: z.int(),
  waypoints: z.array(
    z.object({
      src_id: z.string(),
      dst_id: z.string(),
      kind: z.string(),
      weight: z.number(),
      created_at: z.int(),
      updated_at: z.int(),
      cross_sector: z.boolean(),
      cross_project: z.boolean(),
    }),
  ),
  events: z.array(
    z.object({
      position: z.int(),
      version: z.int(),
      id: z.string(),
      type: z.string(),
      at: z.int(),
      actor: z.string(),
      leaf_hash: z.string(),
      data: zJson,
      erased: z.literal(true).optional(),
    }),
  ),
});

export function browseRoutes(deps: Dependencies): readonly RouteSpec[] {
  return [listRoute(deps), statsRoute(deps), exportRoute(deps)];
}

function listRoute(deps: Dependencies): RouteSpec {
  return route({
    ...common,
    method: 'GET',
    path: '/memory/list',
    summary: 'Memories, newest first.',
    query: z.object({
      sector: zSectorName.optional(),
      limit: wholeText({ min: 1, max: LISTED_MAX }).default(LISTED_DEFAULT),
      offset: wholeText({ min: 0 }).default(0),
    }),
    responses: {
      200: {
        description: 'A page, and how many the store holds.',
        schema: z.object({ memories: z.array(zMemoryView), total: z.int() }),
      },
      ...refused,
    },
    handle({ query }) {
      const rows = newestMemories(deps.views, { ...query, now: deps.clock.now() });
      const memories = rows.map((row) => memoryView(deps, row));
      return value({ memories, total: totals(deps).total_memories });
    },
  });
}

function statsRoute(deps: Dependencies): RouteSpec {
  return route({
    ...common,
    method: 'GET',
    path: '/memory/stats',
    summary: 'Counts, strength by sector, how vectors are kept, whether texts are encrypted.',
    responses: {
      200: {
        description: 'The stats.',
        schema: z.object({
          total_memories: z.int(),
          total_waypoints: z.int(),
          total_facts: z.int(),
          total_drawers: z.int(),
          encryption: z.boolean(),
          sectors: z.array(
            z.object({
              sector: zSector,
              count: z.int(),
              avg_salience: z.number(),
              pinned_count: z.int(),
              avg_age_days: z.number(),
            }),
          ),
          embedding_dim: z.int(),
          embedding_compression_ratio: z.number(),
          embedding_backend: z.string(),
          /** How far the configured model's vectors are. */
          embedding: zVectorStatus,
        }),
      },
    },
    handle() {
      const { memories, drawers, facts } = memoryCounts(deps.views);
      const embedding = deps.memoryVectors.status();
      const inUse = embedding.provider !== 'local' && embedding.embedded > 0 ? embedding.dimension : null;
      return value({
        total_memories: memories,
        total_waypoints: waypointCount(deps.views),
        total_facts: facts,
        total_drawers: drawers,
        encryption: deps.memory.isEncrypted(),
        sectors: sectorStats(deps.views, deps.clock.now()),
        embedding_dim: inUse ?? VECTOR_DIMENSIONS,
        embedding_compression_ratio: memories + drawers === 0 ? 0 : compressionOf(inUse),
        embedding_backend: VECTOR_BACKEND,
        embedding,
      });
    },
  });
}

/** A provider's vectors are kept in a byte a dimension, a scale and 512 signs. */
function compressionOf(dimension: number | null): number {
  return dimension === null ? VECTOR_COMPRESSION : (dimension * 4) / (dimension + 68);
}

function exportRoute(deps: Dependencies): RouteSpec {
  return route({
    ...common,
    method: 'GET',
    path: '/memory/export',
    summary: 'Every memory as JSON, oldest first: what POST /memory/import takes back.',
    responses: { 200: { description: 'A list of entries.', schema: z.array(z.looseObject({ id: z.string() })) } },
    handle() {
      const rows = exportedMemories(deps.views, deps.clock.now());
      return json(`[${rows.map((row) => JSON.stringify(exported(deps, row))).join(',')}]`);
    },
  });
}

function exported(deps: Dependencies, row: MemoryRow) {
  const { content, tags, meta } = memoryWords(deps.memory.vault(), row);
  const { id, sector: primary_sector, salience, decay_lambda, version, user_id, project_id, session_id } = row;
  return {
    id,
    content,
    primary_sector,
    secondary_sectors: JSON.parse(row.secondary) as unknown,
    tags,
    meta,
    salience,
    decay_lambda,
    created_at: seconds(row.created_at),
    updated_at: seconds(row.updated_at),
    last_seen_at: seconds(row.last_seen_at),
    version,
    user_id,
    project_id,
    session_id,
    pinned: row.pinned === 1,
  };
}

export function oneRoute(deps: Dependencies): RouteSpec {
  return route({
    ...common,
    method: 'GET',
    path: ONE_MEMORY,
    summary: 'One memory, and the events that made it what it is.',
    params: z.object({ id: z.string() }),
    responses: {
      200: { description: 'The memory.', schema: zDetail },
      404: { description: 'No memory has this id.', schema: zError },
    },
    handle({ params }) {
      const row = memoryRow(deps.views, params.id, deps.clock.now());
      if (row === undefined) throw new HttpError(404, MEMORY_NOT_FOUND);
      return value(detail(deps, row));
    },
  });
}

function detail(deps: Dependencies, row: MemoryRow) {
  const { meta } = memoryWords(deps.memory.vault(), row);
  const mark = recallMark(deps.views, row.id);
  const waypoints = waypointsOf(deps.views, row.id).map((waypoint) => {
    const other = memoryRow(deps.views, waypoint.dst_id, 0);
    return {
      ...waypoint,
      created_at: seconds(waypoint.created_at),
      updated_at: seconds(waypoint.updated_at),
      cross_sector: other !== undefined && other.sector !== row.sector,
      cross_project: other !== undefined && other.project_id !== row.project_id,
    };
  });
  const { version, user_id, project_id, session_id, decay_lambda } = row;
  return {
    ...memoryView(deps, row),
    ...{ version, user_id, project_id, session_id, decay_lambda, waypoints },
    effective_salience: row.effective,
    stored_salience: row.salience,
    secondary_sectors: JSON.parse(row.secondary) as unknown,
    metadata: meta,
    updated_at: seconds(row.updated_at),
    last_seen_at: seconds(row.last_seen_at),
    encrypted: row.sealed !== null,
    recalled_at: mark === undefined ? null : seconds(mark.recalled_at),
    recalls: mark?.recalls ?? 0,
    waypoint_count: waypoints.length,
    events: [...deps.log.readStream(`memory-${row.id}`, { limit: EVENTS_MAX })].map((event) => {
      const { position, version: number, id, type, at, actor, leafHash: leaf_hash, data } = event;
      const erased = event.erased === true ? { erased: true as const } : {};
      return { position, version: number, id, type, at, actor, leaf_hash, data, ...erased };
    }),
  };
}
