/** Names of runs as people type them: a session id or a beginning of it that is unique. */
import { z } from 'zod';
import type { Client } from './client.ts';
import { UsageError } from './failures.ts';
import { zJob } from './shapes.ts';

const WHOLE = /^[0-9a-f]{32}$/;
const PREFIX = /^[0-9a-f]{1,31}$/;

/** The session id that is meant; what cannot be a beginning of one is left to the daemon to refuse. */
export async function sessionId(client: Client, given: string): Promise<string> {
  if (WHOLE.test(given) || !PREFIX.test(given)) return encodeURIComponent(given);
  const jobs = await client.request('/jobs', { schema: z.array(zJob) });
  const ids = jobs.map((job) => job.session_id).filter((id) => id.startsWith(given));
  if (ids.length > 1) throw new UsageError(`${ids.length} runs begin with ${given}; type more of the id.`);
  return ids[0] ?? given;
}
