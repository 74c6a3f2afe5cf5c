/**
 * Starts an agent run for a goal, in the goal's workspace. The commit that requests the run also links it to the goal.
 */
import { z } from 'zod';
import { requireGoal, taskOf } from '../../queries/goal/lookup.ts';
import type { RunRequestDependencies } from '../../queries/run/run-request.ts';
import { startRun } from '../../reactors/run/start-run.ts';
import { closedWorkspace, tooManyRuns } from '../run/schemas.ts';
import { type Answer, type Call, type RouteSpec, routesOf, value } from '../server/route.ts';
import { invalid, notThere, zGoalId } from './schemas.ts';

const { post } = routesOf({ tag: 'goals' });

const zStart = z
  .object({
    task: z.string().nullish(),
    provider: z.string().nullish().describe('Absent: the selected one.'),
    model: z.string().nullish().describe('Absent: that of the provider.'),
  })
  .optional();

const zStarted = z.object({
  session_id: z.string(),
  link_id: z.string().describe('Id of the link from the goal to the run.'),
  goal_id: z.string(),
});

export function goalStartRoute(deps: RunRequestDependencies): RouteSpec {
  return post('/v1/goals/{id}/start', {
    operation: 'start',
    dispatchOnly: true,
    summary: 'Starts an agent run for the goal, in its workspace, and links it.',
    params: zGoalId,
    body: zStart,
    responses: {
      201: { description: 'The run is queued.', schema: zStarted },
      ...invalid,
      ...closedWorkspace,
      ...notThere,
      ...tooManyRuns,
    },
    handle: ({ params: { id }, body, answerAfter }) => startGoal(deps, answerAfter, { id, ...body }),
  });
}

export function watchStartRoute(deps: RunRequestDependencies): RouteSpec {
  return post('/watch/goals/{id}/start', {
    tag: 'watch',
    operation: 'startGoal',
    dispatchOnly: true,
    summary: 'Starts an agent run for the goal, and links it.',
    params: zGoalId,
    body: z.object({ task: z.string().nullish() }).optional(),
    responses: {
      201: { description: 'The run is queued.', schema: zStarted },
      400: 'task is not a text.',
      ...closedWorkspace,
      ...notThere,
      ...tooManyRuns,
    },
    handle: ({ params: { id }, body, answerAfter }) => startGoal(deps, answerAfter, { id, task: body?.task }),
  });
}

type Start = z.infer<typeof zGoalId> & Partial<NonNullable<z.infer<typeof zStart>>>;

async function startGoal(
  deps: RunRequestDependencies,
  answerAfter: Call['answerAfter'],
  { id, task, provider, model }: Start,
): Promise<Answer> {
  const goal = requireGoal(deps.views, id);
  const link_id = deps.ids.hex(16);
  const isNamed = task != null && task.trim() !== '';
  return startRun(deps, answerAfter, {
    body: { task: isNamed ? task : taskOf(goal), provider, model, workspace_root: goal.workspace },
    goal: {
      id,
      link_id,
      note: 'Started from the goal.',
      notice: `This run works on the goal “${goal.title}” (${id}).`,
    },
    answer: (session_id) => value({ session_id, link_id, goal_id: id }, 201),
  });
}
