/**
 * The reactor of agent runs: asks the model, runs the tool or waits out a backoff, and reports the outcome.
 *
 * - Frames are recorded as they arrive, in batches (frame-recorder.ts); readers see them once they are durable.
 * - A model that sends no frame for `stallMs` fails transiently; keep-alives do not count as frames.
 * - At most `runsMax` runs are in progress at once; the others stay queued in order. Those that have begun, and waited
 *   for a person, a provider or a restart, go on before others begin.
 */
import { type RunCommand, run } from '../../commands/run/decide.ts';
import { nextRunEffect, type RunEffect } from '../../commands/run/effects.ts';
import { buildRequest, describeTools, type RequestInputs } from '../../commands/run/request.ts';
import { thinkingBudget } from '../../commands/run/rules.ts';
import type { RunState } from '../../commands/run/state.ts';
import type { Frame, RunEvent, RunNode } from '../../events/run/events.ts';
import { sleep } from '../../lib/timers.ts';
import type { Clock } from '../../ports/clock.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import { ModelError, type ModelFrame } from '../../ports/models.ts';
import type { ToolsPort } from '../../ports/tools.ts';
import { framesWithin, type ModelReactorParts } from '../../queries/run/model-calls.ts';
import type { EffectScope, Reactor } from '../../streams/reactor.ts';
import { createFrameRecorder } from './frame-recorder.ts';
import { createSlots } from './slots.ts';

export interface AgentRunParts extends ModelReactorParts {
  readonly tools: ToolsPort;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly runsMax: number;
  readonly nodes: {
    takes(workspace: string): boolean;
    /** This daemon in the events of a run; undefined when the log is not shared. */
    readonly named: RunNode | undefined;
  };
}

type Scope = EffectScope<RunCommand, RunState>;
type Finish = Extract<ModelFrame, { type: 'finish' }>;

const CLOCK_READ_MS = 60_000;
/** Limit of one answer, tool inputs included. */
const ANSWER_CHARACTERS_MAX = 8_000_000;

export function agentRun(parts: AgentRunParts): Reactor<RunCommand, RunState, RunEvent, RunEffect> {
  const slots = createSlots(parts.runsMax);
  return {
    decider: run,
    actor: (id) => `agent:${id}`,
    next: nextRunEffect,
    takes: ({ request }) => parts.nodes.takes(request?.workspace ?? ''),
    recovery: (reason) => ({ type: 'RecoverRun', reason }),
    failure: (message) => ({ type: 'FailRun', message: `Internal error: ${message}` }),
    rested: (id) => slots.release(id),
    async admit(effect, { id, signal }) {
      // A run that waits for a person, or long for a provider, gives its slot to other runs.
      if (effect.kind === 'expire' || effect.kind === 'pause') slots.release(id);
      else await slots.acquire(id, { hasBegun: effect.kind !== 'begin', signal });
    },
    async perform(effect, scope) {
      switch (effect.kind) {
        case 'begin':
          await scope.send({ type: 'BeginRun', node: parts.nodes.named });
          return;
        case 'ask':
          return ask(parts, effect.call, scope);
        case 'wait':
          await sleep(parts.timers, effect.ms, scope.signal);
          await scope.send({ type: 'EndBackoff', call: effect.call });
          return;
        case 'pause':
          await sleepUntil(parts, effect.until, scope.signal, scope.state().request?.postponement_ms_max);
          await scope.send({ type: 'EndBackoff', call: effect.call });
          return;
        case 'expire':
          await sleepUntil(parts, effect.at, scope.signal, scope.state().request?.interactive?.timeout_ms);
          await scope.send({ type: 'ExpireApproval', approval: effect.approval });
          return;
        case 'tool':
          return runTool(parts, effect, scope);
      }
    },
  };
}

/**
 * Reads the clock every minute, because timers stand still while the machine is suspended. Never sleeps longer than
 * `msMax`: when the clock was ahead and is corrected, a time that was near may be years away.
 */
async function sleepUntil(
  { timers, clock }: AgentRunParts,
  at: number,
  signal: AbortSignal,
  msMax = Number.POSITIVE_INFINITY,
): Promise<void> {
  let slept = 0;
  for (let left = at - clock.now(); left > 0 && slept < msMax; left = at - clock.now()) {
    const ms = Math.min(left, CLOCK_READ_MS);
    await sleep(timers, ms, signal);
    slept += ms;
  }
}

async function ask(parts: AgentRunParts, call: number, scope: Scope): Promise<void> {
  const inputs = await startCall(parts, scope);
  if (inputs === null) return;
  try {
    const finish = await streamAnswer(parts, { call, ...inputs }, scope);
    const answer = { finish_reason: finish.reason, usage: finish.usage };
    await scope.send({ type: 'RecordAnswer', call, answer, jitter: parts.random() });
  } catch (error) {
    if (scope.signal.aborted || !(error instanceof ModelError)) throw error;
    const { kind, message, status, retryAfterMs: retry_after_ms } = error;
    const failure = { kind, message, status, retry_after_ms, jitter: parts.random() };
    await scope.send({ type: 'RecordModelFailure', call, failure });
  }
}

/** Records the intent and returns the request to send; null when no call is due. */
async function startCall(parts: AgentRunParts, scope: Scope) {
  const { provider = '', model = '', reasoning = null } = scope.state().request ?? {};
  const settings = parts.settings(provider, model);
  const inputs: RequestInputs = {
    settings,
    thinking_budget: thinkingBudget(settings, reasoning),
    tools: describeTools(parts.tools.specs),
  };
  const asked = await scope.send({ type: 'StartModelCall', inputs, node: parts.nodes.named });
  return asked.phase.name === 'asked' ? { request: buildRequest(asked, inputs) } : null;
}

async function streamAnswer(
  parts: AgentRunParts,
  { call, request }: { call: number; request: ReturnType<typeof buildRequest> },
  scope: Scope,
): Promise<Finish> {
  const limit = { stallMs: parts.stallMs, signal: scope.signal, timers: parts.timers };
  const frames = framesWithin(limit, (signal) => parts.models.stream(request, signal));
  const recorder = createFrameRecorder((batch) => scope.send({ type: 'RecordFrames', call, frames: batch }));
  let size = 0;
  try {
    for await (const frame of frames) {
      if (frame.type === 'finish') return frame;
      if (frame.type === 'text' && frame.text === '') continue;
      size += frameSize(frame);
      if (size > ANSWER_CHARACTERS_MAX) throw new ModelError('fatal', 'The model’s answer is too long to be kept.');
      recorder.add(frame);
    }
    throw new ModelError('transient', 'The model stream ended without a finish.');
  } finally {
    await recorder.finish();
  }
}

function frameSize(frame: Frame): number {
  return frame.type === 'tool_call' ? JSON.stringify(frame.call.input).length : frame.text.length;
}

async function runTool(
  parts: AgentRunParts,
  { call, workspace }: Extract<RunEffect, { kind: 'tool' }>,
  scope: Scope,
): Promise<void> {
  const started = await scope.send({ type: 'StartTool', call_id: call.id });
  if (started.phase.name !== 'tool_started') return;
  const before = parts.clock.now();
  let files_modified: readonly string[] = [];
  const onAborted = (files: readonly string[]): void => {
    files_modified = files;
  };
  const { name, input } = call;
  const mayChange = (): void => scope.ensureHeld();
  const request = { callId: parts.ids.hex(8), session: scope.id, name, input, workspace, onAborted, mayChange };
  const outcome = await parts.tools.call(request, scope.signal).catch(async (error: unknown) => {
    await scope.send({ type: 'RecordLeftChanges', call_id: call.id, files_modified });
    throw error;
  });
  // The clock may have been set back meanwhile.
  const duration_ms = Math.max(0, parts.clock.now() - before);
  const report = { ...outcome, files_modified: [...outcome.files_modified], duration_ms };
  await scope.send({ type: 'RecordTool', call_id: call.id, report });
}
