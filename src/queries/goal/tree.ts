/**
 * The tree below a goal, to a depth.
 *
 * - Depth counts levels; the root is the first. A node at the last level has no `children`, but `truncated` and the
 *   number of its children.
 * - A goal that was already visited appears again with `cycle` and without its children.
 * - With TREE_NODES_MAX goals the tree is full: further nodes are truncated as if they were at the last level.
 */
import { z } from 'zod';
import { type Goal, zGoal } from '../../events/goal.ts';
import { childCount, childGoals } from '../../projections/goal.ts';
import type { Views } from '../../projections/views.ts';
import { requireGoal } from './lookup.ts';

export const zGoalNode = z.object({
  goal: zGoal.describe('The goal of the node.'),
  get children() {
    return z.array(zGoalNode).describe('Nodes of its children, the newest change first.');
  },
  truncated: z.literal(true).optional().describe('Present when its children are not shown, as the tree ends here.'),
  direct_child_count: z.int().optional().describe('How many children are not shown.'),
  cycle: z.literal(true).optional().describe('Present when the goal stands above itself.'),
});
z.globalRegistry.add(zGoalNode, { id: 'GoalNode' });

export type GoalNode = Readonly<z.infer<typeof zGoalNode>>;

export const TREE_DEPTH_DEFAULT = 3;
export const TREE_DEPTH_MAX = 10;
export const TREE_NODES_MAX = 5_000;

/** The part of the views that the walk reads. */
export interface GoalChildren {
  children(id: string): readonly Goal[];
  childCount(id: string): number;
}

/** Throws `Refused` (not found). */
export function goalTree(views: Views, id: string, depth: number): GoalNode {
  const children = {
    children: (of: string) => childGoals(views, of),
    childCount: (of: string) => childCount(views, of),
  };
  return walkTree(children, requireGoal(views, id), depth);
}

export function walkTree(source: GoalChildren, root: Goal, depth: number): GoalNode {
  const visited = new Set<string>();
  const visit = (goal: Goal, levels: number): GoalNode => {
    if (visited.has(goal.id)) return { goal, children: [], cycle: true };
    visited.add(goal.id);
    if (levels > 1 && visited.size < TREE_NODES_MAX) {
      return { goal, children: source.children(goal.id).map((child) => visit(child, levels - 1)) };
    }
    const count = source.childCount(goal.id);
    return count === 0 ? { goal, children: [] } : { goal, children: [], truncated: true, direct_child_count: count };
  };
  return visit(root, depth);
}
