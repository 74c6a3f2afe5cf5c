/** The HTTP server without a daemon, with the routes of a test: for `app.inject`, or for sockets after `app.listen`. */
import { onTestFinished } from 'vitest';
import { type Config, zConfig } from '../../src/config.ts';
import { type RouteSpec, routesOf } from '../../src/http/server/route.ts';
import { createServer, type HttpServer } from '../../src/http/server/server.ts';
import { systemClock, systemIds } from '../../src/integrations/system.ts';
import { systemTimers, type Timers } from '../../src/lib/timers.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { IdGenerator } from '../../src/ports/id-generator.ts';
import type { EventLog } from '../../src/storage/event-log.ts';
import { openStorage } from '../../src/storage/open.ts';
import { type CommandHandler, createCommandHandler } from '../../src/streams/command-handler.ts';
import type { Positions } from '../../src/streams/positions.ts';

/** A public route of which a test gives the method, the path and the handler. */
export const publicRoutes = routesOf({ tag: 'test', auth: 'public' });

export const PUBLIC_ROUTE = {
  summary: '',
  operation: 'test',
  responses: { 200: { description: '' } },
} as const;

export interface ServerParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly log: EventLog;
  readonly commandHandler: CommandHandler;
  readonly token: string;
  readonly announce: (line: string) => void;
}

export interface TestServer extends HttpServer, ServerParts {
  /** Lines that the server announced to the operator. */
  readonly lines: readonly string[];
  /** Starts to listen, and resolves with the URL of the server. */
  listen(): Promise<string>;
}

export interface TestServerOptions {
  /** The position up to which the views are folded. Default: the head of the log. */
  readonly positions?: Positions;
  readonly timers?: Timers;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly clock?: Clock;
}

/** Its log is in memory; it closes when the test ends. */
export async function testServer(
  routes: (parts: ServerParts) => readonly RouteSpec[],
  { settings = {}, clock = systemClock, timers = systemTimers, positions }: TestServerOptions = {},
): Promise<TestServer> {
  const { log } = await openStorage({ directory: '', ephemeral: true });
  const lines: string[] = [];
  const config = zConfig.parse({ home: '/nowhere', workspace: '/nowhere', rate_public: 100_000, ...settings });
  const announce = (line: string): void => void lines.push(line);
  const commandHandler = createCommandHandler({ log, clock, ids: systemIds });
  const position = (): number => log.head().position;
  const all = { written: position, folded: position, reached: async () => true };
  const parts = { config, clock, ids: systemIds, log, commandHandler, token: 'b'.repeat(32), announce };
  const closing = new AbortController();
  const rest = { positions: positions ?? all, timers, closing: closing.signal, viewsUnavailable: () => null };
  const server = createServer({ ...parts, ...rest }, [routes(parts)]);
  onTestFinished(async () => {
    const closed = server.app.close();
    closing.abort();
    server.app.server.closeAllConnections();
    await closed;
  });
  const listen = (): Promise<string> => server.app.listen({ host: '127.0.0.1', port: 0 });
  return { ...parts, ...server, lines, listen };
}
