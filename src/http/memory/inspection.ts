/** Routes that inspect the store: the audit, and the benchmark of recall. */
import { z } from 'zod';
import { memoryAudit, zAudit } from '../../queries/memory/audit.ts';
import { memoryBenchmark, zBenchmark } from '../../queries/memory/benchmark.ts';
import type { SearchContext } from '../../queries/memory/search.ts';
import { ok } from '../responses.ts';
import { queryNumber } from '../server/query-params.ts';
import { type RouteSpec, routesOf, value } from '../server/route.ts';
import { badRequest } from './schemas.ts';

const { get } = routesOf({ tag: 'memory' });

const SAMPLES_MAX = 100;
const SAMPLES_DEFAULT = 5;
const K_DEFAULT = 5;
const K_MAX = 100;

export function auditRoute({ views, clock }: Pick<SearchContext, 'views' | 'clock'>): RouteSpec {
  return get('/memory/audit', {
    operation: 'audit',
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

export function benchmarkRoute(deps: SearchContext): RouteSpec {
  return get('/memory/benchmark', {
    operation: 'benchmark',
    summary: 'Recall at k over a sample of what the store holds, in the cognitive store and in the drawers.',
    query: z.object({
      k: queryNumber({ min: 1, max: K_MAX }).default(K_DEFAULT).describe('An answer counts when it is among so many.'),
    }),
    responses: ok('Hits and recall, probe by probe.', zBenchmark, badRequest),
    handle: async ({ query }) => value(await memoryBenchmark(deps, query.k)),
  });
}
