/**
 * Serves the daemon's storage routes without the daemon, on a loopback port, to callers with the bearer token. Used by
 * `daybook storage serve`.
 */
import type { AddressInfo } from 'node:net';
import { createServer } from './http/server/server.ts';
import { storageRoutes } from './http/storage.ts';
import { systemTimers } from './lib/timers.ts';
import type { Clock } from './ports/clock.ts';
import type { IdGenerator } from './ports/id-generator.ts';
import type { EventLog } from './storage/event-log.ts';
import type { StorageControl } from './storage/ops/control.ts';
import { createCommandHandler } from './streams/command-handler.ts';

const REQUESTS_PER_MINUTE = 600;

export interface StorageServerOptions {
  readonly log: EventLog;
  readonly control: StorageControl;
  readonly token: string;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  /** Writes a line to stderr. */
  readonly report: (line: string) => void;
}

export interface StorageServer {
  readonly port: number;
  close(): Promise<void>;
}

export async function startStorageServer(options: StorageServerOptions): Promise<StorageServer> {
  const { log, control, token, clock, ids, report } = options;
  const position = (): number => log.head().position;
  const closing = new AbortController();
  const { app } = createServer(
    {
      config: {
        allowed_hosts: [],
        allowed_origins: [],
        rate_authenticated: REQUESTS_PER_MINUTE,
        rate_public: REQUESTS_PER_MINUTE,
      },
      token,
      clock,
      ids,
      log,
      commandHandler: createCommandHandler({ log, clock, ids }),
      positions: { written: position, folded: position, reached: async (asked) => asked <= position() },
      timers: systemTimers,
      closing: closing.signal,
      viewsUnavailable: () => null,
      announce: report,
    },
    [storageRoutes({ storageControl: control })],
  );
  await app.listen({ port: 0, host: '127.0.0.1' });
  return {
    port: (app.server.address() as AddressInfo).port,
    async close() {
      const closed = app.close();
      closing.abort();
      app.server.closeAllConnections();
      await closed;
    },
  };
}
