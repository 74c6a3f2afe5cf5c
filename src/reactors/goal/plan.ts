/** Plans a goal: a model breaks it into steps. Without a model the plan is an outline of the goal's own text. */
import { z } from 'zod';
import { refused } from '../../commands/refusal.ts';
import type { Goal, GoalPlan } from '../../events/goal.ts';
import { type ModelChoice, ModelError } from '../../ports/models.ts';
import type { ToolsPort } from '../../ports/tools.ts';
import { isScripted } from '../../queries/goal/model-choice.ts';
import type { ModelCallDependencies } from '../../queries/run/model-calls.ts';
import { askForObject } from './ask-model.ts';

export interface PlanDependencies extends ModelCallDependencies {
  readonly tools: ToolsPort;
}

const STEPS_MAX = 50;
const LIST_MAX = 50;
const TEXT_CHARACTERS_MAX = 2_000;

const SYSTEM = `You plan work for a capable agent with tools. Answer with one JSON object and nothing else:
{"steps": [{"description": string, "tool": string, "estimated_path": string or null}],
 "estimated_files": [string], "risks": [string]}
Between 1 and 12 steps, in order, each one small enough to check. "tool" is the tool the step mostly uses.
"estimated_path" is the file or folder it concerns, relative to the workspace, or null.
"risks" are what could make the plan fail, most serious first.`;

/** Throws `Refused` (failed) when the model fails or answers no plan. */
export async function planGoal(
  deps: PlanDependencies,
  { goal, choice, signal }: { readonly goal: Goal; readonly choice: ModelChoice; readonly signal: AbortSignal },
): Promise<GoalPlan> {
  if (isScripted(choice)) return outline(goal);
  const prompt = promptOf(goal, deps.tools);
  try {
    return planOf(goal, await askForObject(deps, { choice, system: SYSTEM, prompt, signal }));
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    throw refused('failed', `The planner failed: ${error.message}`);
  }
}

function promptOf({ title, statement, success_criteria, workspace }: Goal, tools: ToolsPort): string {
  const criteria = success_criteria.map((criterion) => `- ${criterion}`);
  return [
    `Goal: ${title}`,
    ...(statement.trim() === '' ? [] : [`Statement:\n${statement}`]),
    ...(criteria.length === 0 ? [] : [`It is reached when:\n${criteria.join('\n')}`]),
    `Workspace: ${workspace ?? 'none in particular'}`,
    `Tools: ${tools.specs.map((tool) => tool.name).join(', ')}`,
  ].join('\n\n');
}

const zText = z.string().transform((text) => text.trim().slice(0, TEXT_CHARACTERS_MAX).toWellFormed());
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

/** The model's answer as a plan: steps are numbered from 1 and pending, whatever the answer contains. */
export function planOf(goal: Pick<Goal, 'title'>, answered: unknown): GoalPlan {
  const parsed = zAnswer.safeParse(answered);
  if (!parsed.success) {
    throw new ModelError('fatal', 'The model’s answer is no plan: it needs steps with descriptions.');
  }
  const { steps, estimated_files, risks } = parsed.data;
  return {
    goal: goal.title,
    steps: steps.slice(0, STEPS_MAX).map((step, index) => ({ id: index + 1, ...step, status: 'pending' })),
    estimated_files: [...new Set(estimated_files)].slice(0, LIST_MAX),
    risks: risks.slice(0, LIST_MAX),
  };
}

/** A step for the goal's statement and one for each criterion. */
export function outline({ title, statement, success_criteria }: Goal): GoalPlan {
  const first = statement.trim().split('\n', 1)[0] || title.trim();
  const descriptions = [
    `Look at how things stand: ${first}`,
    ...success_criteria.filter((criterion) => criterion.trim() !== '').map((criterion) => `Reach: ${criterion.trim()}`),
    'Check the whole against the goal and write down what is left.',
  ];
  const steps = descriptions.slice(0, STEPS_MAX).map((description, index) => ({
    id: index + 1,
    description: description.slice(0, TEXT_CHARACTERS_MAX).toWellFormed(),
    tool: '',
    estimated_path: null,
    status: 'pending' as const,
  }));
  const risks = ['No language model is configured: this outline only repeats the goal and its criteria.'];
  return { goal: title, steps, estimated_files: [], risks };
}
