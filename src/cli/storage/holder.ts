/** Asks the process that holds a data directory to do what only it can do now. */
import { z } from 'zod';
import { readDiscovery } from '../../discovery.ts';
import { StorageError, type StorageErrorCode } from '../../storage/errors.ts';
import { lockHolder } from '../../storage/lock.ts';
import type { OperationRequest } from '../../storage/ops/control.ts';
import { type Client, createClient } from '../client.ts';
import { createProgress } from '../progress.ts';
import type { Place } from './place.ts';

/** Below the daemon's rate limit of 60 requests a minute. */
const WAIT_MS = 2_000;

const zOperation = z.object({
  id: z.string(),
  state: z.enum(['running', 'done', 'failed']),
  done: z.number(),
  total: z.number(),
  error: z.object({ code: z.string().nullable(), message: z.string() }).nullable(),
  result: z.record(z.string(), z.unknown()).nullable(),
});

/** The daemon (or `storage serve`) that holds the directory; null when nobody does, or nobody who can be asked. */
export function holderOf({ directory, home }: Place): Client | null {
  const holder = lockHolder(directory);
  if (holder === undefined) return null;
  const place = [home, directory].find((folder) => readDiscovery(folder)?.pid === holder.pid);
  return place === undefined ? null : createClient(place);
}

/** Begins the operation there, shows how far it is, and answers its result. */
export async function askFor(client: Client, request: OperationRequest): Promise<Readonly<Record<string, unknown>>> {
  const path = '/v1/storage/operations';
  let operation = await client.request(path, { method: 'POST', body: request, schema: zOperation });
  const progress = createProgress(request.kind.replace('_', ' '));
  try {
    while (operation.state === 'running') {
      operation = await client.request(`${path}/${operation.id}?wait=${WAIT_MS}`, { schema: zOperation });
      if (operation.total > 0) progress.at(operation.done, operation.total);
    }
  } finally {
    progress.end();
  }
  if (operation.error === null) return operation.result ?? {};
  const { code, message } = operation.error;
  throw code === null ? new Error(message) : new StorageError(code as StorageErrorCode, message);
}
