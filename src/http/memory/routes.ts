/**
 * The memory routes. While memories are locked, all but the encryption routes answer 503. While texts are
 * encrypted, the recorded answers to idempotent requests are encrypted, too.
 */
import { fingerprintsBy } from '../../commands/memory/fingerprints.ts';
import type { TextCipher } from '../../ports/text-cipher.ts';
import type { MemoryEncryption } from '../../queries/memory/encryption.ts';
import { HttpError } from '../server/errors.ts';

import type { AnswerSeal, RouteSpec } from '../server/route.ts';
import { drawerRoutes } from './drawers.ts';
import { encryptionRoutes } from './encryption.ts';
import { assertFactRoute, listFactsRoute } from './facts.ts';
import { auditRoute, benchmarkRoute } from './inspection.ts';
import { consolidateRoute, decayRoute, importRoute } from './maintenance.ts';
import { addRoute, deleteRoute, detailRoute, exportRoute, listRoute, pinRoutes, statsRoute } from './memories.ts';
import { contextRoute, queryRoute } from './recall.ts';
import { autoTunnelRoute, tunnelRoute } from './tunnels.ts';

type DependenciesOf<Route> = Route extends (deps: infer Dependencies) => unknown ? Dependencies : never;

type MemoryDependencies = DependenciesOf<typeof addRoute> &
  DependenciesOf<typeof deleteRoute> &
  DependenciesOf<typeof listRoute> &
  DependenciesOf<typeof listFactsRoute> &
  DependenciesOf<typeof queryRoute> &
  DependenciesOf<typeof drawerRoutes> &
  DependenciesOf<typeof decayRoute> &
  DependenciesOf<typeof encryptionRoutes>;

export function memoryRoutes(deps: MemoryDependencies): readonly RouteSpec[] {
  // A memory with a reserved id could not be read: `.` and `..` vanish from URLs, the others name routes.
  const reservedIds = new Set(['.', '..']);
  const routes = [
    addRoute(deps),
    ...pinRoutes(deps),
    deleteRoute(deps),
    queryRoute(deps),
    listRoute(deps),
    statsRoute(deps),
    exportRoute(deps),
    assertFactRoute(deps),
    listFactsRoute(deps),
    decayRoute(deps),
    consolidateRoute(deps),
    importRoute({ ...deps, reservedIds }),
    ...drawerRoutes(deps),
    tunnelRoute(deps),
    autoTunnelRoute(deps),
    benchmarkRoute(deps),
    contextRoute(deps),
    auditRoute(deps),
  ];
  // The route with the id comes last, because its path also matches the names of the others.
  const readable = [...routes, withMethodCheck(detailRoute(deps), routes)].map((spec) => whenReadable(deps, spec));
  const all = [...encryptionRoutes(deps), ...readable];
  for (const { path } of all) reservedIds.add(path.split('/')[2]!);
  return all;
}

/** Refuses `GET /memory/{id}` with 405 when the id is the name of a route with another method. */
function withMethodCheck(spec: RouteSpec, others: readonly RouteSpec[]): RouteSpec {
  const methods = new Map([...others, spec].map(({ path, method }) => [path, method]));
  return {
    ...spec,
    handle(call) {
      const allow = methods.get(`/memory/${(call.params as { readonly id: string }).id}`);
      if (allow === undefined) return spec.handle(call);
      throw new HttpError(405, `GET is not allowed here; allowed: ${allow}.`, { allow });
    },
  };
}

function whenReadable({ encryption }: { readonly encryption: MemoryEncryption }, spec: RouteSpec): RouteSpec {
  return {
    ...spec,
    get answerSeal() {
      const cipher = encryption.cipher();
      return cipher === null ? undefined : answerSeal(cipher);
    },
    async handle(call) {
      await encryption.ready;
      const locked = encryption.locked();
      if (locked !== null) throw new HttpError(503, locked);
      return spec.handle(call);
    },
  };
}

function answerSeal(cipher: TextCipher): AnswerSeal {
  return {
    seal: (value, record) => cipher.seal(value, record),
    open: (sealed, record) => cipher.open(sealed, record),
    exact: fingerprintsBy(cipher).exact,
  };
}
