/** The data of the view: all goals in one answer, and the links of the one that is shown. */
import { api, type Goal, type GoalPlan, type JobRecord } from '../../api.ts';
import { ofCategory, resource, resources } from '../../resource.ts';

const KEPT = 30;
const RUNS_MAX = 200;
const ENDS = ['RunResumed', 'RunBegun', 'RunCompleted', 'RunStopped', 'RunFailed', 'RunCancelled'];

const isOfPins = ofCategory('goal_pins');

/** Every goal, last changed first. */
export const goals = resource({
  load: async () => (await api.goals.list({ query: { limit: 0 } })).goals,
  concerns: (event) => ofCategory('goal')(event) && event.type !== 'GoalLinked',
});

/** The ids of the pinned goals among the active ones that changed last, which the daemon lists. */
export const pins = resource({
  load: async (): Promise<ReadonlySet<string>> =>
    new Set((await api.watch.listGoals()).goals.filter(({ pinned }) => pinned).map(({ id }) => id)),
  concerns: isOfPins,
});

/** The links of a goal, and whether it is pinned. */
export const details = resources(KEPT, (id) => ({
  load: () => api.watch.getGoal(id),
  concerns: (event) => (event.stream === `goal-${id}` && event.type === 'GoalLinked') || isOfPins(event),
}));

/** The runs for a goal, by id. */
export const runs = resources(KEPT, (id) => ({
  load: async (): Promise<ReadonlyMap<string, JobRecord>> => {
    const jobs = await api.runs.list({ query: { goal: id, limit: RUNS_MAX } });
    return new Map(jobs.map((job) => [job.session_id, job]));
  },
  concerns: ({ stream, type }) =>
    (stream === `goal-${id}` && type === 'GoalLinked') || (stream.startsWith('run-') && ENDS.includes(type)),
}));

export interface Node {
  readonly goal: Goal;
  readonly children: readonly Node[];
  /** From 0 to 1; null if nothing indicates the progress. */
  readonly progress: number | null;
}

/** The goals as trees. A goal whose parent is missing, or that is its own ancestor, is a root. */
export function forest(list: readonly Goal[]): readonly Node[] {
  const byParent = new Map<string | null, Goal[]>();
  const byId = new Map(list.map((goal) => [goal.id, goal]));
  for (const goal of list) {
    const parent = isBelowItself(goal, byId) ? null : (byId.get(goal.parent_goal_id ?? '')?.id ?? null);
    byParent.set(parent, [...(byParent.get(parent) ?? []), goal]);
  }
  const nodes = (parent: string | null): readonly Node[] =>
    (byParent.get(parent) ?? []).map((goal) => {
      const children = nodes(goal.id);
      return { goal, children, progress: progressOf(goal, children) };
    });
  return nodes(null);
}

function isBelowItself(goal: Goal, byId: ReadonlyMap<string, Goal>): boolean {
  const seen = new Set<string>();
  for (let each: Goal | undefined = goal; each !== undefined; each = byId.get(each.parent_goal_id ?? '')) {
    if (seen.has(each.id)) return each.id === goal.id;
    seen.add(each.id);
  }
  return false;
}

/**
 * A completed goal counts as 1. Otherwise the mean of its plan and its subgoals, each subgoal with the weight of the
 * plan.
 */
function progressOf({ status, current_plan }: Goal, children: readonly Node[]): number | null {
  if (status === 'done') return 1;
  const counted = children.filter(({ goal }) => goal.status !== 'abandoned');
  const parts = counted.map(({ progress }) => progress ?? 0);
  if (current_plan !== null && current_plan.steps.length > 0) parts.push(planProgress(current_plan));
  return parts.length === 0 ? null : parts.reduce((sum, part) => sum + part, 0) / parts.length;
}

function planProgress({ steps }: GoalPlan): number {
  const counted = steps.filter(({ status }) => status !== 'skipped');
  if (counted.length === 0) return 1;
  return counted.filter(({ status }) => status === 'done').length / counted.length;
}

/** The nodes that match, each with its ancestors. */
export function filtered(nodes: readonly Node[], keep: (goal: Goal) => boolean): readonly Node[] {
  return nodes.flatMap((node) => {
    const children = filtered(node.children, keep);
    return children.length > 0 || keep(node.goal) ? [{ ...node, children }] : [];
  });
}

export function found(nodes: readonly Node[], id: string): Node | undefined {
  for (const node of nodes) {
    const match = node.goal.id === id ? node : found(node.children, id);
    if (match !== undefined) return match;
  }
  return undefined;
}
