/** All routes of the daemon: those of its resources, and the pages that describe them. */
import type { RouteSpec } from '../server/route.ts';
import { type AsyncApiParts, asyncApiRoute } from './async-document.ts';
import { docsFileRoute, docsRoute } from './docs-page.ts';
import { openApiRoute } from './document.ts';

type Resources = readonly (readonly RouteSpec[])[];

/** One list of routes for each resource. */
export function withDocuments(deps: AsyncApiParts, resources: Resources): Resources {
  const all = (): readonly RouteSpec[] => described.flat();
  const described: Resources = [
    ...resources,
    [docsRoute(deps, all), docsFileRoute(), openApiRoute(deps, all), asyncApiRoute(deps, all)],
  ];
  return described;
}
