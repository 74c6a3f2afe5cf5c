/** The goals below a goal: its children, and the whole tree. */
import { z } from 'zod';
import { zGoal } from '../../events/goal.ts';
import { numberText } from '../../lib/number-text.ts';
import { childGoals } from '../../projections/goal.ts';
import type { Views } from '../../projections/views.ts';
import { requireGoal } from '../../queries/goal/lookup.ts';
import { goalTree, TREE_DEPTH_DEFAULT, TREE_DEPTH_MAX, zGoalNode } from '../../queries/goal/tree.ts';
import { type AsOfSources, answerAt, asOfField, invalidAt, zAt } from '../server/as-of.ts';
import { ok, type RouteSpec, routesOf } from '../server/route.ts';
import { allGoals, invalid, notThere, zGoalId } from './schemas.ts';

const { get } = routesOf({ tag: 'goals' });

const zDepth = z
  .number(`must be a whole number; it is clamped to 1..${TREE_DEPTH_MAX}`)
  .meta({ type: 'integer', description: `Levels from the goal itself, clamped to 1..${TREE_DEPTH_MAX}.` });

const zTreeQuery = z.object({
  at: zAt,
  depth: numberText(/^-?\d+$/, zDepth)
    .transform((depth) => Math.min(Math.max(depth, 1), TREE_DEPTH_MAX))
    .default(TREE_DEPTH_DEFAULT),
});

export function hierarchyRoutes(deps: AsOfSources): readonly RouteSpec[] {
  return [
    get('/v1/goals/{id}/children', {
      params: zGoalId,
      operation: 'children',
      summary: 'The direct children of a goal, last changed first; `at` answers as it was then.',
      query: z.object({ at: zAt }),
      responses: ok(
        'The children.',
        {
          parent_goal_id: z.string(),
          children: z.array(zGoal).describe('Goals whose parent it is.'),
          count: z.int().describe('Goals in the list.'),
          ...asOfField,
        },
        { ...invalidAt, ...notThere },
      ),
      handle({ params: { id }, query: { at }, request }) {
        const read = (then: Views): object => {
          requireGoal(then, id);
          const children = childGoals(then, id);
          return { parent_goal_id: id, children, count: children.length };
        };
        return answerAt(deps, { at, request }, { ...allGoals, read });
      },
    }),
    get('/v1/goals/{id}/tree', {
      params: zGoalId,
      operation: 'tree',
      summary:
        `The tree below a goal; \`depth\` counts levels from the goal itself, 1 to ${TREE_DEPTH_MAX}. ` +
        '`at` answers as it was then.',
      query: zTreeQuery,
      responses: ok(
        'The tree.',
        {
          root: z.string().describe('Id of the goal.'),
          depth: z.int().describe('Levels of the tree, the goal itself being the first.'),
          tree: zGoalNode,
          ...asOfField,
        },
        { ...invalid, ...notThere },
      ),
      handle({ params: { id }, query: { depth, at }, request }) {
        const read = (then: Views): object => ({ root: id, depth, tree: goalTree(then, id, depth) });
        return answerAt(deps, { at, request }, { ...allGoals, read });
      },
    }),
  ];
}
