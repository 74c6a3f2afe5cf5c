/** The declarations of all routes, for tests of the documents: none of them is called. */
import { withDocuments } from '../../src/http/openapi/routes.ts';
import type { RouteSpec } from '../../src/http/server/route.ts';
import { resources } from '../../src/resources.ts';

export function documentedRoutes(): readonly RouteSpec[] {
  const version = '0.0.0';
  const deps = { config: {}, log: {}, projector: {}, version } as never;
  return withDocuments(
    { version },
    resources.map((each) => each.routes(deps)),
  ).flat();
}
