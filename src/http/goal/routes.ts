/** Goals: created, listed, revised, deleted, linked, walked as a tree; the longer routes are in files beside. */
import { z } from 'zod';
import { type GoalState, goal } from '../../commands/goal/decide.ts';
import { GOALS_TURN, goalsTogether, titleTurn } from '../../commands/goal/policy.ts';
import type { Config } from '../../config.ts';
import { type GoalChanges, zGoalLinkKind, zGoalStatus } from '../../events/goal.ts';
import type { Clock } from '../../ports/clock.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import type { ModelsPort } from '../../ports/models.ts';
import type { PluginFiles } from '../../ports/plugins.ts';
import type { ToolsPort } from '../../ports/tools.ts';
import { childGoals, goalLinks, goalsJson, timeOf } from '../../projections/goal.ts';
import type { Views } from '../../projections/views.ts';
import { familyIn, goalTree, TREE_DEPTH_DEFAULT, TREE_DEPTH_MAX, zGoalNode } from '../../queries/goal/tree.ts';
import { tooManyRuns } from '../run/schemas.ts';
import { type Answer, json, value } from '../server/answer.ts';
import { zError } from '../server/errors.ts';
import { type RouteSpec, route } from '../server/route.ts';
import { currentGoalRoutes } from './current.ts';
import { goalPlanRoute } from './plan.ts';
import { goalRecapRoute } from './recap.ts';
import { knownGoal, notThere, recordOf, zGoal, zGoalId, zGoalLink, zStarted, zWorkspace } from './schemas.ts';
import { startGoal, zStart } from './start.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly config: Config;
  readonly version: string;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  random(): number;
  readonly views: Views;
  readonly models: ModelsPort;
  readonly tools: ToolsPort;
  readonly plugins: PluginFiles;
}

const LIST_DEFAULT = 50;
/** Also what a limit of 0, "all", means. */
const LIST_MAX = 10_000;

const zGoals = z.object({ goals: z.array(zGoal), count: z.int() });

const zParent = z
  .string()
  .regex(/^[0-9a-f]{32}$/, 'names no goal: an id has 32 hex digits')
  .nullable();

const zCreate = z.object({
  title: z.string(),
  statement: z.string().default(''),
  workspace: zWorkspace.default(null),
  success_criteria: z.array(z.string()).default([]),
  tags: z.array(z.string()).default([]),
  parent_goal_id: zParent.default(null),
});

/** What is left out stays as it is; null empties a workspace or a parent and is refused elsewhere. */
const zRevise = z.object({
  title: z.string().optional(),
  statement: z.string().optional(),
  status: zGoalStatus.optional(),
  success_criteria: z.array(z.string()).optional(),
  tags: z.array(z.string()).optional(),
  workspace: zWorkspace.optional(),
  parent_goal_id: zParent.optional(),
});

const zListQuery = z.object({
  status: zGoalStatus.optional(),
  workspace: zWorkspace.optional(),
  tag: z.string().optional(),
  q: z.string().optional(),
  limit: z.string().regex(/^\d+$/, 'must be a whole number from 0 (all)').transform(Number).optional(),
});

const zDepth = z.object({
  depth: z
    .string()
    .regex(/^-?\d+$/, `must be a whole number; it is clamped to 1..${TREE_DEPTH_MAX}`)
    .transform((depth) => Math.min(Math.max(Number(depth), 1), TREE_DEPTH_MAX))
    .default(TREE_DEPTH_DEFAULT),
});

const invalid = { 400: { description: 'A field that is missing or not allowed; the error names it.', schema: zError } };
const conflict = { 409: { description: 'The workspace has a goal with this title.', schema: zError } };

export function goalRoutes(deps: Dependencies): readonly RouteSpec[] {
  // The fixed path goes before the one with an id, so that a wrong method on it is told its own methods.
  return [
    ...currentGoalRoutes(deps),
    ...collection(deps),
    ...single(deps),
    ...work(deps),
    ...family(deps),
    goalPlanRoute(deps),
    goalRecapRoute(deps),
  ];
}

function collection(deps: Dependencies): readonly RouteSpec[] {
  const common = { path: '/v1/goals', tag: 'goals', auth: 'bearer' } as const;
  return [
    route({
      ...common,
      method: 'POST',
      summary: 'Creates a goal. A title is there once in a workspace, and once among the goals of no workspace.',
      body: zCreate,
      responses: { 201: { description: 'The goal.', schema: zGoal }, ...invalid, ...conflict },
      async handle({ body: fields, dispatch }) {
        const id = deps.ids.hex(16);
        const answer = (state: GoalState): Answer => value(recordOf(id, state), 201);
        const command = { type: 'CreateGoal', fields } as const;
        const turn = titleTurn(fields);
        const { state } = await dispatch(goal, id, command, { answer, together: goalsTogether, turn });
        return answer(state);
      },
    }),
    route({
      ...common,
      method: 'GET',
      summary: 'Goals, last changed first; `limit` counts after the filters, 0 is all.',
      query: zListQuery,
      responses: { 200: { description: 'The goals and how many they are.', schema: zGoals }, ...invalid },
      handle({ query: { status, workspace, tag, q = '', limit = LIST_DEFAULT } }) {
        const words = q.trim() === '' ? undefined : q;
        const most = limit === 0 ? LIST_MAX : Math.min(limit, LIST_MAX);
        const texts = goalsJson(deps.views, { status, workspace, tag, words, limit: most });
        return json(`{"goals":[${texts.join(',')}],"count":${texts.length}}`);
      },
    }),
  ];
}

function single(deps: Dependencies): readonly RouteSpec[] {
  const common = { path: '/v1/goals/{id}', tag: 'goals', auth: 'bearer', params: zGoalId } as const;
  return [
    route({
      ...common,
      method: 'GET',
      summary: 'One goal and its links, newest link first.',
      responses: {
        200: { description: 'The goal.', schema: z.object({ goal: zGoal, links: z.array(zGoalLink) }) },
        ...notThere,
      },
      handle: ({ params }) => value({ goal: knownGoal(deps, params.id), links: goalLinks(deps.views, params.id) }),
    }),
    route({
      ...common,
      method: 'PATCH',
      summary: 'Changes what is named. The plan falls when the statement or the criteria really become different.',
      body: zRevise,
      responses: {
        200: { description: 'The goal as it is now.', schema: zGoal },
        ...invalid,
        ...notThere,
        ...conflict,
      },
      async handle({ params: { id }, body, dispatch }) {
        knownGoal(deps, id);
        const command = { type: 'ReviseGoal', changes: body as GoalChanges } as const;
        const { state } = await dispatch(goal, id, command, { together: goalsTogether, turn: GOALS_TURN });
        return value(recordOf(id, state));
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      summary: 'Deletes a goal for good, with its links and pins. Its children keep its id.',
      responses: { 204: { description: 'It is gone.' }, ...notThere },
      async handle({ params: { id }, dispatch }) {
        knownGoal(deps, id);
        await dispatch(goal, id, { type: 'DeleteGoal' }, { together: goalsTogether, turn: GOALS_TURN });
        return { kind: 'empty', status: 204 };
      },
    }),
  ];
}

function work(deps: Dependencies): readonly RouteSpec[] {
  const common = { method: 'POST', tag: 'goals', auth: 'bearer', params: zGoalId } as const;
  return [
    route({
      ...common,
      path: '/v1/goals/{id}/link',
      summary: 'Links a session, a job, a recap or a note.',
      body: z.object({ kind: zGoalLinkKind, target_id: z.string(), note: z.string().nullish() }),
      responses: { 201: { description: 'The link.', schema: zGoalLink }, ...invalid, ...notThere },
      async handle({ params: { id }, body: { kind, target_id, note = null }, dispatch }) {
        knownGoal(deps, id);
        const link = { id: deps.ids.hex(16), goal_id: id, kind, target_id, note };
        const answer = (state: GoalState): Answer => value({ ...link, linked_at: timeOf(state.newest_link_ms) }, 201);
        const command = { type: 'LinkGoal', link_id: link.id, kind, target_id, note } as const;
        const { state } = await dispatch(goal, id, command, { answer, turn: GOALS_TURN });
        return answer(state);
      },
    }),
    route({
      ...common,
      path: '/v1/goals/{id}/start',
      summary: 'Starts an agent run for the goal, in its workspace, and links it.',
      body: zStart,
      responses: {
        201: { description: 'The run is queued.', schema: zStarted },
        ...invalid,
        ...notThere,
        ...tooManyRuns,
      },
      handle: ({ params, body, dispatch }) =>
        startGoal(deps, dispatch, { id: params.id, task: body?.task, provider: body?.provider, model: body?.model }),
    }),
  ];
}

function family(deps: Dependencies): readonly RouteSpec[] {
  const common = { method: 'GET', tag: 'goals', auth: 'bearer', params: zGoalId } as const;
  return [
    route({
      ...common,
      path: '/v1/goals/{id}/children',
      summary: 'The goals right below one, last changed first.',
      responses: {
        200: {
          description: 'One level.',
          schema: z.object({ parent_goal_id: z.string(), children: z.array(zGoal), count: z.int() }),
        },
        ...notThere,
      },
      handle({ params: { id } }) {
        knownGoal(deps, id);
        const children = childGoals(deps.views, id);
        return value({ parent_goal_id: id, children, count: children.length });
      },
    }),
    route({
      ...common,
      path: '/v1/goals/{id}/tree',
      summary: `The tree below a goal; \`depth\` counts levels from the goal itself, 1 to ${TREE_DEPTH_MAX}.`,
      query: zDepth,
      responses: {
        200: {
          description: 'The tree.',
          schema: z.object({ root: z.string(), depth: z.int(), tree: zGoalNode }),
        },
        ...invalid,
        ...notThere,
      },
      handle({ params: { id }, query: { depth } }) {
        return value({ root: id, depth, tree: goalTree(familyIn(deps.views), knownGoal(deps, id), depth) });
      },
    }),
  ];
}
