/**
 * The memory routes, and those that inspect the store. While memories are locked, all but the encryption routes answer
 * 503. While texts are encrypted, the recorded answers to idempotent requests are encrypted, too.
 */
import { z } from 'zod';
import { fingerprintsBy } from '../../commands/memory/fingerprints.ts';
import type { TextCipher } from '../../ports/text-cipher.ts';
import { memoryAudit, zAudit } from '../../queries/memory/audit.ts';
import { memoryBenchmark, zBenchmark } from '../../queries/memory/benchmark.ts';
import type { MemoryEncryption } from '../../queries/memory/encryption.ts';
import type { SearchContext } from '../../queries/memory/search.ts';
import { HttpError } from '../server/errors.ts';
import { queryNumber } from '../server/query-params.ts';
import { type AnswerSeal, ok, type RouteSpec, routesOf, value } from '../server/route.ts';
import { drawerRoutes } from './drawers.ts';
import { encryptionRoutes } from './encryption.ts';
import { assertFactRoute, listFactsRoute } from './facts.ts';
import { consolidateRoute, decayRoute, importRoute } from './maintenance.ts';
import { addRoute, deleteRoute, detailRoute, exportRoute, listRoute, pinRoutes, statsRoute } from './memories.ts';
import { contextRoute, queryRoute } from './recall.ts';
import { badRequest } from './schemas.ts';
import { autoTunnelRoute, tunnelRoute } from './tunnels.ts';

type MemoryDependencies = Parameters<typeof addRoute>[0] &
  Parameters<typeof deleteRoute>[0] &
  Parameters<typeof listRoute>[0] &
  Parameters<typeof listFactsRoute>[0] &
  Parameters<typeof queryRoute>[0] &
  Parameters<typeof drawerRoutes>[0] &
  Parameters<typeof decayRoute>[0] &
  Parameters<typeof encryptionRoutes>[0];

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
    detailRoute(deps),
  ];
  const all = [...encryptionRoutes(deps), ...routes.map((spec) => whenReadable(deps, spec))];
  for (const { path } of all) reservedIds.add(path.split('/')[2]!);
  return all;
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

const { get } = routesOf({ tag: 'memory' });

const SAMPLES_MAX = 100;
const SAMPLES_DEFAULT = 5;
const K_DEFAULT = 5;
const K_MAX = 100;

function auditRoute({ views, clock }: Pick<SearchContext, 'views' | 'clock'>): RouteSpec {
  return get('/memory/audit', {
    operation: 'audit',
    isLong: true,
    summary: 'Counts and samples of duplicates, recall loops, stale and never recalled memories.',
    query: z.object({
      samples: queryNumber({ min: 0, max: SAMPLES_MAX })
        .default(SAMPLES_DEFAULT)
        .describe('So many examples of each kind.'),
    }),
    responses: ok('The audit.', zAudit, badRequest),
    handle: ({ query }) => value(memoryAudit(views, clock.now(), query.samples)),
  });
}

function benchmarkRoute(deps: SearchContext): RouteSpec {
  return get('/memory/benchmark', {
    operation: 'benchmark',
    isLong: true,
    summary: 'Recall at k over a sample of what the store holds, in the cognitive store and in the drawers.',
    query: z.object({
      k: queryNumber({ min: 1, max: K_MAX }).default(K_DEFAULT).describe('An answer counts when it is among so many.'),
    }),
    responses: ok('Hits and recall, probe by probe.', zBenchmark, badRequest),
    handle: async ({ query }) => value(await memoryBenchmark(deps, query.k)),
  });
}
