/** A job as JSON text: its record, and on a shared log the daemon that executes it. */
import { job, jobJson } from '../../projections/run/job-rows.ts';
import type { Views } from '../../projections/views.ts';
import type { Nodes } from '../../reactors/nodes/nodes.ts';

export interface JobJsonParts {
  readonly views: Views;
  readonly nodes: Pick<Nodes, 'isSelective' | 'executing' | 'obstacle'>;
}

/**
 * Undefined for an unknown job. The daemon that executes an active run comes from the leases, the daemon that executed
 * an ended one from the events of the run.
 */
export function presentJobJson({ views, nodes }: JobJsonParts, id: string): string | undefined {
  const text = jobJson(views, id);
  if (text === undefined || !nodes.isSelective) return text;
  const row = job(views, id);
  if (row === undefined) return undefined;
  const isActive = row.status === 'queued' || row.status === 'running';
  const node = isActive ? JSON.stringify(nodes.executing(id)) : row.node;
  const waiting = isActive && node === 'null' ? nodes.obstacle(row.workspace) : null;
  return `${text.slice(0, -1)},"node":${node},"waiting":${JSON.stringify(waiting)}}`;
}
