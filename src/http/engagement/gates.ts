/** Gates of an engagement: their conditions, their measurement procedures and all verdicts. */
import { z } from 'zod';
import { isBlank } from '../../commands/blank.ts';
import { engagementId } from '../../commands/engagement/commands.ts';
import { engagement as decider } from '../../commands/engagement/decide.ts';
import type { EngagementState } from '../../commands/engagement/state.ts';
import { zPhase, zVerdict } from '../../events/engagement/events.ts';
import { zGate } from '../../events/engagement/records.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import type { Views } from '../../projections/views.ts';
import { outlineAsOf, zAsOf } from '../../queries/engagement/as-of.ts';
import { requireEngagement } from '../../queries/engagement/lookup.ts';
import type { EventLog } from '../../storage/event-log.ts';
import { type Answer, value } from '../server/answer.ts';
import { type RouteSpec, route } from '../server/route.ts';
import {
  badRequest,
  inPhase,
  unknownId,
  valueAsOf,
  zAt,
  zFilled,
  zId,
  zName,
  zPhaseFilter,
  zReason,
  zReasonQuery,
  zText,
} from './schemas.ts';

interface Dependencies {
  readonly ids: IdGenerator;
  readonly log: EventLog;
  readonly views: Views;
}

const zGid = zId.extend({ gid: z.string() });

const zNewGate = z.object({
  phase: zPhase,
  title: zFilled,
  criterion: zText.nullish().transform((criterion) => criterion ?? ''),
  measurement: zText.refine(
    (text) => !isBlank(text),
    'must not be blank: a gate needs a procedure by which it is judged',
  ),
  reason: zReason,
});

/** An absent field is cleared: a judgement inherits no field from the one before. */
const zJudgementBody = z.object({
  verdict: zVerdict,
  observed: zText.nullish().transform((observed) => observed ?? null),
  rationale: zText.nullish().transform((rationale) => rationale ?? ''),
  decided_by: zName.nullish().transform((decided_by) => decided_by ?? null),
  reason: zReason,
});

const gateAnswer = {
  200: { description: 'The gate.', schema: z.object({ gate: zGate }) },
  ...badRequest,
  ...unknownId,
};

const common = { tag: 'engagements', auth: 'bearer' } as const;

export function gateRoutes(deps: Dependencies): readonly RouteSpec[] {
  return [listRoute(deps), addRoute(deps), judgeRoute(deps), removeRoute(deps)];
}

function listRoute(deps: Dependencies): RouteSpec {
  return route({
    ...common,
    method: 'GET',
    path: '/engagements/{id}/gates',
    summary: 'Gates in the order they were added, with every verdict so far; `at` answers as it was then.',
    params: zId,
    query: z.object({ phase: zPhaseFilter, at: zAt }),
    responses: {
      200: { description: 'Gates.', schema: z.object({ gates: z.array(zGate), as_of: zAsOf.optional() }) },
      ...badRequest,
      ...unknownId,
    },
    handle({ params, query }) {
      const { document, asOf } = outlineAsOf(deps, params.id, query.at);
      return valueAsOf({ gates: inPhase(document.gates, query.phase) }, asOf);
    },
  });
}

function addRoute({ ids, views }: Dependencies): RouteSpec {
  return route({
    ...common,
    method: 'POST',
    path: '/engagements/{id}/gates',
    summary: 'Adds a gate; without a measurement procedure there is none.',
    params: zId,
    body: zNewGate,
    responses: gateAnswer,
    async handle({ params: { id }, body, dispatch }) {
      requireEngagement(views, id);
      const gate_id = engagementId(ids.hex(16));
      const answer = gateOf(id, gate_id);
      const { state } = await dispatch(decider, id, { type: 'AddGate', gate_id, ...body }, answer);
      return answer(state);
    },
  });
}

function judgeRoute({ views }: Dependencies): RouteSpec {
  return route({
    ...common,
    method: 'POST',
    path: '/engagements/{id}/gates/{gid}/judge',
    summary: 'Records a verdict; earlier ones stay. A pass needs something observed.',
    params: zGid,
    body: zJudgementBody,
    responses: gateAnswer,
    async handle({ params: { id, gid }, body, dispatch, origin }) {
      requireEngagement(views, id);
      const answer = gateOf(id, gid);
      const command = { type: 'JudgeGate', gate_id: gid, ...body, by: origin.actor } as const;
      const { state } = await dispatch(decider, id, command, answer);
      return answer(state);
    },
  });
}

function removeRoute({ views }: Dependencies): RouteSpec {
  return route({
    ...common,
    method: 'DELETE',
    path: '/engagements/{id}/gates/{gid}',
    summary: 'Removes a gate; its history stays.',
    params: zGid,
    query: zReasonQuery,
    responses: {
      200: { description: 'Removed.', schema: z.object({ deleted: z.boolean() }) },
      ...unknownId,
    },
    async handle({ params: { id, gid }, query: { reason }, dispatch }) {
      requireEngagement(views, id);
      await dispatch(decider, id, { type: 'RemoveGate', gate_id: gid, reason });
      return value({ deleted: true });
    },
  });
}

/** The answer with one gate of the state that a command leads to. */
function gateOf(engagement_id: string, gateId: string): (state: EngagementState) => Answer {
  return (state) => value({ gate: { ...state.gates.find(({ id }) => id === gateId)!, engagement_id } });
}
