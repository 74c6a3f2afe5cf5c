/** Queries over the recorded events of one run: its replay with the present rules, and where and how a fork starts. */
import { refused } from '../../commands/refusal.ts';
import { closedConversation } from '../../commands/run/conversation.ts';
import { type RecordedRunEvent, type ReplayReport, replaySteps } from '../../commands/run/replay.ts';
import type { ToolDescription } from '../../commands/run/request.ts';
import { evolveRun, initialRun, type RunState } from '../../commands/run/state.ts';
import { decodeEvent } from '../../events/decode.ts';
import type { DataOf } from '../../events/define.ts';
import { type RunEvent, runEvents } from '../../events/run/events.ts';
import { inSlices, TimeSlices } from '../../lib/slices.ts';
import type { JobRow } from '../../projections/run/job-rows.ts';
import type { EventLog, RecordedEvent } from '../../storage/event-log.ts';
import { counted } from '../markdown.ts';
import type { AgentRequestBody } from './run-request.ts';
import { folderOfRun } from './workspace.ts';

type Fork = DataOf<RunEvent, 'RunForked'>;

/** Gives way to other requests: each call of the model hashes its whole conversation again. */
export async function replayRecorded(
  log: EventLog,
  id: string,
  tools: readonly ToolDescription[],
): Promise<ReplayReport> {
  const recorded: RecordedRunEvent[] = [];
  for await (const event of inSlices(recordedEvents(log, id))) recorded.push(event);
  const steps = replaySteps(recorded, tools);
  const slices = new TimeSlices();
  let step = steps.next();
  while (step.done !== true) {
    if (slices.isOver) await slices.next();
    step = steps.next();
  }
  return step.value;
}

/**
 * A fork after a number of tool calls, or after all of them, and the state of the run at that point. Throws `Refused`.
 */
export function forkOf(
  log: EventLog,
  id: string,
  step: number | undefined,
): { readonly fork: Fork; readonly state: RunState } {
  const { state, version } = stateAfterStep(log, id, step);
  const fork = {
    from_session_id: id,
    from_version: version,
    messages: [...closedConversation(state)],
    plan: [...state.plan],
    steps: state.stepNum,
  };
  return { fork, state };
}

/**
 * The request of a fork. What `own` leaves out is as in the run that it is forked from, except `interactive`. Throws
 * `Refused` when the folder of that run is gone.
 */
export function forkRequest(
  { task, provider, model, workspace }: Pick<JobRow, 'task' | 'provider' | 'model' | 'workspace'>,
  { stepNum, request }: Pick<RunState, 'stepNum' | 'request'>,
  own: Pick<AgentRequestBody, 'approval' | 'interactive'> & { readonly task?: string | undefined } = {},
): AgentRequestBody {
  return {
    task: own.task ?? `${task} (from step ${stepNum})`,
    approval: own.approval ?? request?.approval,
    interactive: own.interactive,
    provider,
    model,
    workspace_root: folderOfRun(workspace, request?.mode),
    mode: request?.mode,
    reasoning: request?.reasoning,
    max_step_extensions: request?.max_step_extensions,
  };
}

/**
 * The state right after the outcome of the n-th tool call, without later events. Step 0 is the state
 * right after the request, for a fork together with the conversation it started from.
 */
function stateAfterStep(log: EventLog, id: string, step: number | undefined): { state: RunState; version: number } {
  let state = initialRun;
  let version = 0;
  let isFound = false;
  for (const event of recordedEvents(log, id)) {
    if (isFound && event.type !== 'RunForked') break;
    if (event.erased === true) throw refused('conflict', 'The run has erased events; it cannot be forked.');
    state = evolveRun(state, event);
    version = event.version;
    isFound = step !== undefined && state.stepNum >= step;
  }
  if (step !== undefined && !isFound) {
    throw refused('invalid', `The run has ${counted(state.stepNum, 'step')}; step must be from 0 to ${state.stepNum}.`);
  }
  return { state, version };
}

/** The events of a run, upcast; erased ones are among them, without data. */
function* recordedEvents(log: EventLog, id: string): Generator<RecordedRunEvent> {
  for (const event of log.readStream(`run-${id}`)) {
    const decoded = decodeEvent(runEvents, event);
    if (decoded.kind === 'unknown') continue;
    yield (decoded.kind === 'event' ? decoded.event : event) as RecordedEvent as unknown as RecordedRunEvent;
  }
}
