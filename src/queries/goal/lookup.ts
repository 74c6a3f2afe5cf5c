/** A goal by its id. */
import { GOAL_NOT_FOUND } from '../../commands/goal/decide.ts';
import { refused } from '../../commands/refusal.ts';
import type { Goal } from '../../events/goal.ts';
import { goalRow } from '../../projections/goal.ts';
import type { Views } from '../../projections/views.ts';

/** Throws `Refused` (not found); its text does not repeat the id. */
export function requireGoal(views: Views, id: string): Goal {
  const goal = goalRow(views, id);
  if (goal === undefined) throw refused('not_found', GOAL_NOT_FOUND);
  return goal;
}
