/**
 * A run, folded from its events: the conversation with its tool calls, the spans of its timeline, its plan and its
 * current activity. Pure; a prefix of the events gives the run as it was after them.
 */
import type { Envelope, Json } from '../api.ts';
import { listOf, numberOf, numberOrNull, objectOf, textOf } from '../lib/json.ts';

export type Lane = 'model' | 'tool' | 'wait';

export interface Span {
  readonly lane: Lane;
  readonly from: number;
  /** Null while it lasts. */
  to: number | null;
  readonly name: string;
  failed: boolean;
  tokens: number | null;
  /** Position of the event that began it. */
  readonly position: number;
}

export type ToolState = 'running' | 'ok' | 'failed' | 'rejected' | 'interrupted';

interface Placed {
  /** Position of the event that began the item. */
  readonly position: number;
  readonly at: number;
}

export interface AnswerItem extends Placed {
  readonly kind: 'answer';
  readonly call: number;
  readonly model: string;
  text: string;
  reasoning: string;
  isOpen: boolean;
  inputTokens: number | null;
  outputTokens: number | null;
}

export interface ToolItem extends Placed {
  readonly kind: 'tool';
  readonly step: number;
  readonly callId: string;
  readonly name: string;
  readonly input: Readonly<Record<string, Json>>;
  readonly output: string | null;
  readonly state: ToolState;
  readonly durationMs: number | null;
  readonly files: readonly string[];
}

export interface ApprovalItem extends Placed {
  readonly kind: 'approval';
  readonly id: string;
  readonly tool: string;
  readonly input: Json;
  readonly expiresAt: number;
  readonly state: 'pending' | 'allowed' | 'denied' | 'expired' | 'cancelled';
  readonly reason: string;
}

export interface NoteItem extends Placed {
  readonly kind: 'user' | 'note';
  readonly text: string;
}

/** The end of a request. */
export interface EndItem extends Placed {
  readonly kind: 'end';
  readonly text: string;
  readonly status: string;
  /** Whether the answer before it has the same text. */
  readonly isSaid: boolean;
}

export type Item = AnswerItem | ToolItem | ApprovalItem | NoteItem | EndItem;

export interface PlanStep {
  readonly description: string;
  readonly status: string;
}

export interface Activity {
  readonly kind: 'queued' | 'thinking' | 'answering' | 'tool' | 'approval' | 'backoff';
  readonly name: string;
  readonly since: number;
}

export interface Run {
  items: Item[];
  spans: Span[];
  plan: readonly PlanStep[];
  activity: Activity | null;
  /** For a fork: the run whose conversation it continues, up to that step. */
  fork: { readonly from: string; readonly steps: number } | null;
  /** The inputs of the tool calls that the newest answer asks for, by the ids of the calls. */
  inputs: Map<string, Json | undefined>;
  status: string;
  /** Steps that have ended. */
  steps: number;
  inputTokens: number;
  outputTokens: number;
  lastAt: number;
}

export function emptyRun(): Run {
  return {
    items: [],
    spans: [],
    plan: [],
    activity: null,
    fork: null,
    inputs: new Map(),
    status: 'queued',
    steps: 0,
    inputTokens: 0,
    outputTokens: 0,
    lastAt: 0,
  };
}

export function foldRun(events: readonly Envelope[]): Run {
  const run = emptyRun();
  for (const event of events) apply(run, event);
  return run;
}

type Data = Readonly<Record<string, Json | undefined>>;
interface Seen {
  readonly at: number;
  readonly position: number;
  readonly data: Data;
}

/** Adds one event. Unknown types are ignored: a newer daemon may have more. */
export function apply(run: Run, { type, at, position, data }: Envelope): void {
  run.lastAt = at;
  const handler = Object.hasOwn(HANDLERS, type) ? HANDLERS[type] : undefined;
  handler?.(run, { at, position, data: objectOf(data) });
}

function begin(run: Run, lane: Lane, { at, position }: Seen, name: string): void {
  run.spans.push({ lane, from: at, to: null, name, failed: false, tokens: null, position });
}

function end(run: Run, lane: Lane, at: number, change: Partial<Pick<Span, 'failed' | 'tokens'>> = {}): void {
  const span = run.spans.findLast((each) => each.lane === lane && each.to === null);
  if (span !== undefined) Object.assign(span, { to: endOf(span, at), ...change });
}

/** A span is never shorter than nothing, also when the clock was set back meanwhile. */
function endOf({ from }: Span, at: number): number {
  return Math.max(from, at);
}

function note(run: Run, kind: NoteItem['kind'], { at, position }: Seen, words: string): void {
  run.items.push({ kind, at, position, text: words });
}

function finish(status: string, words: string): (run: Run, event: Seen) => void {
  return (run, event) => {
    for (const span of run.spans) span.to ??= endOf(span, event.at);
    const answer = lastAnswer(run);
    if (answer !== undefined) answer.isOpen = false;
    run.status = status;
    run.activity = null;
    const text = textOf(event.data[words]);
    const last = run.items.at(-1);
    // The failure of the last model call is why the run failed: it is shown once.
    if (last?.kind === 'note' && last.text === text) run.items.pop();
    run.items.push({
      kind: 'end',
      at: event.at,
      position: event.position,
      text,
      status,
      isSaid: answer?.text === text,
    });
  };
}

function lastAnswer(run: Run): AnswerItem | undefined {
  return run.items.findLast((item) => item.kind === 'answer');
}

function openAnswer(run: Run): AnswerItem | undefined {
  const answer = lastAnswer(run);
  return answer?.isOpen ? answer : undefined;
}

/** Puts a changed copy in place of the call: a component that reads signals is not rendered again for the same object. */
function changeTool(run: Run, callId: Json | undefined, change: Partial<ToolItem>): void {
  const index = run.items.findLastIndex((item) => item.kind === 'tool' && item.callId === callId);
  const item = run.items[index];
  if (item?.kind === 'tool') run.items[index] = { ...item, ...change };
}

interface Started {
  readonly call: Readonly<Record<string, Json>>;
  readonly state: ToolState;
  readonly output?: string;
}

function startTool(run: Run, event: Seen, { call, state, output }: Started): void {
  run.items.push({
    kind: 'tool',
    at: event.at,
    position: event.position,
    step: numberOf(event.data.step_num),
    callId: textOf(call.id),
    name: textOf(call.name),
    input: objectOf(call.input),
    output: output ?? null,
    state,
    durationMs: null,
    files: [],
  });
}

function closeAnswer(run: Run, event: Seen, change: Partial<Span> = {}): AnswerItem | undefined {
  const open = openAnswer(run);
  if (open !== undefined) open.isOpen = false;
  end(run, 'model', event.at, change);
  run.activity = { kind: 'thinking', name: '', since: event.at };
  return open;
}

function settleApproval(run: Run, event: Seen, state: ApprovalItem['state'], reason: string): void {
  const { approval_id } = event.data;
  const index = run.items.findLastIndex((item) => item.kind === 'approval' && item.id === approval_id);
  const item = run.items[index];
  if (item?.kind === 'approval') run.items[index] = { ...item, state, reason };
  end(run, 'wait', event.at, { failed: state !== 'allowed' });
  run.activity = { kind: 'thinking', name: '', since: event.at };
}

function request(run: Run, event: Seen, data: Data): void {
  run.status = 'queued';
  run.activity = { kind: 'queued', name: '', since: event.at };
  begin(run, 'wait', event, 'queue');
  note(run, 'user', event, textOf(data.task));
}

const HANDLERS: Readonly<Record<string, (run: Run, event: Seen) => void>> = {
  RunRequested: (run, event) => request(run, event, event.data),
  RunResumed: (run, event) => request(run, event, objectOf(event.data.request)),
  RunForked: (run, event) => {
    run.plan = planOf(event.data.plan);
    run.fork = { from: textOf(event.data.from_session_id), steps: numberOf(event.data.steps) };
    note(run, 'note', event, `Forked from ${textOf(event.data.from_session_id).slice(0, 12)}`);
  },
  RunBegun: (run, event) => {
    end(run, 'wait', event.at);
    run.status = 'running';
    run.activity = { kind: 'thinking', name: '', since: event.at };
  },
  ModelAsked: (run, event) => {
    const model = textOf(event.data.model);
    begin(run, 'model', event, model);
    run.inputs.clear();
    run.activity = { kind: 'thinking', name: model, since: event.at };
    run.items.push({
      kind: 'answer',
      at: event.at,
      position: event.position,
      call: numberOf(event.data.call),
      model,
      text: '',
      reasoning: '',
      isOpen: true,
      inputTokens: null,
      outputTokens: null,
    });
  },
  ModelFramesReceived: (run, event) => {
    const open = openAnswer(run);
    if (open === undefined) return;
    for (const frame of listOf(event.data.frames).map(objectOf)) {
      if (frame.type === 'text') open.text += textOf(frame.text);
      if (frame.type === 'reasoning') open.reasoning += textOf(frame.text);
      const call = objectOf(frame.call);
      if (frame.type === 'tool_call') run.inputs.set(textOf(call.id), call.input);
    }
    if (run.activity?.kind !== 'answering') run.activity = { kind: 'answering', name: open.model, since: event.at };
  },
  ModelAnswered: (run, event) => {
    const usage = objectOf(event.data.usage);
    const tokens = numberOf(usage.input_tokens) + numberOf(usage.output_tokens);
    const open = closeAnswer(run, event, { tokens: tokens === 0 ? null : tokens });
    run.inputTokens += numberOf(usage.input_tokens);
    run.outputTokens += numberOf(usage.output_tokens);
    if (open === undefined) return;
    open.inputTokens = numberOrNull(usage.input_tokens);
    open.outputTokens = numberOrNull(usage.output_tokens);
  },
  ModelCallFailed: (run, event) => {
    closeAnswer(run, event, { failed: true });
    note(run, 'note', event, textOf(event.data.message));
  },
  ModelCallInterrupted: (run, event) => {
    closeAnswer(run, event, { failed: true });
    note(run, 'note', event, textOf(event.data.reason));
  },
  RetryScheduled: (run, event) => {
    begin(run, 'wait', event, 'backoff');
    run.activity = { kind: 'backoff', name: '', since: event.at };
    note(run, 'note', event, textOf(event.data.content));
  },
  ModelCallPostponed: (run, event) => {
    const until = new Date(numberOf(event.data.again_at)).toISOString();
    note(run, 'note', event, `The provider asks for a longer wait: the model is called again at ${until}.`);
  },
  BackoffEnded: (run, event) => end(run, 'wait', event.at),
  AnswerContinued: (run, event) => note(run, 'note', event, textOf(event.data.message)),
  ToolStarted: (run, event) => {
    const call = objectOf(event.data.call);
    const name = textOf(call.name);
    startTool(run, event, { call, state: 'running' });
    begin(run, 'tool', event, name);
    run.activity = { kind: 'tool', name, since: event.at };
  },
  ToolFinished: (run, event) => {
    const { call_id, success, output, duration_ms, files_modified } = event.data;
    run.steps += 1;
    end(run, 'tool', event.at, { failed: success !== true });
    run.activity = { kind: 'thinking', name: '', since: event.at };
    changeTool(run, call_id, {
      state: success === true ? 'ok' : 'failed',
      output: textOf(output),
      durationMs: numberOrNull(duration_ms),
      files: listOf(files_modified).map(textOf),
    });
  },
  ToolLeftChanges: (run, event) =>
    changeTool(run, event.data.call_id, { files: listOf(event.data.files_modified).map(textOf) }),
  ToolRejected: (run, event) => {
    const { call_id, tool_name, content } = event.data;
    const id = textOf(call_id);
    const call = { id, name: textOf(tool_name), input: run.inputs.get(id) ?? {} };
    startTool(run, event, { call, state: 'rejected', output: textOf(content) });
  },
  ToolInterrupted: (run, event) => {
    const { call_id, repeat, reason } = event.data;
    end(run, 'tool', event.at, { failed: true });
    if (repeat !== true) run.steps += 1;
    changeTool(run, call_id, { state: 'interrupted', output: textOf(reason) });
  },
  PlanUpdated: (run, event) => {
    run.plan = planOf(event.data.steps);
    run.steps += 1;
  },
  ApprovalRequested: (run, event) => {
    const call = objectOf(event.data.call);
    begin(run, 'wait', event, 'approval');
    run.activity = { kind: 'approval', name: textOf(call.name), since: event.at };
    run.items.push({
      kind: 'approval',
      at: event.at,
      position: event.position,
      id: textOf(event.data.approval_id),
      tool: textOf(call.name),
      input: call.input ?? null,
      expiresAt: numberOf(event.data.expires_at),
      state: 'pending',
      reason: '',
    });
  },
  ApprovalAnswered: (run, event) =>
    settleApproval(run, event, event.data.decision === 'deny' ? 'denied' : 'allowed', textOf(event.data.reason)),
  ApprovalExpired: (run, event) => settleApproval(run, event, 'expired', ''),
  ApprovalWithdrawn: (run, event) => settleApproval(run, event, 'cancelled', textOf(event.data.reason)),
  SystemNoted: (run, event) => note(run, 'note', event, textOf(event.data.content)),
  HealthChanged: (run, event) => note(run, 'note', event, `${textOf(event.data.state)}: ${textOf(event.data.reason)}`),
  StepsExtended: (run, event) => note(run, 'note', event, `${numberOf(event.data.granted)} more steps granted`),
  RunCompleted: finish('complete', 'summary'),
  RunStopped: finish('partial', 'summary'),
  RunFailed: finish('failed', 'message'),
  RunCancelled: finish('cancelled', 'reason'),
};

function planOf(value: Json | undefined): readonly PlanStep[] {
  return listOf(value).map((step) => {
    const { description, status } = objectOf(step);
    return { description: textOf(description), status: textOf(status) };
  });
}
