/** Gates of an engagement: their conditions, their measurement procedures and all verdicts. */
import { z } from 'zod';
import { isBlank } from '../../commands/blank.ts';
import { engagementId } from '../../commands/engagement/commands.ts';
import { engagement as decider } from '../../commands/engagement/decide.ts';
import { zPhase, zVerdict } from '../../events/engagement/events.ts';
import { zGate } from '../../events/engagement/records.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import { gate } from '../../projections/engagement/document.ts';
import { type EngagementSources, outlineAsOf } from '../../queries/engagement/as-of.ts';
import { asOfField, zAt } from '../server/as-of.ts';
import { ok, type RouteSpec, value } from '../server/route.ts';
import {
  deleted,
  inPhase,
  ofEngagement,
  valueAsOf,
  zFilled,
  zId,
  zName,
  zOptionalText,
  zPhaseFilter,
  zReason,
  zReasonQuery,
  zText,
} from './schemas.ts';

export interface Dependencies extends EngagementSources {
  readonly ids: IdGenerator;
}

const zGid = zId.extend({ gid: z.string() });

const zNewGate = z.object({
  phase: zPhase,
  title: zFilled,
  criterion: zOptionalText,
  measurement: zText.refine(
    (text) => !isBlank(text),
    'must not be blank: a gate needs a procedure by which it is judged',
  ),
  reason: zReason,
});
z.globalRegistry.add(zNewGate, {
  examples: [
    {
      phase: 'prove',
      title: 'Fast enough',
      criterion: 'p95 is below 200 ms.',
      measurement: 'Read p95 of a load test.',
    },
  ],
});

/** An absent field is cleared: a judgement inherits no field from the previous one. */
const zJudgementBody = z.object({
  verdict: zVerdict,
  observed: zText.nullish().transform((observed) => observed ?? null),
  rationale: zOptionalText,
  decided_by: zName.nullish().transform((decided_by) => decided_by ?? null),
  reason: zReason,
});
z.globalRegistry.add(zJudgementBody, {
  examples: [{ verdict: 'pass', observed: 'p95 is 140 ms.', rationale: 'Measured twice.' }],
});

const gateAnswer = ok('The gate.', { gate: zGate.describe('The gate as it is now.') });

export function gateRoutes(deps: Dependencies): readonly RouteSpec[] {
  const { ids, views } = deps;
  return [
    ofEngagement.get('/gates', {
      operation: 'listGates',
      summary: 'Gates in the order they were added, with every verdict so far; `at` answers as it was then.',
      params: zId,
      query: z.object({ phase: zPhaseFilter, at: zAt }),
      responses: ok('Gates.', { gates: z.array(zGate).describe('Those of the phase, or all.'), ...asOfField }),
      async handle({ params, query }) {
        const { document, asOf } = await outlineAsOf(deps, params.id, query.at);
        return valueAsOf({ gates: inPhase(document.gates, query.phase) }, asOf);
      },
    }),
    ofEngagement.post('/gates', {
      operation: 'addGate',
      dispatchOnly: true,
      summary: 'Adds a gate, which needs a measurement procedure.',
      params: zId,
      body: zNewGate,
      responses: gateAnswer,
      async handle({ params: { id }, body, answerAfter }) {
        const gate_id = engagementId(ids.hex(16));
        return answerAfter(decider, id, { type: 'AddGate', gate_id, ...body }, () =>
          value({ gate: gate(views, id, gate_id) }),
        );
      },
    }),
    ofEngagement.post('/gates/{gid}/judge', {
      operation: 'judgeGate',
      dispatchOnly: true,
      summary: 'Records a verdict; earlier ones stay. A pass needs `observed`.',
      params: zGid,
      body: zJudgementBody,
      responses: gateAnswer,
      handle: async ({ params: { id, gid }, body, answerAfter }) =>
        answerAfter(decider, id, { type: 'JudgeGate', gate_id: gid, ...body }, () =>
          value({ gate: gate(views, id, gid) }),
        ),
    }),
    ofEngagement.del('/gates/{gid}', {
      operation: 'deleteGate',
      dispatchOnly: true,
      summary: 'Removes a gate; its history stays.',
      params: zGid,
      query: zReasonQuery,
      responses: deleted,
      handle: async ({ params: { id, gid }, query: { reason }, answerAfter }) =>
        answerAfter(decider, id, { type: 'RemoveGate', gate_id: gid, reason }, () => value({ deleted: true })),
    }),
  ];
}
