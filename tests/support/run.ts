/** Drives a run through its decider as a reactor would, for tests of the decider, of replay and of projections. */
import type { Context } from '../../src/commands/decider.ts';
import { isRefusal } from '../../src/commands/refusal.ts';
import { type RunCommand, run } from '../../src/commands/run/decide.ts';
import type { RecordedRunEvent } from '../../src/commands/run/replay.ts';
import { initialRun, type RunState } from '../../src/commands/run/state.ts';
import type { Json } from '../../src/events/envelope.ts';
import type { Frame, RunEvent, RunRequest } from '../../src/events/run/events.ts';
import { INPUTS, runRequest } from '../../src/testing/commands/run-inputs.ts';

const STOP = { finish_reason: 'stop', usage: { input_tokens: 1, output_tokens: 1 } } as const;

export interface DrivenRun {
  readonly events: readonly RecordedRunEvent[];
  readonly state: RunState;
  send(command: RunCommand): readonly RunEvent[];
  /** Asks the model and lets it answer with text, tool calls or both. */
  answer(
    text: string,
    ...calls: readonly { readonly name: string; readonly input?: Json; readonly id?: string }[]
  ): void;
  /** The same with an answer that the token limit cut off. */
  cutOff(text: string): void;
  /** Runs the tool that is due. */
  tool(success?: boolean, output?: string): void;
  fail(kind?: 'transient' | 'fatal', retry_after_ms?: number | null): void;
  types(): readonly string[];
}

export function drive(changes: Partial<RunRequest> = {}): DrivenRun {
  const events: RecordedRunEvent[] = [];
  let state = initialRun;
  let decisions = 0;
  let calls = 0;
  const driven: DrivenRun = {
    events,
    get state() {
      return state;
    },
    send(command) {
      const context: Context = { id: 'an-id', now: events.length + 1 };
      const decision = run.decide(command, state, context);
      if (isRefusal(decision)) throw new Error(`refused: ${decision.message}`);
      decisions += 1;
      for (const event of decision) {
        state = run.evolve(state, { ...event, at: context.now, actor: 'owner' });
        const position = events.length + 1;
        const envelope = { position, version: position, at: context.now, causation: `decision ${decisions}` };
        events.push({ ...structuredClone(event), ...envelope } as RecordedRunEvent);
      }
      return decision;
    },
    answer(text, ...wanted) {
      driven.send({ type: 'StartModelCall', inputs: INPUTS });
      const frames = textFrames(text);
      for (const { name, input = {}, id } of wanted) {
        calls += 1;
        frames.push({ type: 'tool_call', call: { id: id ?? `call-${calls}`, name, input } });
      }
      driven.send({ type: 'RecordFrames', call: state.call, frames });
      driven.send({ type: 'RecordAnswer', call: state.call, answer: STOP, jitter: 0.5 });
    },
    cutOff(text) {
      driven.send({ type: 'StartModelCall', inputs: INPUTS });
      driven.send({ type: 'RecordFrames', call: state.call, frames: textFrames(text) });
      const answer = { ...STOP, finish_reason: 'length' as const };
      driven.send({ type: 'RecordAnswer', call: state.call, answer, jitter: 0.5 });
    },
    tool(success = true, output = 'done') {
      const id = state.pending[0]?.id ?? '';
      driven.send({ type: 'StartTool', call_id: id });
      const report = { success, output, files_modified: [], duration_ms: 1 };
      driven.send({ type: 'RecordTool', call_id: id, report });
    },
    fail(kind = 'transient', retry_after_ms = null) {
      driven.send({ type: 'StartModelCall', inputs: INPUTS });
      const failure = { kind, message: 'the provider is busy', status: 529, retry_after_ms, jitter: 0.5 };
      driven.send({ type: 'RecordModelFailure', call: state.call, failure });
    },
    types: () => events.map((event) => event.type),
  };
  driven.send({ type: 'RequestRun', request: runRequest(changes), notes: [], fork: null });
  driven.send({ type: 'BeginRun' });
  return driven;
}

function textFrames(text: string): Frame[] {
  return text === '' ? [] : [{ type: 'text', text }];
}
