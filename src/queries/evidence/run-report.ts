/** `report.md` of a run, from its events alone: requests, events, actors, the end, tools and tokens. */
import type { DataOf } from '../../events/define.ts';
import type { RunEvent } from '../../events/run/events.ts';
import { cut } from '../../lib/characters.ts';
import { inSlices } from '../../lib/slices.ts';
import type { RecordedEvent } from '../../storage/event-log.ts';
import { blocks, bullets, cell, code, counted, line, NONE, paragraphs, table } from '../markdown.ts';
import { modelName, type RunFacts, type RunRecord, runFacts, type ToolCall } from './run-facts.ts';

export interface ReportHead {
  readonly id: string;
  /** Number of events that the checkpoint covers. */
  readonly size: number;
}

/** Limit of rows in the table of events; later events are in `events.jsonl` only. */
const ROWS_MAX = 5_000;

export async function runReport({ id, size }: ReportHead, events: readonly RecordedEvent[]): Promise<string> {
  const facts = await runFacts(events);
  const text = blocks(
    `# Run ${code(id)} — report`,
    source(events, size),
    runSummary(facts),
    '## What was asked',
    ...facts.requests.map(request),
    '## How it ended',
    ending(facts),
    '## What happened',
    await happened(facts),
    '## Tools',
    toolTable(facts.tools),
    filesModified(facts),
    '## Models and tokens',
    tokenTable(facts),
    '## Who',
    who(facts),
  );
  return `${text}\n`;
}

/** The source of the text, so that a reader can find each statement among the events. */
export function source(events: readonly RecordedEvent[], size: number): string {
  const [first, last] = [events[0]!.position, events.at(-1)!.position];
  return (
    `> Written from ${counted(events.length, 'event')} at the positions ${first} to ${last} of the log, as of the ` +
    `checkpoint of ${counted(size, 'event')}. A number in the column *Event* is the position of a line of ` +
    '`events.jsonl`. Times are in UTC, from the clock of the computer that recorded them.'
  );
}

function runSummary({ status, requests, requested, end, fork, models, steps, erased }: RunFacts): string {
  const newest = requests.at(-1)?.data;
  const newestRequest = newest === undefined ? undefined : 'request' in newest ? newest.request : newest;
  const facts = [
    `**Status:** ${status}`,
    requested !== undefined &&
      `**Requested:** ${exact(requested.at)} by ${line(requested.actor)} (event ${requested.position})`,
    end !== null && `**Ended:** ${exact(end.at)} (event ${end.position})`,
    newestRequest !== undefined && `**Model:** ${line(modelName(newestRequest))}`,
    newestRequest !== undefined && `**Permission:** ${newestRequest.approval}, in ${code(newestRequest.workspace)}`,
    fork !== undefined &&
      `**Forked from:** run ${code(fork.data.from_session_id)} after its event number ${fork.data.from_version}`,
    `**Steps:** ${steps}`,
    `**Tokens:** ${tokensOf(models)}`,
    erased.length > 0 &&
      `**Erased:** the content of ${counted(erased.length, 'event')} (${erased.join(', ')}); it is missing here`,
  ].filter((fact) => fact !== false);
  return facts.join('  \n');
}

export function tokensOf(models: RunFacts['models']): string {
  const sum = (of: 'input' | 'output' | 'untold'): number => models.reduce((total, model) => total + model[of], 0);
  const untold = sum('untold') === 0 ? '' : `, and ${counted(sum('untold'), 'answer')} without numbers`;
  return `${sum('input')} in, ${sum('output')} out${untold}`;
}

/** To the millisecond, in UTC. */
export function exact(ms: number): string {
  return new Date(ms).toISOString().replace('T', ' ').replace('Z', ' UTC');
}

function request({ type, data, at, actor, position }: RunFacts['requests'][number]): string {
  const asked = type === 'RunRequested' ? data : data.request;
  const how = type === 'RunRequested' ? 'Asked' : 'Asked again, to go on';
  return blocks(`**${how}** on ${exact(at)} by ${line(actor)} (event ${position}):`, paragraphs(asked.task));
}

export function ending({ status, end, left }: RunFacts): string {
  if (end === null) return `It had not ended: ${status}.`;
  return blocks(
    `${ENDS[status]} on ${exact(end.at)} (event ${end.position}).`,
    paragraphs(end.text),
    left.length > 0 && blocks('Not done of its plan:', bullets(left.map(line))),
  );
}

const ENDS: Readonly<Record<RunFacts['status'], string>> = {
  waiting: 'It had not begun',
  going: 'It had not ended',
  complete: 'It completed',
  partial: 'It stopped with work left',
  failed: 'It failed',
  cancelled: 'It was cancelled',
};

async function happened({ records }: RunFacts): Promise<string> {
  const answers = answerTexts(records);
  const rows: (readonly string[])[] = [];
  let last = 0;
  for await (const record of inSlices(records)) {
    if (rows.length === ROWS_MAX) break;
    rows.push(...row(record, answers));
    last = record.position;
  }
  const more = records.filter(({ position }) => position > last).length;
  return blocks(
    table(['Event', 'When', 'Who', 'What'], rows),
    more > 0 && `What ${counted(more, 'later event')} ${more === 1 ? 'says' : 'say'} is not shown here.`,
  );
}

function row(record: RunRecord, answers: AnswerTexts): readonly (readonly string[])[] {
  const what = whatHappened(record, answers);
  return what === '' ? [] : [[String(record.position), exact(record.at), cell(record.actor), what]];
}

function toolTable(tools: readonly ToolCall[]): string {
  if (tools.length === 0) return 'No tool was used.';
  const rows = tools.map(({ step, name, result, ms, files, position }) => [
    String(step),
    cell(name),
    result,
    ms === null ? NONE : String(Math.round(ms)),
    cell(files.join('\n')),
    String(position),
  ]);
  return table(['Step', 'Tool', 'Result', 'Milliseconds', 'Files it changed', 'Event'], rows);
}

function filesModified({ files }: RunFacts): string {
  return files.length === 0 ? '' : blocks('### Files that were changed', bullets(files.map(line)));
}

function tokenTable({ models }: RunFacts): string {
  if (models.length === 0) return 'No model was asked.';
  const rows = models.map(({ name, asked, answered, input, output, untold }) => [
    cell(name),
    ...[asked, answered, input, output, untold].map(String),
  ]);
  return table(['Model', 'Asked', 'Answered', 'Tokens in', 'Tokens out', 'Answers without numbers'], rows);
}

function who({ actors }: RunFacts): string {
  const rows = [...actors].sort(([left], [right]) => (left < right ? -1 : 1));
  return blocks(
    table(
      ['Who', 'Events'],
      rows.map(([actor, count]) => [cell(actor), String(count)]),
    ),
    'A name is how Daybook knows who caused an event; it is no signature of a person.',
  );
}

/** The text of each model answer, by the number of the call. A repeated call has the text of its last attempt. */
type AnswerTexts = ReadonlyMap<number, string>;

/** Limit of one shown text; the event has the whole text. */
const TEXT_CHARACTERS_MAX = 600;

function answerTexts(records: readonly RunRecord[]): AnswerTexts {
  const texts = new Map<number, string>();
  for (const { type, data } of records) {
    if (type === 'ModelAsked') texts.delete(data.call);
    if (type !== 'ModelFramesReceived') continue;
    const answer = data.frames.map((frame) => (frame.type === 'text' ? frame.text : '')).join('');
    texts.set(data.call, (texts.get(data.call) ?? '') + answer);
  }
  return texts;
}

/** A table cell for each event of a run that matters to readers of a report; empty for other events. */
function whatHappened(record: RunRecord, answers: AnswerTexts): string {
  const sentence = SENTENCES[record.type] as (data: RunRecord['data'], answers: AnswerTexts) => string;
  return sentence(record.data, answers);
}

const none = (): string => '';

/** Typed text, shortened. */
function said(text: string): string {
  const { text: beginning, left } = cut(text, TEXT_CHARACTERS_MAX);
  return left === 0 ? cell(text) : `${cell(beginning)} … (${counted(left, 'more character')})`;
}

const SENTENCES: {
  readonly [Type in RunEvent['type']]: (data: DataOf<RunEvent, Type>, answers: AnswerTexts) => string;
} = {
  RunRequested: ({ task }) => `The run was requested: ${said(task)}`,
  RunForked: ({ from_session_id, from_version }) =>
    `It begins with the conversation of run ${cell(from_session_id)} after its event number ${from_version}.`,
  RunResumed: ({ request }) => `It was asked to go on: ${said(request.task)}`,
  RunBegun: () => 'The run began.',
  RunCompleted: ({ summary }) => `The run completed: ${said(summary)}`,
  RunStopped: ({ reason }) => `The run stopped with work left: ${said(reason)}`,
  RunFailed: ({ message }) => `The run failed: ${said(message)}`,
  RunCancelled: ({ reason }) => `The run was cancelled: ${said(reason)}`,
  SystemNoted: ({ content }) => `Note of the system: ${said(content)}`,
  ModelAsked: (data) =>
    `The model ${cell(modelName(data))} was asked (call ${data.call}; SHA-256 of the request \`${data.request_hash}\`).`,
  ModelFramesReceived: none,
  ModelAnswered: ({ call, finish_reason, usage }, answers) =>
    `The model answered (call ${call}, ${finish_reason}; tokens ${usage.input_tokens ?? '?'} in, ` +
    `${usage.output_tokens ?? '?'} out): ${said(answers.get(call) ?? '')}`,
  AnswerContinued: ({ continuation, continuations_max }) =>
    `The answer was cut off; the model is asked to go on (${continuation} of ${continuations_max}).`,
  ModelCallFailed: ({ call, kind, message }) => `The call ${call} of the model failed (${kind}): ${said(message)}`,
  ModelCallInterrupted: ({ call, reason }) => `The call ${call} of the model was interrupted: ${said(reason)}`,
  RetryScheduled: ({ call, attempt, max_attempts, backoff_ms }) =>
    `The call ${call} is repeated in ${backoff_ms} ms (${attempt + 1} of ${max_attempts}).`,
  ModelCallPostponed: ({ call, again_at }) =>
    `The call ${call} is repeated at ${new Date(again_at).toISOString()}, as the provider asks.`,
  BackoffEnded: none,
  ToolStarted: ({ step_num, call }) =>
    `Step ${step_num}: the tool ${cell(call.name)} started with ${said(JSON.stringify(call.input))}`,
  ToolFinished: ({ step_num, tool_name, success, output }) =>
    `Step ${step_num}: the tool ${cell(tool_name)} ${success ? 'succeeded' : 'failed'}: ${said(output)}`,
  ToolRejected: ({ step_num, tool_name, content }) =>
    `Step ${step_num}: the tool ${cell(tool_name)} did not run: ${said(content)}`,
  ApprovalRequested: ({ approval_id, call }) =>
    `A person is asked to allow the tool ${cell(call.name)} (approval ${cell(approval_id)}): ${said(JSON.stringify(call.input))}`,
  ApprovalAnswered: ({ approval_id, tool_name, decision, reason }) =>
    `The tool ${cell(tool_name)} was ${DECISIONS[decision]} (approval ${cell(approval_id)})${reason === null ? '' : `: ${said(reason)}`}`,
  ApprovalExpired: ({ approval_id, tool_name }) =>
    `Nobody answered about the tool ${cell(tool_name)} in time (approval ${cell(approval_id)}).`,
  ApprovalWithdrawn: ({ approval_id, reason }) =>
    `The question was withdrawn (approval ${cell(approval_id)}): ${said(reason)}`,
  ToolInterrupted: ({ step_num, tool_name, reason }) =>
    `Step ${step_num}: the tool ${cell(tool_name)} was interrupted: ${said(reason)}`,
  ToolLeftChanges: ({ files_modified }) =>
    `An interrupted tool changed these files: ${said(files_modified.join(', '))}`,
  PlanUpdated: ({ step_num, steps }) =>
    `Step ${step_num}: the plan is now: ${said(steps.map(({ description, status }) => `${description} (${status})`).join('; '))}`,
  HealthChanged: ({ state, reason }) => `The run is ${state}: ${said(reason)}`,
  StepsExtended: ({ granted, extension, max_step_extensions }) =>
    `${granted} more steps were granted (extension ${extension} of ${max_step_extensions}).`,
};

const DECISIONS = { allow_once: 'allowed once', allow_run: 'allowed for the rest of the run', deny: 'denied' } as const;
