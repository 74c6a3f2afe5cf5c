/**
 * Ranks memories for a question by a composite score, and reports every term.
 *
 * - score = 0.45 similarity + 0.20 salience + 0.15 recency + 0.10 waypoints + 0.10 sector.
 * - Finding a memory does not change it.
 */
import type { Sector } from '../../events/memory/events.ts';
import { DAY_MS, type MemoryRow, memoryCounts, memoryRows, newestMemories } from '../../projections/memory/memories.ts';
import { waypointEnds } from '../../projections/memory/waypoints.ts';
import { cosinesWith, RECALL_RESULTS_MAX, searchTexts } from '../../projections/recall/recall.ts';
import type { Views } from '../../projections/views.ts';
import { blended, type Meaning, vectorSimilarity } from './meaning.ts';
import type { Score } from './schemas.ts';

export interface MemorySearch {
  readonly views: Views;
  /** The tables of the text index. */
  readonly index: Views;
  readonly text: string;
  /** The sector the question belongs to; null when no word shows a sector. */
  readonly questionSector: Sector | null;
  readonly now: number;
  readonly limit: number;
  /** Only memories of this sector. */
  readonly sector?: Sector | undefined;
  /** Only memories of this wing. */
  readonly wing?: string | undefined;
  readonly meaning?: Meaning | undefined;
}

export interface Found extends Score {
  readonly row: MemoryRow;
}

const WEIGHTS = { similarity: 0.45, salience: 0.2, recency: 0.15, waypoint: 0.1, sector: 0.1 };
const RECENCY_LOST_PER_DAY = 0.1;
const CANDIDATES_PER_RESULT = 4;
const CANDIDATES_MIN = 40;
/** When too few candidates have the requested sector, the next attempt reads this many times more. */
const CANDIDATES_GROWTH = 5;
/**
 * A store of at most this many memories is ranked whole; in a larger one the newest memories are added when
 * too few are found.
 */
const SMALL_STORE = 200;
/** Limit of linked memories whose similarity is computed for one search; further ones count as 0. */
const LINKED_MAX = 48;

type Similarity = Pick<Found, 'similarity' | 'lexical' | 'vector'>;

export function searchMemories(search: MemorySearch): readonly Found[] {
  const { similarities, rows } = candidates(search);
  const builtIn = cosinesWith(search.index, { text: search.text, kind: 'memory' });
  const vectorOf = ({ id }: MemoryRow): number =>
    similarities.get(id)?.vector ?? search.meaning?.cosineOf('memory', id) ?? builtIn(id);
  const waypointTerm = waypointTerms(search, rows, vectorOf);
  return rows
    .map((row) => {
      const similarity = similarities.get(row.id) ?? similarityByVector(search, row, vectorOf(row));
      return scored(search, row, { ...similarity, waypoint: waypointTerm(row.id) });
    })
    .sort((a, b) => b.score - a.score || (a.row.id < b.row.id ? 1 : -1))
    .slice(0, search.limit);
}

/** The similarity of a memory that the index did not return: its vector alone. */
function similarityByVector({ meaning }: MemorySearch, { id: key }: MemoryRow, cosineOf: number): Similarity {
  const vector = Math.max(0, cosineOf);
  const similarity = meaning === undefined ? vector : vectorSimilarity(meaning, { kind: 'memory', key, vector });
  return { similarity, lexical: 0, vector };
}

interface Candidates {
  readonly similarities: ReadonlyMap<string, Similarity>;
  readonly rows: readonly MemoryRow[];
}

/** The index has no sectors, so more hits are read until enough have the requested sector. */
function candidates(search: MemorySearch): Candidates {
  const { views, now, sector, wing, limit } = search;
  for (let k = Math.max(CANDIDATES_MIN, limit * CANDIDATES_PER_RESULT); ; k *= CANDIDATES_GROWTH) {
    const similarities = indexHits(search, k);
    const hits = [...memoryRows(views, [...similarities.keys()], now).values()];
    const rows = new Map(hits.filter((row) => isRequested(search, row)).map((row) => [row.id, row]));
    if (rows.size < limit && similarities.size >= k && k < RECALL_RESULTS_MAX) continue;
    if (memoryCounts(views).memories <= SMALL_STORE || rows.size < limit) {
      const page = { sector, wing, limit: Math.max(SMALL_STORE, limit), offset: 0, now };
      for (const row of newestMemories(views, page)) rows.set(row.id, row);
    }
    return { similarities, rows: [...rows.values()] };
  }
}

function indexHits({ index, text, wing, meaning }: MemorySearch, k: number): ReadonlyMap<string, Similarity> {
  const hits = blended(searchTexts(index, { text, kind: 'memory', k, wing }), meaning, 'memory');
  return new Map(hits.map(({ key, similarity, lexical, vector }) => [key, { similarity, lexical, vector }]));
}

function isRequested({ sector, wing }: MemorySearch, row: MemoryRow): boolean {
  return (
    (sector === undefined || row.sector === sector) && (wing === undefined || (row.project_id ?? 'global') === wing)
  );
}

/** By memory: the mean over its waypoints of the linked memory's cosine with the question, times the weight. */
function waypointTerms(
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
  const cosines = new Map<string, number>();
  const cosineOf = (id: string): number => {
    const row = known.get(id);
    const similarity = cosines.get(id) ?? (row === undefined ? 0 : Math.max(0, vectorOf(row)));
    cosines.set(id, similarity);
    return similarity;
  };
  return (id) => {
    const waypoints = links.get(id) ?? [];
    if (waypoints.length === 0) return 0;
    return waypoints.reduce((sum, { dst_id, weight }) => sum + cosineOf(dst_id) * weight, 0) / waypoints.length;
  };
}

function scored(
  { questionSector, now }: MemorySearch,
  row: MemoryRow,
  terms: Similarity & { readonly waypoint: number },
): Found {
  const days = Math.max(0, now - row.last_seen_at) / DAY_MS;
  const recency = Math.exp(-RECENCY_LOST_PER_DAY * days);
  const sector_match = questionSector === null ? 0 : row.sector === questionSector ? 1 : shareOf(row, questionSector);
  const score =
    WEIGHTS.similarity * terms.similarity +
    WEIGHTS.salience * row.effective +
    WEIGHTS.recency * recency +
    WEIGHTS.waypoint * terms.waypoint +
    WEIGHTS.sector * sector_match;
  return { row, score, recency, sector_match, ...terms };
}

function shareOf(row: MemoryRow, sector: Sector): number {
  const pairs = JSON.parse(row.secondary) as readonly (readonly [string, number])[];
  return pairs.find(([name]) => name === sector)?.[1] ?? 0;
}
