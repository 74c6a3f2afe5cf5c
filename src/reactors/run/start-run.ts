/**
 * Starts a run for every route: admission, the request, and the link to a goal, in one commit.
 *
 * - A run belongs to the requested goal, else to the one pinned for its workspace, else to the one pinned for all
 *   workspaces. The run's output begins with a note about it.
 * - The link is appended without a check of the goal's state: a goal that is being deleted does not refuse the run.
 */
import type { Policy, UnitOfWork } from '../../commands/decider.ts';
import { goal as goalDecider } from '../../commands/goal/decide.ts';
import { refused } from '../../commands/refusal.ts';
import { type RunCommand, run } from '../../commands/run/decide.ts';
import type { RunState } from '../../commands/run/state.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import { goalRow } from '../../projections/goal.ts';
import { activeJobCount } from '../../projections/run/job-rows.ts';
import type { Views } from '../../projections/views.ts';
import { pinOf } from '../../queries/goal/pins.ts';
import { type AgentRequestBody, type RunRequestDependencies, runRequest } from '../../queries/run/run-request.ts';

/** Limit of queued and running runs together; further runs are refused. */
const ACTIVE_RUNS_MAX = 1_000;

type RequestRun = Extract<RunCommand, { type: 'RequestRun' }>;

/** Sends the command on the caller's behalf. Resolves with the answer, which is recorded for an idempotent repeat. */
type AnswerAfter<Answer> = (
  decider: typeof run,
  id: string,
  command: RequestRun,
  options: { readonly answer: () => Answer; readonly policy: Policy<RunState> },
) => Promise<Answer>;

export interface RunStart<Answer> {
  readonly body: AgentRequestBody;
  readonly tags?: readonly string[];
  readonly fork?: RequestRun['fork'];
  /** The goal that the run is started for. */
  readonly goal?: RunGoal;
  /** Adds events of other streams to the commit of the run. */
  readonly also?: (unit: UnitOfWork, session_id: string) => void;
  readonly answer: (session_id: string) => Answer;
}

export interface RunGoal {
  readonly id: string;
  readonly link_id: string;
  /** Text of the link. */
  readonly note: string;
  /** First line of the run's output. */
  readonly notice: string;
}

/** Throws `Refused` when too many runs are active, when the request is invalid or when the session id is taken. */
export async function startRun<Answer>(
  deps: RunRequestDependencies,
  answerAfter: AnswerAfter<Answer>,
  start: RunStart<Answer>,
): Promise<Answer> {
  const { request, notes } = await runRequest(deps, start.body, start.tags);
  admitRun(deps.views);
  const session_id = start.body.session_id ?? deps.ids.hex(16);
  const goal = start.goal ?? pinnedGoal(deps, request.workspace);
  const command: RequestRun = {
    type: 'RequestRun',
    request,
    notes: goal === null ? notes : [goal.notice, ...notes],
    fork: start.fork ?? null,
  };
  return answerAfter(run, session_id, command, {
    answer: () => start.answer(session_id),
    policy: (unit) => {
      start.also?.(unit, session_id);
      if (goal !== null) {
        const { id, link_id, note } = goal;
        unit.sendUnconditional(goalDecider, id, { type: 'LinkStartedRun', link_id, session_id, note });
      }
      return undefined;
    },
  });
}

/** Throws `Refused` (unavailable) when too many runs are active. */
export function admitRun(views: Views): void {
  if (activeJobCount(views) < ACTIVE_RUNS_MAX) return;
  throw refused('unavailable', `${ACTIVE_RUNS_MAX} runs are waiting or going already; try again when some have ended.`);
}

function pinnedGoal(
  { views, ids }: { readonly views: Views; readonly ids: IdGenerator },
  workspace: string,
): RunGoal | null {
  const pin = pinOf(views, workspace) ?? pinOf(views, null);
  const goal = pin && goalRow(views, pin.goal_id);
  if (goal === undefined) return null;
  return {
    id: goal.id,
    link_id: ids.hex(16),
    note: 'Linked automatically: the goal was pinned when the run started.',
    notice: `This run is linked to the pinned goal “${goal.title}” (${goal.id}).`,
  };
}
