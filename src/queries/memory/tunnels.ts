/** Between which entries a tunnel is dug. */
import { drawerRow } from '../../projections/memory/drawers.ts';
import { memoryRow } from '../../projections/memory/memories.ts';
import { tunnelBetween } from '../../projections/memory/waypoints.ts';
import type { Views } from '../../projections/views.ts';

export interface TunnelEnds {
  readonly src_id: string;
  readonly dst_id: string;
  /** The weight of the tunnel between the two; null when there is none. */
  readonly existingWeight: number | null;
}

/**
 * The ends of the tunnel from a memory to a memory or drawer; undefined when one of them is unknown. Two entries share
 * one tunnel: the ends are those of the existing one, in whichever direction it was dug.
 */
export function tunnelEnds(views: Views, src_id: string, dst_id: string): TunnelEnds | undefined {
  if (memoryRow(views, src_id, 0) === undefined) return undefined;
  if (memoryRow(views, dst_id, 0) === undefined && drawerRow(views, dst_id) === undefined) return undefined;
  const { weight, ...ends } = tunnelBetween(views, src_id, dst_id) ?? { src_id, dst_id, weight: null };
  return { ...ends, existingWeight: weight };
}
