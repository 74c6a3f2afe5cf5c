/** Goals for a small screen: what is active, one goal, and one button that starts work on it. */
import { z } from 'zod';
import type { Config } from '../../config.ts';
import { zGoalStatus } from '../../events/goal.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import type { ModelsPort } from '../../ports/models.ts';
import type { PluginFiles } from '../../ports/plugins.ts';
import type { ToolsPort } from '../../ports/tools.ts';
import { type GoalRow, goalLinks, goalsJson, isPinned } from '../../projections/goal.ts';
import type { Views } from '../../projections/views.ts';
import { value } from '../server/answer.ts';
import { zError } from '../server/errors.ts';
import { type RouteSpec, route } from '../server/route.ts';
import { knownGoal, notThere, zGoal, zGoalId, zGoalLink, zStarted } from './schemas.ts';
import { startGoal } from './start.ts';

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

const WATCH_GOALS_MAX = 25;

const zSummary = z.object({
  id: z.string(),
  title: z.string(),
  status: zGoalStatus,
  workspace_label: z.string(),
  updated_at: z.string(),
  pinned: z.boolean(),
});

export function watchRoutes(deps: Dependencies): readonly RouteSpec[] {
  const common = { tag: 'watch', auth: 'bearer' } as const;
  return [
    route({
      ...common,
      method: 'GET',
      path: '/watch/goals',
      summary: `The active goals, last changed first, at most ${WATCH_GOALS_MAX}.`,
      responses: { 200: { description: 'The goals.', schema: z.object({ goals: z.array(zSummary) }) } },
      handle: () =>
        value({
          goals: goalsJson(deps.views, { status: 'active', limit: WATCH_GOALS_MAX }).map((text) =>
            summary(deps, JSON.parse(text) as GoalRow),
          ),
        }),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/watch/goals/{id}',
      summary: 'One goal, its links, and whether it is pinned.',
      params: zGoalId,
      responses: {
        200: {
          description: 'The goal.',
          schema: z.object({ goal: zGoal, links: z.array(zGoalLink), pinned: z.boolean() }),
        },
        ...notThere,
      },
      handle({ params: { id } }) {
        const goal = knownGoal(deps, id);
        return value({ goal, links: goalLinks(deps.views, id), pinned: isPinned(deps.views, id) });
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/watch/goals/{id}/start',
      summary: 'Starts an agent run for the goal, and links it.',
      params: zGoalId,
      body: z.object({ task: z.string().nullish() }).optional(),
      responses: {
        201: { description: 'The run is queued.', schema: zStarted },
        400: { description: 'A task that is no text.', schema: zError },
        ...notThere,
      },
      handle: ({ params, body, dispatch }) => startGoal(deps, dispatch, { id: params.id, task: body?.task }),
    }),
  ];
}

function summary(deps: Dependencies, { id, title, status, workspace, updated_at }: GoalRow) {
  return { id, title, status, workspace_label: labelOf(workspace), updated_at, pinned: isPinned(deps.views, id) };
}

/** The last part of the path, whichever way its slashes lean. */
function labelOf(workspace: string | null): string {
  if (workspace === null) return 'global';
  return (
    workspace
      .split(/[/\\]/)
      .filter((part) => part !== '')
      .at(-1) ?? workspace
  );
}
