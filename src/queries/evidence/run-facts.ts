/** The facts in the events of one run: requests, calls of models and tools, the end. Equal events give equal facts. */
import { decodeEvents, type StoredOf } from '../../events/decode.ts';
import { agentEvents } from '../../events/run/agent-event.ts';
import { runEvents } from '../../events/run/events.ts';
import { inSlices } from '../../lib/slices.ts';
import type { RecordedEvent } from '../../storage/event-log.ts';

/** A recorded event of a run that is not erased. */
export type RunRecord = StoredOf<typeof runEvents, RecordedEvent>;
type DataOf<Type extends RunRecord['type']> = Extract<RunRecord, { type: Type }>['data'];

export interface ModelTotals {
  readonly name: string;
  asked: number;
  answered: number;
  input: number;
  output: number;
  /** Number of answers for which the provider did not report both numbers of tokens. */
  untold: number;
}

export interface ToolCall {
  readonly step: number;
  readonly name: string;
  readonly result: string;
  readonly ms: number | null;
  readonly files: readonly string[];
  readonly position: number;
}

export interface RunFacts {
  readonly records: readonly RunRecord[];
  readonly requests: readonly Extract<RunRecord, { type: 'RunRequested' | 'RunResumed' }>[];
  /** The first request; undefined when it is erased. */
  readonly requested: Extract<RunRecord, { type: 'RunRequested' }> | undefined;
  readonly fork: Extract<RunRecord, { type: 'RunForked' }> | undefined;
  readonly status: 'waiting' | 'going' | 'complete' | 'partial' | 'failed' | 'cancelled';
  /** The newest end, null while the run has not ended. */
  readonly end: { readonly at: number; readonly position: number; readonly text: string } | null;
  readonly left: readonly string[];
  readonly models: readonly ModelTotals[];
  readonly tools: readonly ToolCall[];
  /** As `steps_completed` of the job: refused calls are not steps, and a call that was repeated is one. */
  readonly steps: number;
  readonly files: readonly string[];
  /** Number of events by actor, erased ones included. */
  readonly actors: ReadonlyMap<string, number>;
  readonly erased: readonly number[];
}

export async function runFacts(events: readonly RecordedEvent[]): Promise<RunFacts> {
  const records: RunRecord[] = [];
  for await (const event of inSlices(events)) records.push(...decodeEvents(runEvents, [event]));
  const tools = records.flatMap(toolCall);
  const files = new Set([...tools.flatMap((tool) => tool.files), ...records.flatMap(filesLeft)]);
  const actors = new Map<string, number>();
  for (const { actor } of events) actors.set(actor, (actors.get(actor) ?? 0) + 1);
  return {
    records,
    requests: records.filter((event) => event.type === 'RunRequested' || event.type === 'RunResumed'),
    requested: records.find((event) => event.type === 'RunRequested'),
    fork: records.find((event) => event.type === 'RunForked'),
    ...endOf(records),
    models: modelTotals(records),
    tools,
    steps: records.flatMap(agentEvents).filter(({ type }) => type === 'step').length,
    files: [...files].sort(),
    actors,
    erased: events.filter(({ erased }) => erased === true).map(({ position }) => position),
  };
}

function endOf(records: readonly RunRecord[]): Pick<RunFacts, 'status' | 'end' | 'left'> {
  let state: Pick<RunFacts, 'status' | 'end' | 'left'> = { status: 'waiting', end: null, left: [] };
  for (const { type, data, at, position } of records) {
    // A run whose request is erased does not begin.
    if (type === 'RunBegun' && state.status === 'waiting') state = { ...state, status: 'going' };
    if (type === 'RunRequested' || type === 'RunResumed') state = { status: 'waiting', end: null, left: [] };
    if (type === 'RunCompleted') state = { status: 'complete', end: { at, position, text: data.summary }, left: [] };
    if (type === 'RunFailed') state = { status: 'failed', end: { at, position, text: data.message }, left: [] };
    if (type === 'RunCancelled') state = { status: 'cancelled', end: { at, position, text: data.reason }, left: [] };
    if (type === 'RunStopped') {
      const text = [data.reason, data.summary].filter((part) => part !== '').join('\n\n');
      state = { status: 'partial', end: { at, position, text }, left: data.remaining_plan };
    }
  }
  return state;
}

function modelTotals(records: readonly RunRecord[]): readonly ModelTotals[] {
  const totals = new Map<string, ModelTotals>();
  const byCall = new Map<number, ModelTotals>();
  for (const { type, data } of records) {
    if (type === 'ModelAsked') {
      const name = modelName(data);
      const of = totals.get(name) ?? { name, asked: 0, answered: 0, input: 0, output: 0, untold: 0 };
      of.asked += 1;
      totals.set(name, of);
      byCall.set(data.call, of);
    }
    const of = type === 'ModelAnswered' ? byCall.get(data.call) : undefined;
    if (type === 'ModelAnswered' && of !== undefined) addUsage(of, data.usage);
  }
  return [...totals.values()];
}

function addUsage(of: ModelTotals, { input_tokens, output_tokens }: DataOf<'ModelAnswered'>['usage']): void {
  of.answered += 1;
  of.input += input_tokens ?? 0;
  of.output += output_tokens ?? 0;
  if (input_tokens === null || output_tokens === null) of.untold += 1;
}

export function modelName({ provider, model }: { readonly provider: string; readonly model: string }): string {
  return [provider, model].filter((part) => part !== '').join(' / ');
}

function toolCall({ type, data, position }: RunRecord): readonly ToolCall[] {
  const none = { ms: null, files: [], position };
  if (type === 'ToolFinished') {
    const result = data.success ? 'succeeded' : 'failed';
    const { step_num: step, tool_name: name, duration_ms: ms, files_modified: files } = data;
    return [{ step, name, result, ms, files, position }];
  }
  if (type === 'ToolRejected') return [{ ...none, step: data.step_num, name: data.tool_name, result: 'not allowed' }];
  if (type === 'ToolInterrupted') {
    const result = data.repeat ? 'interrupted, repeated' : 'interrupted';
    return [{ ...none, step: data.step_num, name: data.tool_name, result }];
  }
  if (type === 'PlanUpdated') return [{ ...none, step: data.step_num, name: 'update_plan', result: 'succeeded' }];
  return [];
}

function filesLeft({ type, data }: RunRecord): readonly string[] {
  return type === 'ToolLeftChanges' ? data.files_modified : [];
}
