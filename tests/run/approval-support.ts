/** Interactive runs on a real daemon with a fake model, and the steps that approval tests share. */

import type { Approval } from '../../src/client/generated/types.ts';
import { callsTool, says } from '../fakes/providers/server.ts';
import { until } from '../support/until.ts';
import { type Bench, bench } from './support.ts';

export type { Approval };

export { bench, callsTool, says };

export async function listed(on: Pick<Bench, 'daemon'>, query = ''): Promise<readonly Approval[]> {
  const response = await on.daemon.request(`/approvals${query}`);
  return ((await response.json()) as { approvals: Approval[] }).approvals;
}

/** Waits until the run has something to ask, and answers what. */
export async function waiting(on: Pick<Bench, 'daemon'>, session: string): Promise<Approval> {
  return until(async () => (await listed(on, `?session_id=${session}&status=pending`))[0]);
}

export function answer(on: Pick<Bench, 'daemon'>, id: string, body: unknown): Promise<Response> {
  return on.daemon.request(`/approvals/${id}`, { method: 'POST', body: JSON.stringify(body) });
}

export async function ended(on: Pick<Bench, 'job'>, session: string): Promise<Record<string, unknown>> {
  return until(async () => {
    const job = await on.job(session);
    return job.finished_at === null ? undefined : job;
  });
}
