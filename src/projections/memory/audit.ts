/** Queries of the audit: duplicates, recall loops, stale and never recalled memories. */
import type { Views } from '../views.ts';
import { DAY_MS } from './memories.ts';

/** Cosine from which two memories are near duplicates. */
const NEAR_DUPLICATE_MIN = 0.9;
/** A memory with a smaller effective salience is stale. */
export const STALE_SALIENCE_MAX = 0.2;

export interface Audited<Sample> {
  readonly count: number;
  readonly samples: readonly Sample[];
}

/** Groups of memories with the same text; `count` is the number of memories beyond the first of each group. */
export function exactDuplicates(views: Views, limit: number): Audited<{ readonly ids: readonly string[] }> {
  const groups = 'SELECT content_key, count(*) AS n FROM memories GROUP BY content_key HAVING n > 1';
  const count = views.get<{ n: number }>(`SELECT coalesce(sum(n - 1), 0) AS n FROM (${groups})`)!.n;
  const samples = views
    .all<{ ids: string }>(
      `SELECT (SELECT json_group_array(id) FROM (SELECT id FROM memories WHERE content_key = doubled.content_key
         ORDER BY created_at, id LIMIT 20)) AS ids FROM (${groups}) AS doubled ORDER BY n DESC, content_key LIMIT ?`,
      limit,
    )
    .map((row) => ({ ids: JSON.parse(row.ids) as string[] }));
  return { count, samples };
}

/** Pairs of memories with nearly the same text. */
export function nearDuplicates(
  views: Views,
  limit: number,
): Audited<{ readonly ids: readonly string[]; readonly similarity: number }> {
  const pairs = `FROM memory_waypoints AS w JOIN memories AS a ON a.id = w.src_id JOIN memories AS b ON b.id = w.dst_id
    WHERE w.kind = 'near' AND w.src_id < w.dst_id AND w.weight >= ${NEAR_DUPLICATE_MIN}
      AND a.content_key <> b.content_key`;
  const count = views.get<{ n: number }>(`SELECT count(*) AS n ${pairs}`)!.n;
  const sql = `SELECT w.src_id, w.dst_id, w.weight ${pairs} ORDER BY w.weight DESC, w.src_id, w.dst_id LIMIT ?`;
  const samples = views
    .all<{ src_id: string; dst_id: string; weight: number }>(sql, limit)
    .map(({ src_id, dst_id, weight }) => ({ ids: [src_id, dst_id], similarity: weight }));
  return { count, samples };
}

export interface LoopSample {
  readonly store: string;
  readonly id: string;
  readonly kind: 'exact' | 'near';
  readonly similarity: number;
  readonly via: string;
  readonly at: number;
}

/** Texts from context blocks that were offered as new. */
export function recallLoops(
  views: Views,
  limit: number,
): Audited<LoopSample> & { readonly exact: number; readonly near: number } {
  const { exact, near } = views.get<{ exact: number; near: number }>(
    `SELECT count(*) FILTER (WHERE kind = 'exact') AS exact, count(*) FILTER (WHERE kind = 'near') AS near
     FROM memory_loops`,
  )!;
  const sql = 'SELECT store, id, kind, similarity, via, at FROM memory_loops ORDER BY position DESC LIMIT ?';
  return { count: exact + near, exact, near, samples: views.all<LoopSample>(sql, limit) };
}

export interface FadingSample {
  readonly id: string;
  readonly sector: string;
  readonly salience: number;
  readonly last_seen_at: number;
}

const EFFECTIVE = `salience * exp(-decay_lambda * max(0, ? - last_seen_at) / ${DAY_MS}.0)`;

/** Unpinned memories with little remaining salience. */
export function staleMemories(views: Views, now: number, limit: number): Audited<FadingSample> {
  const stale = `(SELECT id, sector, ${EFFECTIVE} AS salience, last_seen_at FROM memories WHERE pinned = 0)
    WHERE salience < ${STALE_SALIENCE_MAX}`;
  const count = views.get<{ n: number }>(`SELECT count(*) AS n FROM ${stale}`, now)!.n;
  const samples = views.all<FadingSample>(`SELECT * FROM ${stale} ORDER BY salience, id LIMIT ?`, now, limit);
  return { count, samples };
}

/** Memories that were in no context block and no answer to a query. */
export function neverRecalled(
  views: Views,
  limit: number,
): Audited<{ readonly id: string; readonly sector: string; readonly created_at: number }> {
  const never = 'FROM memories WHERE NOT EXISTS (SELECT 1 FROM memory_recalls WHERE memory_recalls.id = memories.id)';
  const count = views.get<{ n: number }>(`SELECT count(*) AS n ${never}`)!.n;
  const samples = views.all<{ id: string; sector: string; created_at: number }>(
    `SELECT id, sector, created_at ${never} ORDER BY created_at, id LIMIT ?`,
    limit,
  );
  return { count, samples };
}
