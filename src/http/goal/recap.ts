/**
 * `POST /v1/goals/{id}/recap`: the results of a goal, from its linked runs. It changes nothing.
 *
 * - A model writes the recap only when a usable model is named and a run has ended. When the model fails, the answer is
 *   the recap without a model, with the failure.
 */
import { z } from 'zod';
import type { Clock } from '../../ports/clock.ts';
import { timeOf } from '../../projections/goal.ts';
import { requireGoal } from '../../queries/goal/lookup.ts';
import { chooseModel, isScripted } from '../../queries/goal/model-choice.ts';
import { artifactsOf, recapSources, recapText, zArtifact } from '../../queries/goal/recap.ts';
import type { ModelCallDependencies } from '../../queries/run/model-calls.ts';
import { writeRecap } from '../../reactors/goal/recap.ts';
import { whileConnected } from '../server/disconnect.ts';
import { type Answer, type Call, ok, type RouteSpec, routesOf, value } from '../server/route.ts';
import { notThere, type RequestedModelBody, requestedModel, zGoalId, zRequestedModel } from './schemas.ts';

const { post } = routesOf({ tag: 'goals' });

export interface Dependencies extends ModelCallDependencies {
  readonly clock: Clock;
}

const zRecap = z.object({
  goal_id: z.string(),
  title: z.string(),
  headline: z.string(),
  bullets: z.array(z.string()).describe('The results, the most important first; at most 7.'),
  next_actions: z.array(z.string()).describe('The next steps; at most 3.'),
  artifacts: z.array(zArtifact).describe('Files and other results of the runs.'),
  sources: z
    .array(
      z.object({
        recap_id: z.string().describe('Id of the run.'),
        kind: z.enum(['session', 'job', 'recap']).describe('Kind of the link from the goal to the run.'),
        target_id: z.string(),
      }),
    )
    .describe('The ended runs that the recap is made of, newest link first.'),
  generated_at: z.string(),
  recap_synthesizer: z.enum(['llm', 'heuristic']).describe('The author: a model, or Daybook itself.'),
  recap_provider_override_applied: z.boolean().describe('Whether the requested model worded it.'),
  recap_provider_requested: z.string().optional().describe('`provider` of the request, when it had one.'),
  recap_model_requested: z.string().optional().describe('`model` of the request, when it had one.'),
  recap_llm_error: z
    .string()
    .optional()
    .describe('Why the model could not word it; absent when it could or was not asked.'),
});

export function goalRecapRoute(deps: Dependencies): RouteSpec {
  return post('/v1/goals/{id}/recap', {
    operation: 'recap',
    summary:
      'The results of a goal, worded by a model when `provider` and `model` name a usable one, else heuristically.',
    params: zGoalId,
    body: zRequestedModel,
    responses: ok('The recap, and who wrote it.', zRecap, notThere),
    handle: (call) => recap(deps, call),
  });
}

async function recap(
  deps: Dependencies,
  { params: { id }, body, request }: Call<z.infer<typeof zGoalId>, unknown, RequestedModelBody>,
): Promise<Answer> {
  const goal = requireGoal(deps.views, id);
  const sources = recapSources(deps.views, id);
  const ends = sources.map((source) => source.end);
  const { choice, isRequested } = chooseModel(deps.models, body);
  const usesModel = isRequested && ends.length > 0 && !isScripted(choice);
  const written = usesModel
    ? await whileConnected(request, (signal) => writeRecap(deps, { goal, ends, choice, signal }))
    : null;
  const modelText = written !== null && 'text' in written ? written.text : null;
  return value({
    goal_id: id,
    title: goal.title,
    ...(modelText ?? recapText(goal.title, ends)),
    artifacts: artifactsOf(ends),
    sources: sources.map(({ end, kind, target_id }) => ({ recap_id: end.session_id, kind, target_id })),
    generated_at: timeOf(deps.clock.now()),
    recap_synthesizer: modelText === null ? 'heuristic' : 'llm',
    recap_provider_override_applied: usesModel,
    ...requestedModel('recap', body),
    ...(written !== null && 'error' in written ? { recap_llm_error: written.error } : {}),
  });
}
