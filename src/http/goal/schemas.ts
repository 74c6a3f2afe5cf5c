/** What goals look like on the wire, and the words of their errors. */
import { z } from 'zod';
import { GOAL_NOT_FOUND, type GoalState } from '../../commands/goal/decide.ts';
import { zGoalLinkKind, zGoalPlan, zGoalStatus } from '../../events/goal.ts';
import { type GoalRow, goalRow, timeOf } from '../../projections/goal.ts';
import type { Views } from '../../projections/views.ts';
import { HttpError, zError } from '../server/errors.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly views: Views;
}

export const zGoal = z.object({
  id: z.string(),
  workspace: z.string().nullable(),
  title: z.string(),
  statement: z.string(),
  status: zGoalStatus,
  success_criteria: z.array(z.string()),
  tags: z.array(z.string()),
  created_at: z.string(),
  updated_at: z.string(),
  parent_goal_id: z.string().nullable(),
  current_plan: zGoalPlan.nullable(),
  schema_version: z.int(),
});

export const zGoalLink = z.object({
  id: z.string(),
  goal_id: z.string(),
  kind: zGoalLinkKind,
  target_id: z.string(),
  linked_at: z.string(),
  note: z.string().nullable(),
});

export const zStarted = z.object({ session_id: z.string(), link_id: z.string(), goal_id: z.string() });

export const zGoalId = z.object({ id: z.string() });

/** Blank is no workspace: the global slot. */
export const zWorkspace = z
  .string()
  .nullable()
  .transform((workspace) => (workspace === null || workspace.trim() === '' ? null : workspace));

/** `workspace` of a query: blank or absent is the global slot. */
export const zSlotQuery = z.object({ workspace: zWorkspace.optional().transform((workspace) => workspace ?? null) });

export const notThere = { 404: { description: 'Unknown goal.', schema: zError } };

/** The text is fixed: the id that was asked for is not echoed. */
export function goalNotFound(): HttpError {
  return new HttpError(404, GOAL_NOT_FOUND);
}

export function knownGoal(deps: Dependencies, id: string): GoalRow {
  const row = goalRow(deps.views, id);
  if (row === undefined) throw goalNotFound();
  return row;
}

/** The record of a state, for an answer that is in the same commit as its events. */
export function recordOf(id: string, state: GoalState): GoalRow {
  const { workspace, title, statement, status, success_criteria, tags, parent_goal_id, plan } = state;
  return {
    id,
    workspace,
    title,
    statement,
    status,
    success_criteria,
    tags,
    created_at: timeOf(state.created_ms),
    updated_at: timeOf(state.updated_ms),
    parent_goal_id,
    current_plan: plan,
    schema_version: 1,
  };
}
