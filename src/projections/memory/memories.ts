/** Queries of the memories table. `effective` is the salience that remains at the time of the query. */
import { z } from 'zod';
import {
  type Encryption,
  type Keeping,
  type MemoryBody,
  SECTORS,
  type Sector,
  zSector,
} from '../../events/memory/events.ts';
import { column, conditions } from '../rows.ts';
import type { Views } from '../views.ts';

type JsonColumns = 'tags' | 'meta' | 'secondary';

/** A stored row: lists are JSON texts, and the texts of an encrypted memory are in `sealed`. */
export interface MemoryRow
  extends Readonly<Omit<MemoryBody, JsonColumns | 'pinned' | 'from' | 'waypoints'>>,
    Readonly<Record<JsonColumns, string>> {
  readonly id: string;
  readonly pinned: number;
  readonly from_ids: string;
  readonly made_by: Keeping;
  /** The salience that remains at the time of the query. */
  readonly effective: number;
}

export const DAY_MS = 86_400_000;

const EFFECTIVE = `(CASE WHEN pinned = 1 THEN salience
  ELSE salience * exp(-decay_lambda * max(0, ? - last_seen_at) / ${DAY_MS}.0) END)`;
const SELECT = `SELECT *, ${EFFECTIVE} AS effective FROM memories`;

export interface MemoryCounts {
  readonly memories: number;
  readonly drawers: number;
  readonly facts: number;
}

export function memoryCounts(views: Views): MemoryCounts {
  const rows = views.all<{ name: string; n: number }>('SELECT name, n FROM memory_counts');
  const count = (name: string): number => rows.find((row) => row.name === name)!.n;
  return { memories: count('memories'), drawers: count('drawers'), facts: count('facts') };
}

export function memoryRow(views: Views, id: string, now: number): MemoryRow | undefined {
  return views.get<MemoryRow>(`${SELECT} WHERE id = ?`, now, id);
}

/** The rows with these ids, by id. */
export function memoryRows(views: Views, ids: readonly string[], now: number): ReadonlyMap<string, MemoryRow> {
  const sql = `${SELECT} WHERE id IN (SELECT value FROM json_each(?))`;
  return new Map(views.all<MemoryRow>(sql, now, JSON.stringify(ids)).map((row) => [row.id, row]));
}

export interface MemoryPage {
  readonly sector?: Sector | undefined;
  readonly wing?: string | undefined;
  readonly limit: number;
  readonly offset: number;
  readonly now: number;
}

/** Newest first. */
export function newestMemories(views: Views, { sector, wing, limit, offset, now }: MemoryPage): readonly MemoryRow[] {
  const filter = conditions({ 'sector = ?': sector, "coalesce(project_id, 'global') = ?": wing });
  const sql = `${SELECT} WHERE TRUE${filter.sql} ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?`;
  return views.all<MemoryRow>(sql, now, ...filter.values, limit, offset);
}

/** The ids of all memories, oldest first, ordered by seconds, because an export has times in seconds. */
export function exportedIds(views: Views): readonly string[] {
  return column(views, 'SELECT id FROM memories ORDER BY created_at / 1000, id');
}

/** Memories after an id, in the order of ids. */
export function memoriesAfter(views: Views, after: string, limit: number): readonly MemoryRow[] {
  return views.all<MemoryRow>(`${SELECT} WHERE id > ? ORDER BY id LIMIT ?`, 0, after, limit);
}

/** Memories that are not encrypted, in the order of ids. */
export function plainMemories(views: Views, limit: number): readonly MemoryRow[] {
  return views.all<MemoryRow>(`${SELECT} WHERE sealed IS NULL ORDER BY id LIMIT ?`, 0, limit);
}

/** Pinned ones first, then by effective salience. */
export function essentialMemories(views: Views, now: number, limit: number): readonly MemoryRow[] {
  const order = 'ORDER BY pinned DESC, effective DESC, created_at DESC, id DESC';
  const first = `SELECT id FROM (SELECT id, pinned, created_at, ${EFFECTIVE} AS effective FROM memories ${order} LIMIT ?)`;
  return views.all<MemoryRow>(`${SELECT} WHERE id IN (${first}) ${order}`, now, now, limit);
}

/** Unpinned memories with an effective salience under `below`. */
export function fadedMemories(
  views: Views,
  { now, below, limit }: { readonly now: number; readonly below: number; readonly limit: number },
): readonly MemoryRow[] {
  const sql = `${SELECT} WHERE pinned = 0 AND effective < ? ORDER BY id LIMIT ?`;
  return views.all<MemoryRow>(sql, now, below, limit);
}

/** Unpinned memories, without reflections, with an effective salience of at most `atMost`, oldest first. */
export function weakMemories(
  views: Views,
  { now, atMost, limit }: { readonly now: number; readonly atMost: number; readonly limit: number },
): readonly MemoryRow[] {
  const sql = `${SELECT} WHERE pinned = 0 AND made_by <> 'ReflectionFormed' AND effective <= ?
    ORDER BY created_at, id LIMIT ?`;
  return views.all<MemoryRow>(sql, now, atMost, limit);
}

/** Memories that no reflection covers as they are and that are not reflections, newest first. */
export function unreflectedMemories(views: Views, now: number, limit: number): readonly MemoryRow[] {
  const sql = `${SELECT} WHERE made_by <> 'ReflectionFormed'
    AND NOT EXISTS (SELECT 1 FROM memory_reflections WHERE memory_id = memories.id AND is_inherited = 0)
    ORDER BY created_at DESC, id DESC LIMIT ?`;
  return views.all<MemoryRow>(sql, now, limit);
}

/** The ids of the reflections that have this memory as a source, or a memory that it replaces. */
export function reflectionsOn(views: Views, id: string): readonly string[] {
  const sql = 'SELECT reflection_id FROM memory_reflections WHERE memory_id = ? ORDER BY reflection_id';
  return column(views, sql, id);
}

export const zSectorStats = z.object({
  sector: zSector,
  count: z.int().describe('Its memories.'),
  avg_salience: z.number().describe('Mean salience, 0 to 1.'),
  pinned_count: z.int().describe('Of those, pinned ones.'),
  avg_age_days: z.number().describe('Mean age in days.'),
});
type SectorStats = Readonly<z.infer<typeof zSectorStats>>;

/** All five sectors, in their order. */
export function sectorStats(views: Views, now: number): readonly SectorStats[] {
  const rows = views.all<SectorStats>(
    `SELECT sector, count(*) AS count, avg(${EFFECTIVE}) AS avg_salience, sum(pinned) AS pinned_count,
       avg(max(0, ? - created_at)) / ${DAY_MS}.0 AS avg_age_days FROM memories GROUP BY sector`,
    now,
    now,
  );
  return SECTORS.map(
    (sector) =>
      rows.find((row) => row.sector === sector) ?? {
        sector,
        count: 0,
        avg_salience: 0,
        pinned_count: 0,
        avg_age_days: 0,
      },
  );
}

/** Log positions whose erasure is decided; some may have been erased before the decision. */
export function dueErasures(views: Views): readonly number[] {
  return column(views, 'SELECT position FROM memory_erasures ORDER BY position');
}

/** The recorded encryption settings; undefined without encryption. */
export function encryptionSettings(views: Views): Encryption | undefined {
  const row = views.get<{ json: string }>('SELECT json FROM memory_encryption');
  return row === undefined ? undefined : (JSON.parse(row.json) as Encryption);
}
