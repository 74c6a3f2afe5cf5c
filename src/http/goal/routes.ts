/** Goals: create, list, read, revise, delete and link. */
import { z } from 'zod';
import { goal as decider, LINKS_MAX } from '../../commands/goal/decide.ts';
import { GOALS_LOCK_KEY, goalPolicy, titleLockKey } from '../../commands/goal/policy.ts';
import { zGoal, zGoalLink, zGoalLinkKind, zGoalStatus } from '../../events/goal.ts';
import { numberText } from '../../lib/number-text.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import { goalLink, goalLinks, goals, goalsJson } from '../../projections/goal.ts';
import type { Views } from '../../projections/views.ts';
import { requireGoal } from '../../queries/goal/lookup.ts';
import { type AsOfSources, answerAt, asOfField, invalidAt, zAt } from '../server/as-of.ts';
import { jsonArray } from '../server/json-array.ts';
import { type Answer, ok, type RouteSpec, routesOf, value } from '../server/route.ts';
import { currentGoalRoutes } from './current.ts';
import { hierarchyRoutes } from './hierarchy.ts';
import { goalPlanRoute } from './plan.ts';
import { goalRecapRoute } from './recap.ts';
import { allGoals, invalid, notThere, zGoalId, zWorkspace } from './schemas.ts';
import { goalStartRoute } from './start.ts';

const { get, post, patch, del } = routesOf({ tag: 'goals' });

export interface Dependencies extends AsOfSources {
  readonly ids: IdGenerator;
}

/** The modules with the routes of goals. */
export const goalRoutes = [
  currentGoalRoutes,
  collectionRoutes,
  singleRoutes,
  linkRoute,
  goalStartRoute,
  hierarchyRoutes,
  goalPlanRoute,
  goalRecapRoute,
] as const;

const LIST_DEFAULT = 50;
/** Also the limit of `limit=0`, which means "all". */
const LIST_MAX = 10_000;

const zGoals = z.object({
  goals: z.array(zGoal).describe('Goals, the newest change first.'),
  count: z.int().describe('Goals in the list.'),
  ...asOfField,
});

const zParent = z
  .string()
  .regex(/^[0-9a-f]{32}$/, 'names no goal: an id has 32 hex digits')
  .nullable();

const zCreate = z.object({
  title: z.string(),
  statement: z.string().default('').describe('The state that the goal is to reach.'),
  workspace: zWorkspace.default(null),
  success_criteria: z.array(z.string()).default([]),
  tags: z.array(z.string()).default([]),
  parent_goal_id: zParent.default(null),
});
z.globalRegistry.add(zCreate, {
  examples: [
    { title: 'Accept empty lines', statement: 'The parser accepts every file of the corpus.', tags: ['parser'] },
  ],
});

/** An absent field stays as it is. null clears a workspace or a parent and is invalid for other fields. */
const zRevise = z.object({
  title: z.string().exactOptional(),
  statement: z.string().exactOptional().describe('The state that the goal is to reach.'),
  status: zGoal.shape.status.exactOptional(),
  success_criteria: z.array(z.string()).exactOptional(),
  tags: z.array(z.string()).exactOptional(),
  workspace: zWorkspace.exactOptional(),
  parent_goal_id: zParent.exactOptional(),
});
z.globalRegistry.add(zRevise, { examples: [{ status: 'done' }] });

/** Any digits: a number beyond the exact integers of JavaScript also means "all". */
const zLimit = z
  .number('must be a whole number from 0 (all)')
  .meta({ type: 'integer', minimum: 0, description: `How many at most; 0 is all, up to ${LIST_MAX}.` });

const zListQuery = z.object({
  status: zGoalStatus.optional().describe('Only goals with this status.'),
  workspace: zWorkspace.optional().describe('Only goals of this folder; blank: those of the global slot.'),
  tag: z.string().optional(),
  q: z.string().optional().describe('A part of the title or of the statement, in any case.'),
  at: zAt,
  limit: numberText(/^\d+$/, zLimit).optional(),
});

const conflict = { 409: 'The workspace has a goal with this title.' };

function collectionRoutes({ ids, ...sources }: Dependencies): readonly RouteSpec[] {
  const { views } = sources;
  return [
    post('/v1/goals', {
      operation: 'create',
      dispatchOnly: true,
      summary: 'Creates a goal. Titles are unique in a workspace, and among the goals without a workspace.',
      body: zCreate,
      responses: { 201: { description: 'The goal.', schema: zGoal }, ...invalid, ...conflict },
      async handle({ body: fields, answerAfter }) {
        const id = ids.hex(16);
        const answer = (): Answer => value(requireGoal(views, id), 201);
        const options = { answer, policy: goalPolicy, lockKey: titleLockKey(fields) };
        return answerAfter(decider, id, { type: 'CreateGoal', fields }, options);
      },
    }),
    get('/v1/goals', {
      operation: 'list',
      isLong: true,
      summary: 'Goals, last changed first; `limit` counts after the filters, 0 is all. `at` answers as it was then.',
      query: zListQuery,
      responses: ok('The goals and their number.', zGoals, invalid),
      handle({ query: { status, workspace, tag, q = '', limit = LIST_DEFAULT, at }, request }) {
        const words = q.trim() === '' ? undefined : q;
        const most = limit === 0 ? LIST_MAX : Math.min(limit, LIST_MAX);
        const texts = (then: Views) => goalsJson(then, { status, workspace, tag, words, limit: most });
        if (at === undefined) {
          const goals = texts(views);
          return jsonArray(goals, { before: '{"goals":', after: `,"count":${goals.length}}` });
        }
        const read = (then: Views): object => {
          const goals = texts(then);
          return { goals: goals.map((text): unknown => JSON.parse(text)), count: goals.length };
        };
        return answerAt(sources, { at, request }, { ...allGoals, read });
      },
    }),
  ];
}

function singleRoutes(deps: Dependencies): readonly RouteSpec[] {
  const { views } = deps;
  return [
    get('/v1/goals/{id}', {
      params: zGoalId,
      operation: 'get',
      summary: 'One goal and its links, newest link first; `at` answers as it was then.',
      query: z.object({ at: zAt }),
      responses: ok(
        'The goal.',
        {
          goal: zGoal.describe('The goal.'),
          links: z.array(zGoalLink).describe('The links of the goal, newest first.'),
          ...asOfField,
        },
        { ...invalidAt, ...notThere },
      ),
      handle({ params: { id }, query: { at }, request }) {
        const read = (then: Views): object => ({ goal: requireGoal(then, id), links: goalLinks(then, id) });
        return answerAt(deps, { at, request }, { projection: goals, stream: `goal-${id}`, read });
      },
    }),
    patch('/v1/goals/{id}', {
      params: zGoalId,
      operation: 'update',
      dispatchOnly: true,
      summary: 'Changes the given fields. A different statement or different criteria discard the plan.',
      body: zRevise,
      responses: ok('The goal as it is now.', zGoal, { ...invalid, ...notThere, ...conflict }),
      async handle({ params: { id }, body: changes, answerAfter }) {
        const answer = (): Answer => value(requireGoal(views, id));
        const command = { type: 'ReviseGoal', changes } as const;
        return answerAfter(decider, id, command, { answer, policy: goalPolicy, lockKey: GOALS_LOCK_KEY });
      },
    }),
    deleteRoute(),
  ];
}

function deleteRoute(): RouteSpec {
  return del('/v1/goals/{id}', {
    params: zGoalId,
    operation: 'delete',
    dispatchOnly: true,
    summary: 'Deletes a goal permanently, with its links and pins. Its children keep its id as that of their parent.',
    responses: { 204: { description: 'The goal is deleted.' }, ...notThere },
    async handle({ params: { id }, answerAfter }) {
      const answer = (): Answer => ({ kind: 'empty', status: 204 });
      const options = { answer, policy: goalPolicy, lockKey: GOALS_LOCK_KEY };
      return answerAfter(decider, id, { type: 'DeleteGoal' }, options);
    },
  });
}

function linkRoute({ ids, views }: Dependencies): RouteSpec {
  return post('/v1/goals/{id}/link', {
    operation: 'link',
    dispatchOnly: true,
    summary: 'Links a session, a job, a recap or a note.',
    params: zGoalId,
    body: z.object({
      kind: zGoalLinkKind.describe('The kind of thing that `target_id` names; `session` and `job` are runs.'),
      target_id: z.string(),
      note: z.string().nullish().describe('Free text; absent: none.'),
    }),
    responses: {
      201: { description: 'The link.', schema: zGoalLink },
      ...invalid,
      ...notThere,
      409: `The goal has ${LINKS_MAX} links, the most it may have.`,
    },
    async handle({ params: { id }, body: { note = null, ...link }, answerAfter }) {
      const link_id = ids.hex(16);
      const answer = (): Answer => value(goalLink(views, id, link_id), 201);
      const command = { type: 'LinkGoal', link_id, ...link, note } as const;
      return answerAfter(decider, id, command, { answer, lockKey: GOALS_LOCK_KEY });
    },
  });
}
