/** Runs operations in the process that has a data directory open, because only that process can. */
import { readDiscovery } from '../../discovery.ts';
import { StorageError, type StorageErrorCode } from '../../storage/errors.ts';
import { lockHolder } from '../../storage/lock.ts';
import type { OperationRequest } from '../../storage/ops/operation.ts';
import { type Client, createClient } from '../client.ts';
import { createProgress } from '../progress.ts';
import type { StoreLocation } from './store-location.ts';

/** Long polls of this length stay below the daemon's rate limit of 60 requests a minute. */
const LONG_POLL_MS = 2_000;

/** A client of the daemon or `storage serve` that has the directory open; null without one, or when it takes no requests. */
export function lockHolderClient({ directory, home }: StoreLocation): Client | null {
  const holder = lockHolder(directory);
  if (holder === undefined) return null;
  const served = [home, directory].find((folder) => readDiscovery(folder)?.pid === holder.pid);
  return served === undefined ? null : createClient(served);
}

/** Starts the operation in that process, shows its progress, and resolves with its result. */
export async function runOperation(
  client: Client,
  request: OperationRequest,
): Promise<Readonly<Record<string, unknown>>> {
  let operation = await client.api.storage.startOperation(request);
  using progress = createProgress(request.kind.replace('_', ' '));
  while (operation.state === 'running') {
    operation = await client.api.storage.getOperation(operation.id, { query: { wait: LONG_POLL_MS } });
    if (operation.total > 0) progress.at(operation.done, operation.total);
  }
  if (operation.error === null) return operation.result ?? {};
  const { code, message } = operation.error;
  throw code === null ? new Error(message) : new StorageError(code as StorageErrorCode, message);
}
