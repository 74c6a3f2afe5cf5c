/**
 * Goals of a person over many sessions. Appended by the goal routes, and by the start of a run, which links the run to
 * its goal.
 *
 * - `goal-<id>` holds one goal. `goal_title-<hash>` records the goal that holds a title in a workspace; it is appended
 *   in the same commit as the goal's own event, so a title has one goal. `goal_pins-all` records the pinned goal of
 *   each slot.
 * - A workspace is null for the global slot, never blank.
 */
import { z } from 'zod';
import { define, type EventIn, zChangesOf } from './define.ts';

export const GOAL_STATUSES = ['active', 'paused', 'done', 'abandoned'] as const;
export const zGoalStatus = z.enum(GOAL_STATUSES);
export type GoalStatus = z.infer<typeof zGoalStatus>;

export const GOAL_LINK_KINDS = ['session', 'job', 'recap', 'note'] as const;
export const zGoalLinkKind = z.enum(GOAL_LINK_KINDS);
export type GoalLinkKind = z.infer<typeof zGoalLinkKind>;

/** The plan of a run has the same statuses. Both formats are stored, and change independently. */
const zPlanStatus = z.enum(['pending', 'in_progress', 'done', 'failed', 'skipped']);

export const zGoalPlan = z.object({
  goal: z.string().describe('The goal as the model understood it.'),
  steps: z
    .array(
      z.object({
        id: z.int().describe('From 1.'),
        description: z.string().describe('What is to be done.'),
        tool: z.string().describe('The tool that the step needs; may be empty.'),
        estimated_path: z.string().nullable().describe('File or folder that it probably touches; null when unknown.'),
        status: zPlanStatus.describe('How far the step is.'),
      }),
    )
    .describe('Steps in order.'),
  estimated_files: z.array(z.string()).describe('Files that the plan probably touches.'),
  risks: z.array(z.string()).describe('What may go wrong.'),
});
z.globalRegistry.add(zGoalPlan, { id: 'GoalPlan' });
export type GoalPlan = z.infer<typeof zGoalPlan>;

const zWorkspace = z.string().nullable().describe('Folder that it belongs to; null: the global slot.');

const zFields = z.object({
  workspace: zWorkspace,
  title: z.string(),
  statement: z.string().describe('What should be true in the end; may be empty.'),
  success_criteria: z.array(z.string()),
  tags: z.array(z.string()),
  parent_goal_id: z.string().nullable(),
});
export type GoalFields = Readonly<z.infer<typeof zFields>>;

/** The fields that differ, with their new values. */
export const zGoalChanges = zChangesOf(zFields.extend({ status: zGoalStatus }));
export type GoalChanges = Readonly<z.infer<typeof zGoalChanges>>;

export const goalEvents = {
  GoalCreated: define('GoalCreated', zFields),
  /** A revision without changes still moves `updated_at`. */
  GoalRevised: define('GoalRevised', z.object({ changes: zGoalChanges, plan_cleared: z.boolean() })),
  GoalPlanned: define('GoalPlanned', z.object({ plan: zGoalPlan, provider: z.string(), model: z.string() })),
  GoalLinked: define(
    'GoalLinked',
    z.object({ link_id: z.string(), kind: zGoalLinkKind, target_id: z.string(), note: z.string().nullable() }),
  ),
  /** Its links and pins end with it; its children keep its id. */
  GoalDeleted: define('GoalDeleted', z.object({})),
} as const;
export type GoalEvent = EventIn<typeof goalEvents>;

export const goalTitleEvents = {
  GoalTitleClaimed: define('GoalTitleClaimed', z.object({ goal_id: z.string() })),
  GoalTitleReleased: define('GoalTitleReleased', z.object({ goal_id: z.string() })),
} as const;
export type GoalTitleEvent = EventIn<typeof goalTitleEvents>;

export const goalPinEvents = {
  GoalPinned: define('GoalPinned', z.object({ workspace: zWorkspace, goal_id: z.string() })),
  GoalUnpinned: define('GoalUnpinned', z.object({ workspace: zWorkspace, goal_id: z.string() })),
} as const;
export type GoalPinEvent = EventIn<typeof goalPinEvents>;

/** A goal as its readers get it. */
export const zGoal = z.object({
  id: z.string().describe('Id of the goal.'),
  ...zFields.pick({ workspace: true, title: true, statement: true }).shape,
  status: zGoalStatus.describe('`active`, set aside, reached or given up.'),
  ...zFields.pick({ success_criteria: true, tags: true }).shape,
  created_at: z.string(),
  updated_at: z.string(),
  parent_goal_id: zFields.shape.parent_goal_id,
  current_plan: zGoalPlan.nullable().describe('The newest plan; null before the first one and after the goal changed.'),
  schema_version: z.int().describe('Version of this shape.'),
});
z.globalRegistry.add(zGoal, { id: 'Goal' });
export type Goal = Readonly<z.infer<typeof zGoal>>;

export const zGoalLink = z.object({
  id: z.string().describe('Id of the link.'),
  goal_id: z.string(),
  kind: zGoalLinkKind.describe('What `target_id` names; `session` and `job` are runs.'),
  target_id: z.string(),
  linked_at: z.string(),
  note: z.string().nullable().describe('Free text; null without one.'),
});
z.globalRegistry.add(zGoalLink, { id: 'GoalLink' });
export type GoalLink = Readonly<z.infer<typeof zGoalLink>>;
