/** The memories of the cognitive store for answers: lists, one memory with its events, statistics, export. */
import type { TextCipher } from '../../ports/text-cipher.ts';
import {
  exportedIds,
  type MemoryPage,
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
import type { EventLog } from '../../storage/event-log.ts';
import type { VectorStatus } from './schemas.ts';
import { memoryTexts } from './texts.ts';

/** The stored format of built-in vectors. */
const VECTOR_BACKEND = 'turboquant';
/** How many times smaller a stored built-in vector is than one of 32-bit numbers. */
const VECTOR_COMPRESSION = VECTOR_DIMENSIONS / CODE_WORDS;
/** Limit of shown events of one memory, which usually has a few. */
const EVENTS_MAX = 1_000;

export const unixSeconds = (ms: number): number => Math.floor(ms / 1000);

export function totals(views: Views): { readonly total_memories: number; readonly total_drawers: number } {
  const { memories, drawers } = memoryCounts(views);
  return { total_memories: memories, total_drawers: drawers };
}

/** A memory as lists and searches show it. */
export function memoryView(cipher: TextCipher | null, row: MemoryRow) {
  const { content, tags } = memoryTexts(cipher, row);
  return {
    id: row.id,
    content,
    sector: row.sector,
    salience: row.effective,
    tags,
    pinned: row.pinned === 1,
    created_at: unixSeconds(row.created_at),
  };
}

/** The memories are decrypted as they are taken. */
export function listMemories(views: Views, cipher: TextCipher | null, page: MemoryPage) {
  return { memories: memoryViews(cipher, newestMemories(views, page)), total: totals(views).total_memories };
}

function* memoryViews(cipher: TextCipher | null, rows: readonly MemoryRow[]) {
  for (const row of rows) yield memoryView(cipher, row);
}

export interface StatsQuery {
  readonly now: number;
  readonly isEncrypted: boolean;
  readonly embedding: VectorStatus;
}

export function memoryStats(views: Views, { now, isEncrypted, embedding }: StatsQuery) {
  const { memories, drawers, facts } = memoryCounts(views);
  const modelDimension = embedding.provider !== 'local' && embedding.embedded > 0 ? embedding.dimension : null;
  return {
    total_memories: memories,
    total_waypoints: waypointCount(views),
    total_facts: facts,
    total_drawers: drawers,
    encryption: isEncrypted,
    sectors: sectorStats(views, now),
    embedding_dim: modelDimension ?? VECTOR_DIMENSIONS,
    embedding_compression_ratio: memories + drawers === 0 ? 0 : compressionOf(modelDimension),
    embedding_backend: VECTOR_BACKEND,
    embedding,
  };
}

/** A vector of a provider is stored as one byte a dimension, a 4-byte scale and 512 bits of signs. */
function compressionOf(dimension: number | null): number {
  return dimension === null ? VECTOR_COMPRESSION : (dimension * 4) / (dimension + 68);
}

export interface DetailQuery {
  readonly id: string;
  readonly now: number;
  readonly cipher: TextCipher | null;
}

/** One memory with its waypoints and its events; undefined when there is none with this id. */
export function memoryDetail(views: Views, log: EventLog, { id, now, cipher }: DetailQuery) {
  const row = memoryRow(views, id, now);
  if (row === undefined) return undefined;
  const mark = recallMark(views, id);
  const waypoints = waypointViews(views, row);
  const { version, user_id, project_id, session_id, decay_lambda } = row;
  return {
    ...memoryView(cipher, row),
    version,
    user_id,
    project_id,
    session_id,
    decay_lambda,
    waypoints,
    effective_salience: row.effective,
    stored_salience: row.salience,
    secondary_sectors: JSON.parse(row.secondary) as unknown,
    metadata: memoryTexts(cipher, row).meta,
    updated_at: unixSeconds(row.updated_at),
    last_seen_at: unixSeconds(row.last_seen_at),
    encrypted: row.sealed !== null,
    recalled_at: mark === undefined ? null : unixSeconds(mark.recalled_at),
    recalls: mark?.recalls ?? 0,
    waypoint_count: waypoints.length,
    events: [...log.readStream(`memory-${id}`, { limit: EVENTS_MAX })].map((event) => {
      const { position, version: number, id: eventId, type, at, actor, leafHash: leaf_hash, data } = event;
      const erased = event.erased === true ? { erased: true as const } : {};
      return { position, version: number, id: eventId, type, at, actor, leaf_hash, data, ...erased };
    }),
  };
}

function waypointViews(views: Views, row: MemoryRow) {
  return waypointsOf(views, row.id).map((waypoint) => {
    const other = memoryRow(views, waypoint.dst_id, 0);
    return {
      ...waypoint,
      created_at: unixSeconds(waypoint.created_at),
      updated_at: unixSeconds(waypoint.updated_at),
      cross_sector: other !== undefined && other.sector !== row.sector,
      cross_project: other !== undefined && other.project_id !== row.project_id,
    };
  });
}

/**
 * Every memory as JSON text, oldest first, as `POST /memory/import` accepts it. Each is read when it is needed; a
 * memory that was deleted meanwhile is skipped.
 */
export function* exportedMemories(views: Views, cipher: () => TextCipher | null, now: number): Generator<string> {
  for (const id of exportedIds(views)) {
    const row = memoryRow(views, id, now);
    if (row !== undefined) yield JSON.stringify(exportedMemory(cipher(), row));
  }
}

function exportedMemory(cipher: TextCipher | null, row: MemoryRow) {
  const { content, tags, meta } = memoryTexts(cipher, row);
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
    created_at: unixSeconds(row.created_at),
    updated_at: unixSeconds(row.updated_at),
    last_seen_at: unixSeconds(row.last_seen_at),
    version,
    user_id,
    project_id,
    session_id,
    pinned: row.pinned === 1,
  };
}
