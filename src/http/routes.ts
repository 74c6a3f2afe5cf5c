/** All routes of the daemon: those of its resources, and the pages that describe them. */
import { docsRoute } from './server/docs.ts';
import { openApiRoute } from './server/openapi.ts';
import type { RouteSpec } from './server/route.ts';

interface Dependencies {
  readonly version: string;
}

export function withDocuments(deps: Dependencies, routes: readonly RouteSpec[]): readonly RouteSpec[] {
  const all: RouteSpec[] = [...routes];
  all.push(docsRoute(deps, () => all));
  all.push(openApiRoute(deps, () => all));
  return all;
}
