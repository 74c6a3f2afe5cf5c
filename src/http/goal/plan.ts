/**
 * `POST /v1/goals/{id}/plan`: a model breaks the goal into steps, and the goal keeps them as its current plan.
 *
 * - Without any model to ask, the plan is an outline of the goal's own criteria, and says so among its risks.
 * - The model is asked outside the goal's turn; a goal that was restated meanwhile keeps no plan for its old words.
 */
import { z } from 'zod';
import { type GoalState, goal } from '../../commands/goal/decide.ts';
import { GOALS_LOCK_KEY } from '../../commands/goal/policy.ts';
import type { Config } from '../../config.ts';
import type { GoalPlan } from '../../events/goal.ts';
import type { ModelsPort } from '../../ports/models.ts';
import { ModelError } from '../../ports/models.ts';
import type { ToolsPort } from '../../ports/tools.ts';
import type { GoalRow } from '../../projections/goal.ts';
import type { Views } from '../../projections/views.ts';
import { askForObject } from '../../queries/goal/ask-model.ts';
import { type Answer, value } from '../server/answer.ts';
import { whileConnected } from '../server/disconnect.ts';
import { HttpError, zError } from '../server/errors.ts';
import { type Call, type RouteSpec, route } from '../server/route.ts';
import { isRehearsal, type Override, overrideOf, type Pair, zPair } from './model-override.ts';
import { knownGoal, notThere, recordOf, zGoal, zGoalId } from './schemas.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly config: Config;
  random(): number;
  readonly views: Views;
  readonly models: ModelsPort;
  readonly tools: ToolsPort;
}

const STEPS_MAX = 50;
const LIST_MAX = 50;
const TEXT_CHARACTERS_MAX = 2_000;

const zPlanned = zGoal.extend({
  plan_provider_override_applied: z.boolean(),
  plan_provider_requested: z.string().optional(),
  plan_model_requested: z.string().optional(),
});

export function goalPlanRoute(deps: Dependencies): RouteSpec {
  return route({
    method: 'POST',
    path: '/v1/goals/{id}/plan',
    summary:
      'Has a model plan the goal, and keeps the plan; `provider` and `model` count when both are named and usable.',
    tag: 'goals',
    auth: 'bearer',
    params: zGoalId,
    body: zPair,
    responses: {
      200: { description: 'The goal with its new plan, and which model was wanted.', schema: zPlanned },
      409: { description: 'The goal was restated while it was planned.', schema: zError },
      500: { description: 'The model failed, or answered no plan.', schema: zError },
      ...notThere,
    },
    handle: (call) => plan(deps, call),
  });
}

async function plan(
  deps: Dependencies,
  { params: { id }, body, request, dispatch }: Call<z.infer<typeof zGoalId>, unknown, Pair>,
): Promise<Answer> {
  const row = knownGoal(deps, id);
  const override = overrideOf(deps, body);
  const made = isRehearsal(override.choice) ? outline(row) : await askForPlan(deps, row, { override, request });
  const { statement, success_criteria } = row;
  const basis = { statement, success_criteria: [...success_criteria] };
  const answer = (state: GoalState): Answer =>
    value({
      ...recordOf(id, state),
      plan_provider_override_applied: override.isApplied,
      ...(body?.provider == null ? {} : { plan_provider_requested: body.provider }),
      ...(body?.model == null ? {} : { plan_model_requested: body.model }),
    });
  const command = { type: 'RecordPlan', plan: made, ...override.choice, basis } as const;
  const { state } = await dispatch(goal, id, command, { answer, lockKey: GOALS_LOCK_KEY });
  return answer(state);
}

const SYSTEM = `You plan work for a capable agent with tools. Answer with one JSON object and nothing else:
{"steps": [{"description": string, "tool": string, "estimated_path": string or null}],
 "estimated_files": [string], "risks": [string]}
Between 1 and 12 steps, in order, each one small enough to check. "tool" is the tool the step mostly uses.
"estimated_path" is the file or folder it concerns, relative to the workspace, or null.
"risks" are what could make the plan fail, most serious first.`;

async function askForPlan(
  deps: Dependencies,
  row: GoalRow,
  { override, request }: { override: Override; request: Call['request'] },
): Promise<GoalPlan> {
  const { choice } = override;
  const prompt = promptOf(deps, row);
  try {
    const answered = await whileConnected(request.raw, (signal) =>
      askForObject(deps, { choice, system: SYSTEM, prompt, signal }),
    );
    return planOf(row, answered);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    throw new HttpError(500, `The planner failed: ${error.message}`);
  }
}

function promptOf(deps: Dependencies, { title, statement, success_criteria, workspace }: GoalRow): string {
  const criteria = success_criteria.map((criterion) => `- ${criterion}`);
  return [
    `Goal: ${title}`,
    ...(statement.trim() === '' ? [] : [`Statement:\n${statement}`]),
    ...(criteria.length === 0 ? [] : [`It is reached when:\n${criteria.join('\n')}`]),
    `Workspace: ${workspace ?? 'none in particular'}`,
    `Tools: ${deps.tools.specs.map((tool) => tool.name).join(', ')}`,
  ].join('\n\n');
}

const zText = z.string().transform((text) => text.trim().slice(0, TEXT_CHARACTERS_MAX));
const zTexts = z.array(zText).catch([]).default([]);

const zAnswer = z.object({
  steps: z
    .array(
      z.object({
        description: zText.refine((text) => text !== ''),
        tool: zText.catch('').default(''),
        estimated_path: zText.nullable().catch(null).default(null),
      }),
    )
    .min(1),
  estimated_files: zTexts,
  risks: zTexts,
});

/** What the model said, in our numbering and with nothing done yet. */
export function planOf(row: Pick<GoalRow, 'title'>, answered: unknown): GoalPlan {
  const parsed = zAnswer.safeParse(answered);
  if (!parsed.success)
    throw new ModelError('fatal', 'The model’s answer is no plan: it needs steps with descriptions.');
  const { steps, estimated_files, risks } = parsed.data;
  return {
    goal: row.title,
    steps: steps.slice(0, STEPS_MAX).map((step, index) => ({ id: index + 1, ...step, status: 'pending' })),
    estimated_files: [...new Set(estimated_files)].slice(0, LIST_MAX),
    risks: risks.slice(0, LIST_MAX),
  };
}

/** A plan from the goal's own words: a step for what it says, one for each criterion. */
export function outline({ title, statement, success_criteria }: GoalRow): GoalPlan {
  const first = statement.trim().split('\n', 1)[0] || title.trim();
  const descriptions = [
    `Look at how things stand: ${first}`,
    ...success_criteria.filter((criterion) => criterion.trim() !== '').map((criterion) => `Reach: ${criterion.trim()}`),
    'Check the whole against the goal and write down what is left.',
  ];
  const steps = descriptions.slice(0, STEPS_MAX).map((description, index) => ({
    id: index + 1,
    description: description.slice(0, TEXT_CHARACTERS_MAX),
    tool: '',
    estimated_path: null,
    status: 'pending' as const,
  }));
  const risks = ['No language model is configured: this outline only repeats the goal and its criteria.'];
  return { goal: title, steps, estimated_files: [], risks };
}
