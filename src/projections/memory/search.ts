/**
 * Memories that answer a question, by the contract's composite score. Every term is reported.
 *
 * - score = 0.45 similarity + 0.20 salience + 0.15 recency + 0.10 waypoints + 0.10 sector.
 * - Reading changes nothing: who is found is not strengthened by it.
 */
import type { Sector } from '../../events/memory/events.ts';
import { RECALL_RESULTS_MAX, searchTexts } from '../recall/recall.ts';
import { cosine, localVector } from '../recall/vector.ts';
import type { Views } from '../views.ts';
import { blended, type Meaning, similarByVector } from './meaning.ts';
import { DAY_MS, type MemoryRow, memoryCounts, memoryRows, newestMemories } from './memories.ts';
import { waypointEnds } from './waypoints.ts';

export interface MemorySearch {
  readonly views: Views;
  /** Where texts are searched: the views, or an index in memory. */
  readonly index: Views;
  readonly text: string;
  /** The sector the question belongs to; a question without a sign of any prefers none. */
  readonly asked: Sector | null;
  readonly now: number;
  readonly limit: number;
  /** Only memories of this sector. */
  readonly sector?: Sector | undefined;
  /** Only memories of this wing. */
  readonly wing?: string | undefined;
  /** The question as an embedding model sees it, where one is used. */
  readonly meaning?: Meaning | undefined;
  /** The words of a row. */
  readonly read: (row: MemoryRow) => string;
}

export interface Found {
  readonly row: MemoryRow;
  readonly score: number;
  readonly similarity: number;
  readonly lexical: number;
  readonly vector: number;
  readonly recency: number;
  readonly waypoint: number;
  readonly sector_match: number;
}

const WEIGHTS = { similarity: 0.45, salience: 0.2, recency: 0.15, waypoint: 0.1, sector: 0.1 };
const RECENCY_LOST_PER_DAY = 0.1;
/** Texts that are looked at for each one that is answered. */
const CANDIDATES_PER_RESULT = 4;
const CANDIDATES_MIN = 40;
/** So many times more are looked at when too few of them are of the sector that was asked for. */
const CANDIDATES_MORE = 5;
/**
 * In a small store every memory is looked at, found by words or not; in a large one the newest, if too few are found.
 */
const SMALL_STORE = 200;
/** Linked memories whose nearness is computed for one search; further ones count as not near. */
const LINKED_MAX = 48;

interface Near {
  readonly similarity: number;
  readonly lexical: number;
  readonly vector: number;
}

export function searchMemories(search: MemorySearch): readonly Found[] {
  const { near, rows } = candidates(search);
  const question = localVector(search.text);
  const vectorOf = (row: MemoryRow): number => {
    const known = near.get(row.id);
    return (
      known?.vector ?? search.meaning?.cosineOf('memory', row.id) ?? cosine(question, localVector(search.read(row)))
    );
  };
  const linked = linkedNearness(search, rows, vectorOf);
  return rows
    .map((row) => {
      const found = near.get(row.id) ?? aloof(search, row, vectorOf(row));
      return scored(search, row, { ...found, waypoint: linked(row.id) });
    })
    .sort((a, b) => b.score - a.score || (a.row.id < b.row.id ? 1 : -1))
    .slice(0, search.limit);
}

/** A memory that the index did not offer, as near as its vector is. */
function aloof({ meaning }: MemorySearch, { id: key }: MemoryRow, cosineOf: number): Near {
  const vector = Math.max(0, cosineOf);
  const similarity = meaning === undefined ? vector : similarByVector(meaning, { kind: 'memory', key, vector });
  return { similarity, lexical: 0, vector };
}

interface Candidates {
  readonly near: ReadonlyMap<string, Near>;
  readonly rows: readonly MemoryRow[];
}

/** Those the index offers; it knows no sectors, so it is asked for more until enough are of the one wanted. */
function candidates(search: MemorySearch): Candidates {
  const { views, now, sector, wing, limit } = search;
  for (let k = Math.max(CANDIDATES_MIN, limit * CANDIDATES_PER_RESULT); ; k *= CANDIDATES_MORE) {
    const near = nearTexts(search, k);
    const found = [...memoryRows(views, [...near.keys()], now).values()];
    const rows = new Map(found.filter((row) => isWanted(search, row)).map((row) => [row.id, row]));
    if (rows.size < limit && near.size >= k && k < RECALL_RESULTS_MAX) continue;
    if (memoryCounts(views).memories <= SMALL_STORE || rows.size < limit) {
      const page = { sector, wing, limit: Math.max(SMALL_STORE, limit), offset: 0, now };
      for (const row of newestMemories(views, page)) rows.set(row.id, row);
    }
    return { near, rows: [...rows.values()] };
  }
}

function nearTexts({ index, text, wing, meaning }: MemorySearch, k: number): ReadonlyMap<string, Near> {
  const hits = searchTexts(index, { text, kind: 'memory', k, ...(wing === undefined ? {} : { wing }) });
  return new Map(
    blended(hits, meaning, 'memory').map(({ key, similarity, lexical, vector }) => [
      key,
      { similarity, lexical, vector },
    ]),
  );
}

function isWanted({ sector, wing }: MemorySearch, row: MemoryRow): boolean {
  return (
    (sector === undefined || row.sector === sector) && (wing === undefined || (row.project_id ?? 'global') === wing)
  );
}

/** For each memory the mean over its waypoints of how near the linked one is, times the waypoint's weight. */
function linkedNearness(
  { views, now }: MemorySearch,
  rows: readonly MemoryRow[],
  vectorOf: (row: MemoryRow) => number,
): (id: string) => number {
  const ids = rows.map((row) => row.id);
  const links = waypointEnds(views, ids);
  const known = new Map(rows.map((row) => [row.id, row]));
  const linked = new Set(ids.flatMap((id) => (links.get(id) ?? []).map(({ dst_id }) => dst_id)));
  const outside = [...linked].filter((id) => !known.has(id));
  for (const [id, row] of memoryRows(views, outside.slice(0, LINKED_MAX), now)) known.set(id, row);
  const nearness = new Map<string, number>();
  const nearnessOf = (id: string): number => {
    const row = known.get(id);
    const near = nearness.get(id) ?? (row === undefined ? 0 : Math.max(0, vectorOf(row)));
    nearness.set(id, near);
    return near;
  };
  return (id) => {
    const own = links.get(id) ?? [];
    if (own.length === 0) return 0;
    return own.reduce((sum, { dst_id, weight }) => sum + nearnessOf(dst_id) * weight, 0) / own.length;
  };
}

function scored({ asked, now }: MemorySearch, row: MemoryRow, near: Near & { readonly waypoint: number }): Found {
  const days = Math.max(0, now - row.last_seen_at) / DAY_MS;
  const recency = Math.exp(-RECENCY_LOST_PER_DAY * days);
  const sector_match = asked === null ? 0 : row.sector === asked ? 1 : confidenceIn(row, asked);
  const score =
    WEIGHTS.similarity * near.similarity +
    WEIGHTS.salience * row.effective +
    WEIGHTS.recency * recency +
    WEIGHTS.waypoint * near.waypoint +
    WEIGHTS.sector * sector_match;
  return { row, score, recency, sector_match, ...near };
}

function confidenceIn(row: MemoryRow, sector: Sector): number {
  const pairs = JSON.parse(row.secondary) as readonly (readonly [string, number])[];
  return pairs.find(([name]) => name === sector)?.[1] ?? 0;
}
