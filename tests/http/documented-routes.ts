/**
 * The declarations of all routes, for tests of the documents. They come from a daemon that stops before it listens, so
 * none of them can be called.
 */
import { loadConfig } from '../../src/config/load.ts';
import { startDaemon } from '../../src/daemon.ts';
import { withDocuments } from '../../src/http/openapi/routes.ts';
import type { RouteSpec } from '../../src/http/server/route.ts';
import type { SocketSpec } from '../../src/http/server/sockets.ts';
import { resources } from '../../src/resources.ts';
import { temporaryFolder } from '../support/folders.ts';

export async function documentedRoutes(): Promise<{
  readonly routes: readonly RouteSpec[];
  readonly sockets: readonly SocketSpec[];
}> {
  const declared: { routes: readonly RouteSpec[]; sockets: readonly SocketSpec[] } = { routes: [], sockets: [] };
  const stopped = AbortSignal.abort(new Error('Its routes are declared.'));
  const env = { PATH: process.env.PATH };
  const started = startDaemon({
    config: loadConfig(
      env,
      { ephemeral: true, home: temporaryFolder('home'), storage_ops_port: 'off' },
      temporaryFolder('workspace'),
    ),
    env,
    announce: () => undefined,
    until: stopped,
    extensions: [
      {
        key: 'documented',
        deciders: [],
        projections: [],
        routes(parts) {
          const all = resources.map(({ routes }) => routes(parts));
          declared.sockets = resources.flatMap(({ sockets }) => sockets?.(parts) ?? []);
          declared.routes = withDocuments({ version: '0.0.0', sockets: declared.sockets }, all).flat();
          return [];
        },
      },
    ],
  });
  await started.catch((error: unknown) => {
    if (error !== stopped.reason) throw error;
  });
  return declared;
}
