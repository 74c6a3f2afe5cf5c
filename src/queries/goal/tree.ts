/**
 * The tree below a goal, to a depth.
 *
 * - Depth counts levels, the root is the first. What is cut off says `truncated` and how many children it has.
 * - A goal that was met before is shown once more, as `cycle`, and not entered.
 * - At most TREE_NODES_MAX goals: past that a node is cut off as if it stood at the last level.
 */
import { z } from 'zod';
import { zGoal } from '../../http/goal/schemas.ts';
import { childCount, childGoals, type GoalRow } from '../../projections/goal.ts';
import type { Views } from '../../projections/views.ts';

export interface GoalNode {
  readonly goal: GoalRow;
  readonly children: readonly GoalNode[];
  readonly truncated?: true;
  readonly direct_child_count?: number;
  readonly cycle?: true;
}

export const zGoalNode = z.object({
  goal: zGoal,
  get children() {
    return z.array(zGoalNode);
  },
  truncated: z.literal(true).optional(),
  direct_child_count: z.int().optional(),
  cycle: z.literal(true).optional(),
});

export const TREE_DEPTH_DEFAULT = 3;
export const TREE_DEPTH_MAX = 10;
export const TREE_NODES_MAX = 5_000;

/** What the walk asks about goals. */
export interface Family {
  children(id: string): readonly GoalRow[];
  childCount(id: string): number;
}

export function familyIn(views: Views): Family {
  return { children: (id) => childGoals(views, id), childCount: (id) => childCount(views, id) };
}

export function goalTree(family: Family, root: GoalRow, depth: number): GoalNode {
  const visited = new Set<string>();
  const visit = (goal: GoalRow, levels: number): GoalNode => {
    if (visited.has(goal.id)) return { goal, children: [], cycle: true };
    visited.add(goal.id);
    if (levels > 1 && visited.size < TREE_NODES_MAX) {
      return { goal, children: family.children(goal.id).map((child) => visit(child, levels - 1)) };
    }
    const count = family.childCount(goal.id);
    return count === 0 ? { goal, children: [] } : { goal, children: [], truncated: true, direct_child_count: count };
  };
  return visit(root, depth);
}
