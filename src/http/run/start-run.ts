/**
 * The one way in for a new run, whoever asks for it: room for it, its request, and the goal it belongs to.
 *
 * - A run belongs to the goal it was started for, else to the one pinned for its workspace, else to the one pinned for
 *   everywhere. The link is in the same commit as the run, and the run's reader is told.
 * - The link waits for nobody: when the goal is being deleted, it is as if the run had started a moment before.
 */
import type { UnitOfWork } from '../../commands/decider.ts';
import { goal as decideGoal } from '../../commands/goal/decide.ts';
import { run } from '../../commands/run/decide.ts';
import type { Config } from '../../config.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import type { ModelsPort } from '../../ports/models.ts';
import type { PluginFiles } from '../../ports/plugins.ts';
import type { ToolsPort } from '../../ports/tools.ts';
import { goalRow, pinIn } from '../../projections/goal.ts';
import { activeJobCount } from '../../projections/run/jobs.ts';
import type { Views } from '../../projections/views.ts';
import type { Answer } from '../server/answer.ts';
import { HttpError, zError } from '../server/errors.ts';
import type { Call } from '../server/route.ts';
import { type AgentRequestBody, runRequest } from './run-request.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly config: Config;
  readonly version: string;
  readonly ids: IdGenerator;
  readonly views: Views;
  readonly models: ModelsPort;
  readonly tools: ToolsPort;
  readonly plugins: PluginFiles;
}

/** Runs that may wait or go at once; more are refused until some have ended. */
export const ACTIVE_RUNS_MAX = 1_000;

/** What every route that starts a run may answer. */
export const noRoom = { 503: { description: 'Too many runs wait already.', schema: zError } };

type RequestRun = Extract<Parameters<typeof run.decide>[0], { type: 'RequestRun' }>;

export interface RunStart {
  readonly body: AgentRequestBody;
  readonly tags?: readonly string[];
  readonly fork?: RequestRun['fork'];
  /** The goal it is started for. */
  readonly goal?: RunGoal;
  /** What else happens in the commit of the run. */
  readonly also?: (unit: UnitOfWork, session_id: string) => void;
  readonly answer: (session_id: string) => Answer;
}

export interface RunGoal {
  readonly id: string;
  readonly link_id: string;
  /** On the link. */
  readonly note: string;
  /** To the run's reader. */
  readonly notice: string;
}

export async function startRun(deps: Dependencies, dispatch: Call['dispatch'], start: RunStart): Promise<Answer> {
  const { request, notes } = await runRequest(deps, start.body, start.tags);
  admitRun(deps);
  const session_id = start.body.session_id ?? deps.ids.hex(16);
  const goal = start.goal ?? pinnedGoal(deps, request.workspace);
  const told = goal === null ? notes : [goal.notice, ...notes];
  const answer = (): Answer => start.answer(session_id);
  const command: RequestRun = { type: 'RequestRun', request, notes: told, fork: start.fork ?? null };
  await dispatch(run, session_id, command, {
    answer,
    policy: (unit) => {
      start.also?.(unit, session_id);
      if (goal === null) return undefined;
      const { id, link_id, note } = goal;
      unit.sendUnconditional(decideGoal, id, { type: 'LinkStartedRun', link_id, session_id, note });
      return undefined;
    },
  });
  return answer();
}

/** Throws when too many runs wait already. */
export function admitRun(deps: Dependencies): void {
  if (activeJobCount(deps.views) < ACTIVE_RUNS_MAX) return;
  throw new HttpError(503, `${ACTIVE_RUNS_MAX} runs are waiting or going already; try again when some have ended.`);
}

function pinnedGoal(deps: Dependencies, workspace: string): RunGoal | null {
  const pin = pinIn(deps.views, workspace) ?? pinIn(deps.views, `${workspace}/`) ?? pinIn(deps.views, null);
  const goal = pin && goalRow(deps.views, pin.goal_id);
  if (goal === undefined) return null;
  return {
    id: goal.id,
    link_id: deps.ids.hex(16),
    note: 'Linked automatically: the goal was pinned when the run started.',
    notice: `This run is linked to the pinned goal “${goal.title}” (${goal.id}).`,
  };
}
