/** A table cell for each event of a run that matters to readers of a report; empty for other events. */
import type { DataOf } from '../../events/define.ts';
import type { RunEvent } from '../../events/run/events.ts';
import { cell, counted } from '../markdown.ts';
import { modelName, type RunRecord } from './run-facts.ts';

/** The text of each model answer, by the number of the call. */
export type AnswerTexts = ReadonlyMap<number, string>;

/** Limit of one shown text; the event has the whole text. */
const TEXT_CHARACTERS_MAX = 600;

export function answerTexts(records: readonly RunRecord[]): AnswerTexts {
  const texts = new Map<number, string>();
  for (const { type, data } of records) {
    if (type !== 'ModelFramesReceived') continue;
    const answer = data.frames.map((frame) => (frame.type === 'text' ? frame.text : '')).join('');
    texts.set(data.call, (texts.get(data.call) ?? '') + answer);
  }
  return texts;
}

export function whatHappened(record: RunRecord, answers: AnswerTexts): string {
  const sentence = SENTENCES[record.type] as (data: RunRecord['data'], answers: AnswerTexts) => string;
  return sentence(record.data, answers);
}

const none = (): string => '';

/** Typed text, shortened. */
function said(text: string): string {
  const characters = [...text];
  const more = characters.length - TEXT_CHARACTERS_MAX;
  if (more <= 0) return cell(text);
  return `${cell(characters.slice(0, TEXT_CHARACTERS_MAX).join(''))} … (${counted(more, 'more character')})`;
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
