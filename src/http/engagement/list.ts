/** The list of engagements: filtered by status and words, limited for each phase, with readiness, as of any moment. */
import { z } from 'zod';
import { engagement as decider } from '../../commands/engagement/decide.ts';
import { zPhaseReadiness } from '../../commands/engagement/readiness.ts';
import { zEngagementStatus } from '../../events/engagement/events.ts';
import { type Engagement, zEngagement } from '../../events/engagement/records.ts';
import { engagements } from '../../projections/engagement/engagement.ts';
import { ENGAGEMENTS_MAX, engagementsByPhase, newestEngagements } from '../../projections/engagement/list.ts';
import type { Views } from '../../projections/views.ts';
import { currentReadiness, READINESS_PER_PHASE_MAX } from '../../queries/engagement/lookup.ts';
import { type AsOfSources, answerAt, asOfField, zAt } from '../server/as-of.ts';
import { jsonList } from '../server/json-array.ts';
import { queryList, queryNumber } from '../server/query-params.ts';
import { ok, type RouteSpec, routesOf } from '../server/route.ts';

const { get } = routesOf({ tag: 'engagements' });

const WORDS_CHARACTERS_MAX = 1_000;

const zListQuery = z.object({
  status: queryList(zEngagementStatus.options).optional().describe('One or several, separated by commas.'),
  q: z
    .string()
    .max(WORDS_CHARACTERS_MAX)
    .optional()
    .describe(
      'Each of its words is in the name or the client, in any case, or (from four letters on) the id begins with it.',
    ),
  limit: queryNumber({ min: 1, max: ENGAGEMENTS_MAX }).optional().describe('At most so many.'),
  limit_per_phase: queryNumber({ min: 1, max: ENGAGEMENTS_MAX })
    .optional()
    .describe('At most so many of each current phase. The answer then has `counts`.'),
  readiness: z
    .enum(['true', 'false'])
    .optional()
    .describe('`true`: the answer has `readiness`, how ready each engagement is to leave its current phase.'),
  at: zAt,
});
type ListQuery = Omit<z.infer<typeof zListQuery>, 'at'>;

const zPhaseCount = z
  .int()
  .min(0)
  .describe('Engagements in this phase that the request asks for, whatever its limits.');
const zList = z.object({
  engagements: z.array(zEngagement).describe('Engagements, the newest change first.'),
  counts: z
    .object({
      all: z.int().min(0).describe('All engagements, also those that the request does not ask for.'),
      discover: zPhaseCount,
      prove: zPhaseCount,
      build: zPhaseCount,
      operate: zPhaseCount,
    })
    .optional()
    .describe('Only with `limit_per_phase`: how many engagements there are.'),
  readiness: z
    .record(z.string(), zPhaseReadiness)
    .optional()
    .describe(
      'Only with `readiness=true`: the current phase of each engagement in the list, by its id; of each phase ' +
        `at most the first ${READINESS_PER_PHASE_MAX}.`,
    ),
  ...asOfField,
});

export function listRoute(deps: AsOfSources): RouteSpec {
  return get('/engagements', {
    operation: 'list',
    isLong: true,
    summary: 'Engagements, the last changed first; at most 10,000. `at` answers as it was then.',
    query: zListQuery,
    responses: ok('Engagements.', zList, { 400: 'An unknown status, a limit out of range, or an invalid `at`.' }),
    handle({ query: { at, ...query }, request }) {
      if (at === undefined) {
        const { engagements: rows, ...rest } = listEngagements(deps.views, query);
        return jsonList('engagements', rows, rest);
      }
      const scope = { projection: engagements, categories: [decider.category] };
      return answerAt(deps, { at, request }, { ...scope, read: (then) => listEngagements(then, query) });
    },
  });
}

function listEngagements(
  views: Views,
  { limit_per_phase: limitPerPhase, readiness, ...filter }: ListQuery,
): Omit<z.infer<typeof zList>, 'engagements' | 'as_of'> & { readonly engagements: readonly Engagement[] } {
  const list =
    limitPerPhase === undefined
      ? { engagements: newestEngagements(views, filter) }
      : engagementsByPhase(views, { ...filter, limitPerPhase });
  return readiness === 'true' ? { ...list, readiness: currentReadiness(views, list.engagements) } : list;
}
