/** Waits until a connector is disabled or removed, across restarts of the daemon. */
import { setTimeout as delay } from 'node:timers/promises';
import { vaultOwner } from '../../commands/connector/decide.ts';
import type { Client } from '../client.ts';
import { CommandError } from '../errors.ts';

/** Without a daemon no connector is changed. */
const DAEMON_GONE_MS = 30_000;

const ENDS: Readonly<Record<string, string>> = { ConnectorDisabled: 'disabled', ConnectorRemoved: 'removed' };

interface ConfiguredConnector {
  readonly scopeKey: string;
  readonly id: string;
  /** Position of the log at which the connector was enabled. */
  readonly position: number;
}

/** Resolves with the error to end with; null when the signal aborts. */
export async function untilDisabled(
  client: Pick<Client, 'follow'>,
  { scopeKey, id, position }: ConfiguredConnector,
  signal: AbortSignal,
): Promise<CommandError | null> {
  const stream = vaultOwner(scopeKey, id);
  const options = { after: String(position), signal };
  while (!signal.aborted) {
    try {
      for await (const { data } of client.follow((api, rest) => api.log.events({ ...rest, stream }), options)) {
        const end = ENDS[data.type];
        if (end !== undefined) return new CommandError(`The connector '${id}' was ${end}.`);
      }
    } catch {
      await delay(DAEMON_GONE_MS, undefined, { signal }).catch(() => undefined);
    }
  }
  return null;
}
