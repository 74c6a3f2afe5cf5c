/**
 * `POST /v1/goals/{id}/plan`: a model breaks the goal into steps, and the goal keeps them as its current plan.
 *
 * - The model is asked without holding the lock of the goals. A goal whose statement changes meanwhile refuses the
 *   plan.
 */
import { z } from 'zod';
import { goal as decider } from '../../commands/goal/decide.ts';
import { GOALS_LOCK_KEY } from '../../commands/goal/policy.ts';
import { zGoal } from '../../events/goal.ts';
import { requireGoal } from '../../queries/goal/lookup.ts';
import { chooseModel } from '../../queries/goal/model-choice.ts';
import { type PlanDependencies, planGoal } from '../../reactors/goal/plan.ts';
import { whileConnected } from '../server/disconnect.ts';
import { type Answer, type Call, ok, type RouteSpec, routesOf, value } from '../server/route.ts';
import { notThere, type RequestedModelBody, requestedModel, zGoalId, zRequestedModel } from './schemas.ts';

const { post } = routesOf({ tag: 'goals' });

const zPlanned = zGoal.extend({
  plan_provider_override_applied: z.boolean().describe('Whether the requested model made the plan.'),
  plan_provider_requested: z.string().optional().describe('`provider` of the request, when it had one.'),
  plan_model_requested: z.string().optional().describe('`model` of the request, when it had one.'),
});

export function goalPlanRoute(deps: PlanDependencies): RouteSpec {
  return post('/v1/goals/{id}/plan', {
    operation: 'plan',
    summary:
      'Lets a model plan the goal, and stores the plan; `provider` and `model` count when both are named and usable.',
    params: zGoalId,
    body: zRequestedModel,
    responses: ok('The goal with its new plan, and the requested model.', zPlanned, {
      409: 'The statement of the goal changed while it was planned.',
      500: 'The model failed, or answered no plan.',
      ...notThere,
    }),
    handle: (call) => plan(deps, call),
  });
}

async function plan(
  deps: PlanDependencies,
  { params: { id }, body, request, answerAfter }: Call<z.infer<typeof zGoalId>, unknown, RequestedModelBody>,
): Promise<Answer> {
  const goal = requireGoal(deps.views, id);
  const { choice, isRequested } = chooseModel(deps.models, body);
  const newPlan = await whileConnected(request, (signal) => planGoal(deps, { goal, choice, signal }));
  const basis = { statement: goal.statement, success_criteria: goal.success_criteria };
  const modelFields = { plan_provider_override_applied: isRequested, ...requestedModel('plan', body) };
  const answer = (): Answer => value({ ...requireGoal(deps.views, id), ...modelFields });
  const command = { type: 'RecordPlan', plan: newPlan, ...choice, basis } as const;
  return answerAfter(decider, id, command, { answer, lockKey: GOALS_LOCK_KEY });
}
