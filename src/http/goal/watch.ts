/** Goals for a small screen: the active ones, one goal, and starting work on it. */
import { z } from 'zod';
import { type Goal, zGoal, zGoalLink } from '../../events/goal.ts';
import { goalLinks, goalsJson, isPinned } from '../../projections/goal.ts';
import type { Views } from '../../projections/views.ts';
import { requireGoal } from '../../queries/goal/lookup.ts';
import { ok, type RouteSpec, routesOf, value } from '../server/route.ts';
import { notThere, zGoalId } from './schemas.ts';
import { watchStartRoute } from './start.ts';

const { get } = routesOf({ tag: 'watch' });

const WATCH_GOALS_MAX = 25;

const zSummary = zGoal.pick({ id: true, title: true, status: true }).extend({
  workspace_label: z.string().describe("Last part of the workspace's path."),
  updated_at: z.string(),
  pinned: z.boolean().describe('Whether it is the pinned goal of its slot.'),
});

/** The modules with the routes for a small screen. */
export const watchRoutes = [readRoutes, watchStartRoute] as const;

function readRoutes({ views }: { readonly views: Views }): readonly RouteSpec[] {
  return [
    get('/watch/goals', {
      operation: 'listGoals',
      summary: `The active goals, last changed first, at most ${WATCH_GOALS_MAX}.`,
      responses: ok('The goals.', { goals: z.array(zSummary).describe('The active goals, the newest change first.') }),
      handle() {
        const texts = goalsJson(views, { status: 'active', limit: WATCH_GOALS_MAX });
        return value({ goals: texts.map((text) => summaryOf(views, JSON.parse(text) as Goal)) });
      },
    }),
    get('/watch/goals/{id}', {
      operation: 'getGoal',
      summary: 'One goal, its links, and whether it is pinned.',
      params: zGoalId,
      responses: ok(
        'The goal.',
        {
          goal: zGoal.describe('The goal.'),
          links: z.array(zGoalLink).describe('The links of the goal, newest first.'),
          pinned: z.boolean().describe('Whether it is the pinned goal of its slot.'),
        },
        notThere,
      ),
      handle: ({ params: { id } }) =>
        value({ goal: requireGoal(views, id), links: goalLinks(views, id), pinned: isPinned(views, id) }),
    }),
  ];
}

function summaryOf(views: Views, { id, title, status, workspace, updated_at }: Goal): z.infer<typeof zSummary> {
  return { id, title, status, workspace_label: labelOf(workspace), updated_at, pinned: isPinned(views, id) };
}

/** The last part of a path with slashes or backslashes. */
function labelOf(workspace: string | null): string {
  if (workspace === null) return 'global';
  return workspace.split(/[/\\]/).findLast((part) => part !== '') ?? workspace;
}
