/**
 * Waypoints: automatic ones between memories with similar texts, and tunnels dug by hand or by `auto-tunnel`.
 *
 * - Only the heaviest automatic waypoints of each memory count. Queries choose them; the choice is not stored.
 * - A waypoint counts while both ends exist. The creation of a memory can be erased without its deletion; then events
 *   of other memories still name it.
 */
import type { Views } from '../views.ts';

const WAYPOINTS_MAX = 5;

const isMemory = (id: string): string => `EXISTS (SELECT 1 FROM memories WHERE id = ${id})`;
/** A tunnel may end at a drawer. */
const IS_TUNNEL_END = `(${isMemory('dst_id')} OR EXISTS (SELECT 1 FROM memory_drawers WHERE id = dst_id))`;

export interface Waypoint {
  readonly src_id: string;
  readonly dst_id: string;
  readonly kind: 'near' | 'tunnel';
  readonly weight: number;
  /** Of an automatic waypoint: since both memories exist, or were linked by an import. Unix milliseconds. */
  readonly created_at: number;
  readonly updated_at: number;
}

/** The heaviest automatic waypoints of a memory, and every tunnel that begins or ends there. */
export function waypointsOf(views: Views, id: string): readonly Waypoint[] {
  return views.all<Waypoint>(
    `SELECT * FROM (SELECT * FROM memory_waypoints WHERE src_id = ? AND kind = 'near' AND ${isMemory('dst_id')}
       ORDER BY weight DESC, dst_id LIMIT ${WAYPOINTS_MAX})
     UNION ALL SELECT * FROM memory_waypoints WHERE src_id = ? AND kind = 'tunnel' AND ${IS_TUNNEL_END}
     UNION ALL SELECT dst_id, src_id, kind, weight, created_at, updated_at FROM memory_waypoints
       WHERE dst_id = ? AND kind = 'tunnel' AND ${isMemory('src_id')}`,
    id,
    id,
    id,
  );
}

export type WaypointEnd = Pick<Waypoint, 'dst_id' | 'weight'>;

/** Every automatic waypoint from this memory, including those that do not count. */
export function storedLinks(views: Views, id: string): WaypointEnd[] {
  return views.all<WaypointEnd>(`SELECT dst_id, weight FROM memory_waypoints WHERE src_id = ? AND kind = 'near'`, id);
}

/** The same for many memories, by memory id; memories without waypoints are left out. */
export function waypointEnds(views: Views, ids: readonly string[]): ReadonlyMap<string, readonly WaypointEnd[]> {
  const among = 'IN (SELECT value FROM json_each(?))';
  const list = JSON.stringify(ids);
  const rows = views.all<WaypointEnd & { readonly id: string }>(
    `SELECT src_id AS id, dst_id, weight FROM (SELECT src_id, dst_id, weight,
       row_number() OVER (PARTITION BY src_id ORDER BY weight DESC, dst_id) AS place
       FROM memory_waypoints WHERE kind = 'near' AND src_id ${among} AND ${isMemory('dst_id')})
       WHERE place <= ${WAYPOINTS_MAX}
     UNION ALL SELECT src_id, dst_id, weight FROM memory_waypoints WHERE kind = 'tunnel' AND src_id ${among}
       AND ${IS_TUNNEL_END}
     UNION ALL SELECT dst_id, src_id, weight FROM memory_waypoints WHERE kind = 'tunnel' AND dst_id ${among}
       AND ${isMemory('src_id')}`,
    list,
    list,
    list,
  );
  const ends = new Map<string, WaypointEnd[]>();
  for (const { id, dst_id, weight } of rows) {
    const own = ends.get(id);
    if (own === undefined) ends.set(id, [{ dst_id, weight }]);
    else own.push({ dst_id, weight });
  }
  return ends;
}

export function waypointCount(views: Views): number {
  // Automatic waypoints are stored in both directions: the ends that do not exist are among the beginnings.
  return views.get<{ n: number }>(
    `WITH missing AS MATERIALIZED (
       SELECT src_id FROM (SELECT DISTINCT src_id FROM memory_waypoints WHERE kind = 'near')
       WHERE NOT ${isMemory('src_id')})
     SELECT coalesce((SELECT sum(min(n, ${WAYPOINTS_MAX})) FROM
       (SELECT count(*) AS n FROM memory_waypoints WHERE kind = 'near' AND src_id NOT IN missing
         AND dst_id NOT IN missing GROUP BY src_id)), 0)
     + (SELECT count(*) FROM memory_waypoints
       WHERE kind = 'tunnel' AND ${isMemory('src_id')} AND ${IS_TUNNEL_END}) AS n`,
  )!.n;
}

/** The tunnel between two entries, in either direction. */
export function tunnelBetween(
  views: Views,
  one: string,
  other: string,
): Pick<Waypoint, 'src_id' | 'dst_id' | 'weight'> | undefined {
  const sql = `SELECT src_id, dst_id, weight FROM memory_waypoints WHERE kind = 'tunnel' AND
    ((src_id = ? AND dst_id = ?) OR (src_id = ? AND dst_id = ?)) ORDER BY created_at, src_id LIMIT 1`;
  return views.get(sql, one, other, other, one);
}
