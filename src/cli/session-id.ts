/** Session ids as people type them: whole, or a unique prefix. */
import { z } from 'zod';
import type { Client } from './client.ts';
import { UsageError } from './errors.ts';
import { zJob } from './schemas.ts';

const WHOLE = /^[0-9a-f]{32}$/;
const PREFIX = /^[0-9a-f]{1,31}$/;

/** The session id with this prefix, encoded for a path. The daemon refuses text that is no id. */
export async function resolveSessionId(client: Client, given: string): Promise<string> {
  if (WHOLE.test(given) || !PREFIX.test(given)) return encodeURIComponent(given);
  const jobs = await client.request('/jobs', { schema: z.array(zJob) });
  const ids = jobs.map((job) => job.session_id).filter((id) => id.startsWith(given));
  if (ids.length > 1) throw new UsageError(`${ids.length} runs begin with ${given}; type more of the id.`);
  return ids[0] ?? given;
}
