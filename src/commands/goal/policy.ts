/**
 * The rules between goals, decided in the same commit as the change of one goal.
 *
 * - One goal holds a title in a workspace, in any status; deleting and renaming release the title. A title whose holder
 *   does not have it is free: the event that created or renamed that goal was erased.
 * - A new parent must exist, and parents never form a loop.
 * - Deleting a goal unpins it in every slot.
 */
import type { Policy, UnitOfWork } from '../decider.ts';
import { Refusal } from '../refusal.ts';
import { type GoalState, goal } from './decide.ts';
import { goalPins, PINS_STREAM_ID } from './pins.ts';
import { goalTitle, titleKey } from './title.ts';

/** The lock key of commands on existing goals, because their rules read several goals. */
export const GOALS_LOCK_KEY = 'goals';

/** The lock key of a new goal: only claims of the same title exclude each other, so that others can share a commit. */
export function titleLockKey(fields: Parameters<typeof titleKey>[0]): string {
  return `goals ${titleKey(fields)}`;
}

/** Limit of a chain of parents. */
export const ANCESTORS_MAX = 1_000;
const LOOP_SHOWN_MAX = 12;

export const goalPolicy: Policy<GoalState> = (unit, { id, before, after }) => {
  const isAlive = after.life === 'alive';
  if (isAlive && after.parent_goal_id !== before.parent_goal_id) {
    const fault = parentFault(unit, { id, parent: after.parent_goal_id });
    if (fault !== undefined) return fault;
  }
  const oldTitle = before.life === 'alive' ? titleKey(before) : null;
  const newTitle = isAlive ? titleKey(after) : null;
  if (oldTitle !== newTitle) {
    if (newTitle !== null) {
      releaseLost(unit, newTitle);
      unit.send(goalTitle, newTitle, { type: 'ClaimTitle', goal_id: id });
    }
    if (oldTitle !== null) unit.send(goalTitle, oldTitle, { type: 'ReleaseTitle', goal_id: id });
  }
  if (after.life === 'deleted') unit.send(goalPins, PINS_STREAM_ID, { type: 'UnpinGoal', goal_id: id });
  return undefined;
};

/** Releases a title whose holder does not have it. */
function releaseLost(unit: UnitOfWork, title: string): void {
  const { goal_id } = unit.read(goalTitle, title);
  if (goal_id === null) return;
  const holder = unit.read(goal, goal_id);
  if (holder.life === 'alive' && titleKey(holder) === title) return;
  unit.send(goalTitle, title, { type: 'ReleaseTitle', goal_id });
}

function parentFault(unit: UnitOfWork, { id, parent }: { id: string; parent: string | null }): Refusal | undefined {
  if (parent === null) return undefined;
  if (parent !== id && unit.read(goal, parent).life !== 'alive') {
    return new Refusal('invalid', 'parent_goal_id names no goal.');
  }
  const path = [id];
  for (let at: string | null = parent; at !== null; at = unit.read(goal, at).parent_goal_id) {
    path.push(at);
    if (at === id) return new Refusal('invalid', `parent_goal_id would make a loop: ${shown(path)}.`);
    if (path.length - 1 > ANCESTORS_MAX) {
      return new Refusal('invalid', `parent_goal_id: a goal may have at most ${ANCESTORS_MAX} ancestors.`);
    }
  }
  return undefined;
}

function shown(path: readonly string[]): string {
  if (path.length <= LOOP_SHOWN_MAX) return path.join(' → ');
  return [...path.slice(0, LOOP_SHOWN_MAX / 2), '…', ...path.slice(-LOOP_SHOWN_MAX / 2)].join(' → ');
}
