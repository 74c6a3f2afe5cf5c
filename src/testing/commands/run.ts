/** Commands of runs: mostly the one that the state waits for, sometimes one that is too early or too late. */
import fc from 'fast-check';
import { type RunCommand, run } from '../../commands/run/decide.ts';
import type { RunState } from '../../commands/run/state.ts';
import { type Frame, type RunRequest, runEvents } from '../../events/run/events.ts';
import { arbitraryOf } from '../schema-values.ts';
import { type CommandSource, command, few, fresh, text, times, type Wish } from './parts.ts';
import { INPUTS, runRequest } from './run-inputs.ts';

/** Becomes the command that is due in the state of the run, using these parts. */
interface Due extends Wish {
  readonly request: RunRequest;
  readonly frames: readonly Frame[];
  readonly success: boolean;
}

/** A wish that concerns a model call or a tool call has its place relative to the newest or the due one. */
type Drifting = Wish & { readonly off: number };

const drift = fc.constantFrom(0, 0, 0, 0, 0, -1, 1);

const TOOLS_MOSTLY = ['read_file', 'read_file', 'write_file', 'write_file', 'bash', 'bash'] as const;
const toolCall = fc.record({
  id: fc.constantFrom('a', 'b', 'c', ''),
  name: fc.constantFrom(...TOOLS_MOSTLY, 'update_plan', 'finish', 'unheard_of'),
  input: fc.constantFrom(
    {},
    { path: 'x' },
    { summary: 'done' },
    { steps: [{ description: 'one', status: 'pending' as const }] },
    { steps: [{ description: 'one', status: 'done' as const }] },
  ),
});
const frame: fc.Arbitrary<Frame> = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text }),
  fc.record({ type: fc.constant('reasoning' as const), text, signature: fc.option(text) }),
  { weight: 4, arbitrary: fc.record({ type: fc.constant('tool_call' as const), call: toolCall }) },
);
const frames = (maxLength: number) => fc.array(frame, { maxLength });

const context_policy = fc.constant('outputs-and-inputs' as const);
const interactive = fc.record({ approval_prefix: fresh, timeout_ms: fc.constantFrom(1, 1_000_000) });
const request: fc.Arbitrary<RunRequest> = fc
  .tuple(
    fc.record({
      approval: fc.constantFrom('suggest' as const, 'auto-edit' as const, 'full-auto' as const, 'chat-only' as const),
      max_steps: fc.constantFrom(0, 2, 50),
      max_step_extensions: fc.constantFrom(0, 1),
      continuations_max: fc.constantFrom(0, 3),
      postponement_ms_max: fc.constantFrom(100_000, 86_400_000),
      task: fc.constantFrom('look around', 'look again', ' '),
    }),
    fc.record(
      { interactive, working_attempts_max: fc.constantFrom(1, 6), context_policy },
      { requiredKeys: [], noNullPrototype: true },
    ),
  )
  .map(([changes, asked]) => runRequest({ ...changes, ...asked }));

const ANSWER = { finish_reason: 'stop', usage: { input_tokens: 3, output_tokens: 4 } } as const;
const failure = fc.record({
  kind: fc.constantFrom('transient' as const, 'fatal' as const, 'unconfigured' as const),
  message: text,
  status: fc.option(fc.constantFrom(429, 500)),
  retry_after_ms: fc.option(fc.oneof(fc.nat(90_000), fc.nat(200_000_000))),
  jitter: fc.constantFrom(0, 0.5, 1),
});

/** What a forked run copies from its origin. */
const fork = fc.option(arbitraryOf(runEvents.RunForked.data));

const success = fc.constantFrom(true, false, false, false);
const report = fc.tuple(fc.boolean(), text).map(([success, output]) => {
  return { success, output, files_modified: success ? [`${output}.txt`] : [], duration_ms: 1 };
});
const decision = fc.constantFrom('allow_once', 'allow_run', 'deny');

const wish = fc.oneof(
  times(90, 'Due', { request, frames: frames(3), success }),
  times(3, 'RequestRun', { request, notes: fc.array(text, { maxLength: 2 }), fork }),
  times(4, 'BeginRun'),
  times(6, 'StartModelCall', { inputs: fc.constant(INPUTS) }),
  times(8, 'RecordFrames', { off: drift, frames: frames(4) }),
  times(6, 'RecordAnswer', { off: drift, answer: fc.constant(ANSWER), jitter: fc.constant(0.5) }),
  times(2, 'RecordModelFailure', { off: drift, failure }),
  times(2, 'EndBackoff', { off: drift }),
  times(6, 'StartTool', { off: drift }),
  times(6, 'RecordTool', { report }),
  command('CancelRun', { reason: text }),
  times(2, 'RecoverRun', { reason: text }),
  times(2, 'RecordLeftChanges', { files_modified: fc.array(few('left'), { maxLength: 2 }) }),
  times(4, 'AnswerApproval', { decision, reason: fc.option(text) }),
  times(4, 'ExpireApproval'),
  command('FailRun', { message: text }),
  times(2, 'ResumeRun', { request, notes: fc.constant([]) }),
);

function fitted(wish: Wish, state: RunState): Wish {
  const { phase, pending } = state;
  switch (wish.type) {
    case 'Due':
      return due(wish as Due, state);
    case 'RecordFrames':
    case 'RecordAnswer':
    case 'RecordModelFailure':
    case 'EndBackoff': {
      const { off, ...rest } = wish as Drifting;
      return { ...rest, call: state.call + off } as Wish;
    }
    case 'StartTool':
      return { type: 'StartTool', call_id: pending[Math.abs((wish as Drifting).off)]?.id ?? 'none' } as Wish;
    case 'RecordTool':
    case 'RecordLeftChanges':
      return { ...wish, call_id: phase.name === 'tool_started' ? phase.call.id : 'a' } as Wish;
    case 'AnswerApproval':
    case 'ExpireApproval':
      return { ...wish, approval: phase.name === 'awaiting_approval' ? phase.approval : 'apr-1' } as Wish;
    default:
      return wish;
  }
}

/** The command that the state waits for, so that histories get far. */
function due({ request, frames, success }: Due, { phase, call, status, draft, pending }: RunState): RunCommand {
  if (status === 'none') return { type: 'RequestRun', request, notes: [], fork: null };
  if (status === 'queued') return { type: 'BeginRun' };
  if (status !== 'running') return { type: 'ResumeRun', request, notes: [] };
  switch (phase.name) {
    case 'idle':
    case 'asking':
      return { type: 'StartModelCall', inputs: INPUTS };
    case 'asked': {
      if (draft.length === 0) return { type: 'RecordFrames', call, frames };
      const answer = success ? ANSWER : ({ ...ANSWER, finish_reason: 'length' } as const);
      return { type: 'RecordAnswer', call, answer, jitter: 0.5 };
    }
    case 'backing_off':
      return { type: 'EndBackoff', call };
    case 'tool_due':
      return { type: 'StartTool', call_id: pending[0]?.id ?? '' };
    case 'tool_started': {
      const report = { success, output: 'seen', files_modified: success ? ['a.txt'] : [], duration_ms: 1 };
      return { type: 'RecordTool', call_id: phase.call.id, report };
    }
    case 'awaiting_approval': {
      const decision = frames.length > 2 ? 'allow_run' : success ? 'allow_once' : 'deny';
      return { type: 'AnswerApproval', approval: phase.approval, decision, reason: null };
    }
  }
}

export const runCommands = {
  run: { decider: run, ids: few('run-of-'), command: wish, fitted, weight: 12 },
} satisfies Readonly<Record<string, CommandSource>>;
