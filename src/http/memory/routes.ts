/**
 * The memory routes, all behind one gate: what is encrypted and locked answers 503, and while texts are encrypted no
 * answer with texts in it is recorded for an idempotent repeat.
 */

import type { Config } from '../../config.ts';
import type { Clock } from '../../ports/clock.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import type { SecretStore } from '../../ports/secrets.ts';
import type { Views } from '../../projections/views.ts';
import type { MemoryKeeper } from '../../reactors/memory/memory-store.ts';
import type { MemoryVectors } from '../../reactors/memory/vectors/vectors.ts';
import type { EventLog } from '../../storage/event-log.ts';
import type { StorageControl } from '../../storage/ops/control.ts';
import type { CommandHandler } from '../../streams/command-handler.ts';
import type { Projector } from '../../streams/projector.ts';
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

/** What this module needs of the daemon. */
interface Dependencies {
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly log: EventLog;
  readonly views: Views;
  readonly projector: Projector;
  readonly dispatcher: CommandHandler;
  readonly memory: MemoryKeeper;
  readonly memoryVectors: MemoryVectors;
  readonly secrets: SecretStore;
  viewsUnavailable(): string | null;
  rebuildViews(): Promise<void>;
  readonly storageControl: StorageControl;
  announce(line: string): void;
}

export function memoryRoutes(deps: Dependencies): readonly RouteSpec[] {
  // Two are no ids in any URL; the others are filled in when all routes are known.
  const names = new Set(['.', '..']);
  const routes = [
    ...keepRoutes(deps),
    ...queryRoutes(deps),
    ...browseRoutes(deps),
    ...factRoutes(deps),
    ...tendRoutes(deps),
    ...importRoutes(deps, names),
    ...drawerRoutes(deps),
    ...tunnelRoutes(deps),
    ...benchmarkRoutes(deps),
    ...contextRoutes(deps),
    ...auditRoutes(deps),
  ];
  const gatedRoutes = withMethods([...routes, oneRoute(deps)]).map((spec) => gated(deps, spec));
  // The one with an id in its path comes last: what it would take for an id may be another route's name.
  const all = [...encryptionRoutes(deps), ...gatedRoutes];
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

function gated(deps: Dependencies, spec: RouteSpec): RouteSpec {
  return {
    ...spec,
    get answerSeal() {
      return deps.memory.vault() ?? undefined;
    },
    async handle(call) {
      await deps.memory.ready;
      const locked = deps.memory.locked();
      if (locked !== null) throw new HttpError(503, locked);
      return spec.handle(call);
    },
  };
}
