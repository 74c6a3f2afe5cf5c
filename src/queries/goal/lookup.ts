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

/** The goal's text, its criteria, and the open steps of its plan. */
export function taskOf({ title, statement, success_criteria, current_plan }: Goal): string {
  const open = current_plan?.steps.filter((step) => step.status === 'pending' || step.status === 'in_progress') ?? [];
  const steps = open.map((step) => step.description);
  return [
    `Work on the goal “${title.trim()}”.`,
    statement.trim(),
    listed('It is reached when:', success_criteria),
    listed('The plan:', steps),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function listed(heading: string, items: readonly string[]): string {
  return items.length === 0 ? '' : [heading, ...items.map((item) => `- ${item}`)].join('\n');
}
