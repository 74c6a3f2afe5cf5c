/** The task of a run that is started for a goal without a task of its own. */
import type { Goal } from '../../events/goal.ts';

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
