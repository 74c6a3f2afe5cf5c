/** Gates of an engagement: what must be true, how it is measured, and every verdict that was given. */
import { z } from 'zod';
import { isBlank } from '../../commands/blank.ts';
import { engagement as decider } from '../../commands/engagement/decide.ts';
import type { EngagementState } from '../../commands/engagement/state.ts';
import { zPhase, zVerdict } from '../../events/engagement/events.ts';
import { zGate } from '../../events/engagement/records.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import { belongs } from '../../projections/engagement.ts';
import type { Views } from '../../projections/views.ts';
import { outlineThen } from '../../queries/engagement/as-of.ts';
import type { EventLog } from '../../storage/event-log.ts';
import { type Answer, value } from '../server/answer.ts';
import { type Call, type RouteSpec, route } from '../server/route.ts';
import {
  badRequest,
  freshId,
  inPhase,
  known,
  nothing,
  unknownId,
  zAsOf,
  zAt,
  zFilled,
  zId,
  zName,
  zPhaseFilter,
  zReason,
  zReasonQuery,
  zText,
} from './schemas.ts';

/** What this module needs of the daemon. */
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

/** What is left out is cleared: a judgement stands for itself. */
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

export function gateRoutes(deps: Dependencies): readonly RouteSpec[] {
  const common = { tag: 'engagements', auth: 'bearer' } as const;
  return [
    route({
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
        const { document, asOf } = outlineThen(deps, params.id, query.at);
        return value({ gates: inPhase(document.gates, query.phase), ...(asOf && { as_of: asOf }) });
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/engagements/{id}/gates',
      summary: 'Adds a gate; without a measurement procedure there is none.',
      params: zId,
      body: zNewGate,
      responses: gateAnswer,
      async handle({ params: { id }, body, dispatch }) {
        known(deps, id);
        const gate_id = freshId(deps);
        const answer = gateOf(id, gate_id);
        const { state } = await dispatch(decider, id, { type: 'AddGate', gate_id, ...body }, answer);
        return answer(state);
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/engagements/{id}/gates/{gid}/judge',
      summary: 'Records a verdict; earlier ones stay. A pass needs something observed.',
      params: zGid,
      body: zJudgementBody,
      responses: gateAnswer,
      handle: (call) => judge(deps, call),
    }),
    route({
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
        knownGate(deps, id, gid);
        await dispatch(decider, id, { type: 'RemoveGate', gate_id: gid, reason });
        return value({ deleted: true });
      },
    }),
  ];
}

type Judged = Call<z.infer<typeof zGid>, unknown, z.infer<typeof zJudgementBody>>;

async function judge(deps: Dependencies, { params: { id, gid }, body, dispatch }: Judged): Promise<Answer> {
  knownGate(deps, id, gid);
  const answer = gateOf(id, gid);
  const command = { type: 'JudgeGate', gate_id: gid, ...body } as const;
  const { state } = await dispatch(decider, id, command, answer);
  return answer(state);
}

function gateOf(engagement_id: string, gid: string): (state: EngagementState) => Answer {
  return (state) => value({ gate: { ...state.gates.find(({ id }) => id === gid)!, engagement_id } });
}

function knownGate(deps: Dependencies, id: string, gid: string): void {
  known(deps, id);
  if (!belongs(deps.views, 'gates', { engagementId: id, id: gid })) throw nothing('Gate', gid);
}
