/** What is asked of the memories table. Salience is always the effective one: what is left of it now. */
import type { Keeping, Sector } from '../../events/memory/events.ts';
import { SECTORS } from '../../events/memory/events.ts';
import type { Views } from '../views.ts';

/** A row as it lies there: lists are JSON texts, and a sealed one has its words in `sealed`. */
export interface MemoryRow {
  readonly id: string;
  readonly content: string;
  readonly tags: string;
  readonly meta: string;
  readonly sealed: string | null;
  readonly content_key: string;
  readonly line_key: string;
  readonly sector: Sector;
  readonly secondary: string;
  readonly salience: number;
  readonly decay_lambda: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly last_seen_at: number;
  readonly version: number;
  readonly user_id: string;
  readonly project_id: string | null;
  readonly session_id: string | null;
  readonly pinned: number;
  readonly from_ids: string;
  readonly made_by: Keeping;
  /** What is left of the salience at the time asked for. */
  readonly effective: number;
}

export const DAY_MS = 86_400_000;

const EFFECTIVE = `(CASE WHEN pinned = 1 THEN salience
  ELSE salience * exp(-decay_lambda * max(0, ? - last_seen_at) / ${DAY_MS}.0) END)`;
const SELECT = `SELECT *, ${EFFECTIVE} AS effective FROM memories`;
/** Ids of one question to SQLite. */
const IDS_AT_ONCE = 500;

export interface MemoryCounts {
  readonly memories: number;
  readonly drawers: number;
  readonly facts: number;
}

export function memoryCounts(views: Views): MemoryCounts {
  const rows = views.all<{ name: string; n: number }>('SELECT name, n FROM memory_counts');
  const count = (name: string): number => rows.find((row) => row.name === name)?.n ?? 0;
  return { memories: count('memories'), drawers: count('drawers'), facts: count('facts') };
}

export function memoryRow(views: Views, id: string, now: number): MemoryRow | undefined {
  return views.get<MemoryRow>(`${SELECT} WHERE id = ?`, now, id);
}

/** The rows of these ids that there are, by id. */
export function memoryRows(views: Views, ids: readonly string[], now: number): ReadonlyMap<string, MemoryRow> {
  const rows = new Map<string, MemoryRow>();
  for (let at = 0; at < ids.length; at += IDS_AT_ONCE) {
    const list = JSON.stringify(ids.slice(at, at + IDS_AT_ONCE));
    const sql = `${SELECT} WHERE id IN (SELECT value FROM json_each(?))`;
    for (const row of views.all<MemoryRow>(sql, now, list)) rows.set(row.id, row);
  }
  return rows;
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
  const conditions: string[] = [];
  const values: string[] = [];
  if (sector !== undefined) {
    conditions.push('sector = ?');
    values.push(sector);
  }
  if (wing !== undefined) {
    conditions.push("coalesce(project_id, 'global') = ?");
    values.push(wing);
  }
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  const sql = `${SELECT} ${where} ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?`;
  return views.all<MemoryRow>(sql, now, ...values, limit, offset);
}

/** Oldest first, by the second: what an export shows, and an import can give back. */
export function exportedMemories(views: Views, now: number): readonly MemoryRow[] {
  return views.all<MemoryRow>(`${SELECT} ORDER BY created_at / 1000, id`, now);
}

/** After an id, in the order of ids. */
export function memoriesAfter(views: Views, after: string, limit: number): readonly MemoryRow[] {
  return views.all<MemoryRow>(`${SELECT} WHERE id > ? ORDER BY id LIMIT ?`, 0, after, limit);
}

/** Not sealed, in the order of ids. */
export function plainMemories(views: Views, limit: number): readonly MemoryRow[] {
  return views.all<MemoryRow>(`${SELECT} WHERE sealed IS NULL ORDER BY id LIMIT ?`, 0, limit);
}

/** Pinned ones first, then by what is left of their salience. */
export function essentialMemories(views: Views, now: number, limit: number): readonly MemoryRow[] {
  const order = 'ORDER BY pinned DESC, effective DESC, created_at DESC, id DESC';
  const first = `SELECT id FROM (SELECT id, pinned, created_at, ${EFFECTIVE} AS effective FROM memories ${order} LIMIT ?)`;
  return views.all<MemoryRow>(`${SELECT} WHERE id IN (${first}) ${order}`, now, now, limit);
}

/** Not pinned and with less left than `below`. */
export function fadedMemories(
  views: Views,
  { now, below, limit }: { readonly now: number; readonly below: number; readonly limit: number },
): readonly MemoryRow[] {
  const sql = `${SELECT} WHERE pinned = 0 AND effective < ? ORDER BY id LIMIT ?`;
  return views.all<MemoryRow>(sql, now, below, limit);
}

/** Not pinned and with at most so much left, oldest first. */
export function weakMemories(
  views: Views,
  { now, atMost, limit }: { readonly now: number; readonly atMost: number; readonly limit: number },
): readonly MemoryRow[] {
  const sql = `${SELECT} WHERE pinned = 0 AND effective <= ? ORDER BY created_at, id LIMIT ?`;
  return views.all<MemoryRow>(sql, now, atMost, limit);
}

/** Those no reflection was formed on, reflections themselves left out; newest first. */
export function unreflectedMemories(views: Views, now: number, limit: number): readonly MemoryRow[] {
  const sql = `${SELECT} WHERE made_by <> 'ReflectionFormed'
    AND NOT EXISTS (SELECT 1 FROM memory_reflections WHERE memory_id = memories.id)
    ORDER BY created_at DESC, id DESC LIMIT ?`;
  return views.all<MemoryRow>(sql, now, limit);
}

/** The reflections that were formed on a memory, among others. */
export function reflectionsOn(views: Views, id: string): readonly string[] {
  const sql = `SELECT reflection_id FROM memory_reflections WHERE memory_id = ?
    AND reflection_id IN (SELECT id FROM memories) ORDER BY reflection_id`;
  return views.all<{ reflection_id: string }>(sql, id).map((row) => row.reflection_id);
}

export interface SectorStats {
  readonly sector: Sector;
  readonly count: number;
  readonly avg_salience: number;
  readonly pinned_count: number;
  readonly avg_age_days: number;
}

/** All five, in their order. */
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

/** Positions in the log that are to be erased and are not yet. */
export function dueErasures(views: Views, limit: number): readonly number[] {
  const sql = 'SELECT position FROM memory_erasures ORDER BY position LIMIT ?';
  return views.all<{ position: number }>(sql, limit).map((row) => row.position);
}

/** How memories are encrypted, as it was recorded; undefined while they are not. */
export function encryptionSettings(views: Views): string | undefined {
  return views.get<{ json: string }>('SELECT json FROM memory_encryption')?.json;
}
