/** A job as JSON text, with what is known of it at this moment beside its record. */
import { job, jobJson } from '../../projections/run/jobs.ts';
import type { Views } from '../../projections/views.ts';
import type { Nodes } from '../../reactors/nodes/nodes.ts';

export interface JobJsonParts {
  readonly views: Views;
  readonly nodes: Pick<Nodes, 'isSelective' | 'executing' | 'obstacle'>;
}

/**
 * Undefined for an unknown job. Which daemon executes a run is a fact of the moment, from the leases: no event says it,
 * and no view holds it.
 */
export function presentJobJson({ views, nodes }: JobJsonParts, id: string): string | undefined {
  const text = jobJson(views, id);
  if (text === undefined || !nodes.isSelective) return text;
  const row = job(views, id);
  const isActive = row !== undefined && (row.status === 'queued' || row.status === 'running');
  const node = isActive ? nodes.executing(id) : null;
  const waiting = isActive && node === null ? nodes.obstacle(row.workspace) : null;
  return `${text.slice(0, -1)},"node":${JSON.stringify(node)},"waiting":${JSON.stringify(waiting)}}`;
}
