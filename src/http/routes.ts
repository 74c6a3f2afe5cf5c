/** Every route of the daemon, registered by hand: one line a resource. */
import { aboutRoutes } from './about.ts';
import { agentRoutes } from './agent.ts';
import { chatRoutes } from './chat.ts';
import { docsRoute } from './docs.ts';
import { harnessRoutes } from './harness.ts';
import { healthRoutes } from './health.ts';
import type { House } from './house.ts';
import { jobRoutes } from './jobs.ts';
import { logRoutes } from './log.ts';
import { openApiRoute } from './openapi.ts';
import { pairingRoutes } from './pairing.ts';
import type { RouteSpec } from './route.ts';
import { sessionRoutes } from './sessions.ts';
import { storageRoutes } from './storage.ts';
import { taskRoutes } from './tasks.ts';
import { webRoutes } from './web.ts';

export function allRoutes(house: House): readonly RouteSpec[] {
  const routes: RouteSpec[] = [
    ...healthRoutes(house),
    ...chatRoutes(house),
    ...agentRoutes(house),
    ...jobRoutes(house),
    ...harnessRoutes(house),
    ...taskRoutes(house),
    ...aboutRoutes(house),
    ...pairingRoutes(house),
    ...logRoutes(house),
    ...storageRoutes(house),
    ...sessionRoutes(house),
    ...webRoutes(),
  ];
  routes.push(docsRoute(house, () => routes));
  routes.push(openApiRoute(house, () => routes));
  return routes;
}
