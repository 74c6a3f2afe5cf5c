/** Starting work on a goal: a real agent run in the goal's workspace, linked to it in the commit that requests it. */
import { z } from 'zod';
import type { Config } from '../../config.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import type { ModelsPort } from '../../ports/models.ts';
import type { PluginFiles } from '../../ports/plugins.ts';
import type { ToolsPort } from '../../ports/tools.ts';
import type { GoalRow } from '../../projections/goal.ts';
import type { Views } from '../../projections/views.ts';
import { startRun } from '../../reactors/run/start-run.ts';
import { type Answer, value } from '../server/answer.ts';
import type { Call } from '../server/route.ts';
import { knownGoal } from './schemas.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly config: Config;
  readonly version: string;
  readonly ids: IdGenerator;
  readonly views: Views;
  readonly models: ModelsPort;
  readonly tools: ToolsPort;
  readonly plugins: PluginFiles;
}

export const zStart = z
  .object({ task: z.string().nullish(), provider: z.string().nullish(), model: z.string().nullish() })
  .optional();

export interface StartWish {
  readonly id: string;
  readonly task: string | null | undefined;
  readonly provider?: string | null | undefined;
  readonly model?: string | null | undefined;
}

export async function startGoal(deps: Dependencies, dispatch: Call['dispatch'], wish: StartWish): Promise<Answer> {
  const row = knownGoal(deps, wish.id);
  const task = (wish.task ?? '').trim() === '' ? taskOf(row) : wish.task!;
  const link_id = deps.ids.hex(16);
  return startRun(deps, dispatch, {
    body: { task, provider: wish.provider, model: wish.model, workspace_root: row.workspace },
    goal: {
      id: row.id,
      link_id,
      note: 'Started from the goal.',
      notice: `This run works on the goal “${row.title}” (${row.id}).`,
    },
    answer: (session_id) => value({ session_id, link_id, goal_id: row.id }, 201),
  });
}

/** What to do when nobody said: the goal in its own words, and how it is known to be reached. */
function taskOf({ title, statement, success_criteria, current_plan }: GoalRow): string {
  const open = current_plan?.steps.filter((step) => step.status === 'pending' || step.status === 'in_progress') ?? [];
  return [
    `Work on the goal “${title.trim()}”.`,
    statement.trim(),
    listed('It is reached when:', success_criteria),
    listed(
      'The plan:',
      open.map((step) => step.description),
    ),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function listed(heading: string, items: readonly string[]): string {
  return items.length === 0 ? '' : [heading, ...items.map((item) => `- ${item}`)].join('\n');
}
