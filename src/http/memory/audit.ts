/** `GET /memory/audit`: what is there twice, came back, went stale, or was never asked for. Changes nothing. */
import { z } from 'zod';
import type { Config } from '../../config.ts';
import type { Clock } from '../../ports/clock.ts';
import {
  exactDuplicates,
  nearDuplicates,
  neverRecalled,
  recallLoops,
  STALE_SALIENCE_MAX,
  staleMemories,
} from '../../projections/memory/audit.ts';
import type { Views } from '../../projections/views.ts';
import { seconds, totals } from '../../queries/memory/memory-context.ts';
import type { MemoryKeeper } from '../../reactors/memory/memory-store.ts';
import type { EventLog } from '../../storage/event-log.ts';
import type { Projector } from '../../streams/projector.ts';
import { value } from '../server/answer.ts';
import { type RouteSpec, route } from '../server/route.ts';
import { common, refused, wholeText } from './schemas.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: EventLog;
  readonly views: Views;
  readonly projector: Projector;
  readonly memory: MemoryKeeper;
}

const SAMPLES_MAX = 100;
const SAMPLES_DEFAULT = 5;

const zPlace = z.object({ id: z.string(), sector: z.string() });
const zAudit = z.object({
  total_memories: z.int(),
  total_drawers: z.int(),
  exact_duplicates: z.object({ count: z.int(), samples: z.array(z.object({ ids: z.array(z.string()) })) }),
  near_duplicates: z.object({
    count: z.int(),
    samples: z.array(z.object({ ids: z.array(z.string()), similarity: z.number() })),
  }),
  recall_loops: z.object({
    count: z.int(),
    exact: z.int(),
    near: z.int(),
    samples: z.array(
      z.object({
        store: z.string(),
        id: z.string(),
        kind: z.string(),
        similarity: z.number(),
        via: z.string(),
        at: z.int(),
      }),
    ),
  }),
  stale: z.object({
    count: z.int(),
    below_salience: z.number(),
    samples: z.array(zPlace.extend({ salience: z.number(), last_seen_at: z.int() })),
  }),
  never_recalled: z.object({ count: z.int(), samples: z.array(zPlace.extend({ created_at: z.int() })) }),
});

export function auditRoutes(deps: Dependencies): readonly RouteSpec[] {
  return [
    route({
      ...common,
      method: 'GET',
      path: '/memory/audit',
      summary: 'Counts and samples of duplicates, recall loops, stale and never recalled memories.',
      query: z.object({ samples: wholeText({ min: 0, max: SAMPLES_MAX }).default(SAMPLES_DEFAULT) }),
      responses: { 200: { description: 'The audit.', schema: zAudit }, ...refused },
      handle: ({ query }) => value(audit(deps, query.samples)),
    }),
  ];
}

function audit(deps: Dependencies, limit: number): z.infer<typeof zAudit> {
  const { views } = deps;
  const exact = exactDuplicates(views, limit);
  const near = nearDuplicates(views, limit);
  const loops = recallLoops(views, limit);
  const stale = staleMemories(views, deps.clock.now(), limit);
  const never = neverRecalled(views, limit);
  return {
    ...totals(deps),
    exact_duplicates: { count: exact.count, samples: exact.samples.map(({ ids }) => ({ ids: [...ids] })) },
    near_duplicates: {
      count: near.count,
      samples: near.samples.map(({ ids, similarity }) => ({ ids: [...ids], similarity })),
    },
    recall_loops: { ...loops, samples: loops.samples.map((loop) => ({ ...loop, at: seconds(loop.at) })) },
    stale: {
      count: stale.count,
      below_salience: STALE_SALIENCE_MAX,
      samples: stale.samples.map((row) => ({ ...row, last_seen_at: seconds(row.last_seen_at) })),
    },
    never_recalled: {
      count: never.count,
      samples: never.samples.map((row) => ({ ...row, created_at: seconds(row.created_at) })),
    },
  };
}
