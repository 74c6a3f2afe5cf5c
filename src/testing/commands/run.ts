/** Commands of runs: mostly the one that the state waits for, sometimes one that is too early or too late. */
import fc from 'fast-check';
import { type RunCommand, run } from '../../commands/run/decide.ts';
import type { RunState } from '../../commands/run/state.ts';
import { type Frame, type RunRequest, runEvents } from '../../events/run/events.ts';
import { arbitraryOf } from '../schema-values.ts';
import { type CommandSource, few, text } from './parts.ts';
import { INPUTS, runRequest } from './run-inputs.ts';

type Of<Type extends RunCommand['type']> = Extract<RunCommand, { type: Type }>;
/** A command with the number of its model call given relative to the newest call. */
type Off<Type extends RunCommand['type']> = Omit<Of<Type>, 'call'> & { readonly off: number };

/** Becomes the command that is due in the state of the run, using these parts. */
interface Due {
  readonly type: 'Due';
  readonly request: RunRequest;
  readonly frames: readonly Frame[];
  readonly success: boolean;
}

type RunWish =
  | Due
  | Of<'RequestRun' | 'ResumeRun' | 'BeginRun' | 'StartModelCall' | 'CancelRun' | 'RecoverRun' | 'FailRun'>
  | Off<'RecordFrames'>
  | Off<'RecordAnswer'>
  | Off<'RecordModelFailure'>
  | Off<'EndBackoff'>
  | { readonly type: 'StartTool'; readonly off: number }
  | Omit<Of<'RecordTool'>, 'call_id'>
  | Omit<Of<'AnswerApproval'>, 'approval'>
  | Omit<Of<'RecordLeftChanges'>, 'call_id'>
  | { readonly type: 'ExpireApproval' };

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
  { weight: 1, arbitrary: text.map((said): Frame => ({ type: 'text', text: said })) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('reasoning' as const), text, signature: fc.option(text) }) },
  { weight: 4, arbitrary: toolCall.map((call): Frame => ({ type: 'tool_call', call })) },
);
const frames = (maxLength: number) => fc.array(frame, { maxLength });

const interactive = (timeout_ms: number) => ({ interactive: { approval_prefix: 'apr', timeout_ms } });
const request: fc.Arbitrary<RunRequest> = fc
  .tuple(
    fc.record({
      approval: fc.constantFrom('suggest' as const, 'auto-edit' as const, 'full-auto' as const, 'chat-only' as const),
      max_steps: fc.constantFrom(0, 2, 50),
      max_step_extensions: fc.constantFrom(0, 1),
      continuations_max: fc.constantFrom(0, 3),
      task: fc.constantFrom('look around', 'look again', ' '),
    }),
    fc.constantFrom({}, interactive(1), interactive(1_000_000)),
  )
  .map(([changes, asked]) => runRequest({ ...changes, ...asked }));

const ANSWER = { finish_reason: 'stop', usage: { input_tokens: 3, output_tokens: 4 } } as const;
const failure = fc.record({
  kind: fc.constantFrom('transient' as const, 'fatal' as const, 'unconfigured' as const),
  message: text,
  status: fc.option(fc.constantFrom(429, 500)),
  retry_after_ms: fc.option(fc.nat(90_000)),
  jitter: fc.constantFrom(0, 0.5, 1),
});

/** What a forked run copies from its origin. */
const fork = fc.option(arbitraryOf(runEvents.RunForked.data));

const wish: fc.Arbitrary<RunWish> = fc.oneof(
  {
    weight: 90,
    arbitrary: fc.record({
      type: fc.constant('Due' as const),
      request,
      frames: frames(3),
      success: fc.constantFrom(true, false, false, false),
    }),
  },
  {
    weight: 3,
    arbitrary: fc
      .record({ request, notes: fc.array(text, { maxLength: 2 }), fork })
      .map((of): RunWish => ({ type: 'RequestRun', ...of })),
  },
  { weight: 4, arbitrary: fc.constant<RunWish>({ type: 'BeginRun' }) },
  { weight: 6, arbitrary: fc.constant<RunWish>({ type: 'StartModelCall', inputs: INPUTS }) },
  {
    weight: 8,
    arbitrary: fc.record({ type: fc.constant('RecordFrames' as const), off: drift, frames: frames(4) }),
  },
  {
    weight: 6,
    arbitrary: drift.map((off): RunWish => ({ type: 'RecordAnswer', off, answer: ANSWER, jitter: 0.5 })),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('RecordModelFailure' as const), off: drift, failure }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('EndBackoff' as const), off: drift }) },
  { weight: 6, arbitrary: fc.record({ type: fc.constant('StartTool' as const), off: drift }) },
  {
    weight: 6,
    arbitrary: fc.tuple(fc.boolean(), text).map(([success, output]): RunWish => {
      const report = { success, output, files_modified: success ? [`${output}.txt`] : [], duration_ms: 1 };
      return { type: 'RecordTool', report };
    }),
  },
  { weight: 1, arbitrary: text.map((reason): RunWish => ({ type: 'CancelRun', reason })) },
  { weight: 2, arbitrary: text.map((reason): RunWish => ({ type: 'RecoverRun', reason })) },
  {
    weight: 2,
    arbitrary: fc
      .array(few('left'), { maxLength: 2 })
      .map((files_modified): RunWish => ({ type: 'RecordLeftChanges', files_modified })),
  },
  {
    weight: 4,
    arbitrary: fc
      .record({
        decision: fc.constantFrom('allow_once' as const, 'allow_run' as const, 'deny' as const),
        reason: fc.option(text),
      })
      .map((of): RunWish => ({ type: 'AnswerApproval', ...of })),
  },
  { weight: 4, arbitrary: fc.constant<RunWish>({ type: 'ExpireApproval' }) },
  { weight: 1, arbitrary: text.map((message): RunWish => ({ type: 'FailRun', message })) },
  { weight: 2, arbitrary: request.map((of): RunWish => ({ type: 'ResumeRun', request: of, notes: [] })) },
);

function fitted(wish: RunWish, state: RunState): RunCommand {
  const { phase, pending } = state;
  switch (wish.type) {
    case 'Due':
      return due(wish, state);
    case 'RecordFrames':
    case 'RecordAnswer':
    case 'RecordModelFailure':
    case 'EndBackoff': {
      const { off, ...rest } = wish;
      return { ...rest, call: state.call + off };
    }
    case 'StartTool':
      return { type: 'StartTool', call_id: pending[Math.abs(wish.off)]?.id ?? 'none' };
    case 'RecordTool':
    case 'RecordLeftChanges':
      return { ...wish, call_id: phase.name === 'tool_started' ? phase.call.id : 'a' };
    case 'AnswerApproval':
    case 'ExpireApproval':
      return { ...wish, approval: phase.name === 'awaiting_approval' ? phase.approval : 'apr-1' };
    case 'RequestRun':
    case 'ResumeRun':
    case 'BeginRun':
    case 'StartModelCall':
    case 'CancelRun':
    case 'RecoverRun':
    case 'FailRun':
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
