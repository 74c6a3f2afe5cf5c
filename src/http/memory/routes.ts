/**
 * The memory routes, all behind one gate: what is encrypted and locked answers 503, and while texts are encrypted no
 * answer with texts in it is recorded for an idempotent repeat.
 */

import type { House } from '../house.ts';
import { HttpError } from '../server/errors.ts';
import type { RouteSpec } from '../server/route.ts';
import { auditRoutes } from './audit.ts';
import { benchmarkRoutes } from './benchmark.ts';
import { browseRoutes, ONE_MEMORY, oneRoute } from './browse.ts';
import { contextRoutes } from './context.ts';
import { drawerRoutes } from './drawers.ts';
import { encryptionRoutes } from './encryption.ts';
import { factRoutes } from './facts.ts';
import { importRoutes } from './import.ts';
import { keepRoutes } from './memories.ts';
import { queryRoutes } from './query.ts';
import { tendRoutes } from './tend.ts';
import { tunnelRoutes } from './tunnels.ts';

export function memoryRoutes(house: House): readonly RouteSpec[] {
  // Two are no ids in any URL; the others are filled in when all routes are known.
  const names = new Set(['.', '..']);
  const routes = [
    ...keepRoutes(house),
    ...queryRoutes(house),
    ...browseRoutes(house),
    ...factRoutes(house),
    ...tendRoutes(house),
    ...importRoutes(house, names),
    ...drawerRoutes(house),
    ...tunnelRoutes(house),
    ...benchmarkRoutes(house),
    ...contextRoutes(house),
    ...auditRoutes(house),
  ];
  const gatedRoutes = withMethods([...routes, oneRoute(house)]).map((spec) => gated(house, spec));
  // The one with an id in its path comes last: what it would take for an id may be another route's name.
  const all = [...encryptionRoutes(house), ...gatedRoutes];
  for (const { path } of all) names.add(path.split('/')[2]!);
  return all;
}

/** `GET /memory/{id}` would take the path of a route with another method for an id. */
function withMethods(routes: readonly RouteSpec[]): readonly RouteSpec[] {
  const taken = new Map(routes.map(({ path, method }) => [path, method]));
  return routes.map((spec) => {
    if (spec.path !== ONE_MEMORY) return spec;
    const handle: RouteSpec['handle'] = (call) => {
      const allow = taken.get(`/memory/${(call.params as { readonly id: string }).id}`);
      if (allow === undefined) return spec.handle(call);
      throw new HttpError(405, `GET is not allowed here; allowed: ${allow}.`, { allow });
    };
    return { ...spec, handle };
  });
}

function gated(house: House, spec: RouteSpec): RouteSpec {
  return {
    ...spec,
    get answerSeal() {
      return house.memory.vault() ?? undefined;
    },
    async handle(call) {
      await house.memory.ready;
      const locked = house.memory.locked();
      if (locked !== null) throw new HttpError(503, locked);
      return spec.handle(call);
    },
  };
}
