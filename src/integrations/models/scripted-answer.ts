/**
 * The answers of the scripted model: a pure function of the conversation. The task's text and the tools determine all
 * answers; the number of tool results after the task selects the next one.
 *
 * - The first sentence of a first and of a last answer says that no language model is speaking.
 * - A tool that is rejected or fails changes the plan and the summary, not the number of answers.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Json } from '../../events/envelope.ts';
import { cut } from '../../lib/characters.ts';
import type { ModelFrame, ModelMessage, ModelRequest } from '../../ports/models.ts';
import { withoutTags } from './markup.ts';
import { callId, nextCallNumber, withoutMarkup, writeCall } from './prose.ts';
import { type ScriptedStep, stepsOf } from './scripted-task.ts';

export interface ScriptedAnswer {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly input: Json }[];
  /** Frames that follow the text slowly, to show a slow model. */
  readonly slowFrames: number;
}

type ToolMessage = Extract<ModelMessage, { role: 'tool' }>;
type PlanStatus = 'pending' | 'in_progress' | 'done' | 'failed';

/** A step with its results; it is done when it has as many results as calls. */
interface Played {
  readonly step: ScriptedStep;
  readonly results: readonly ToolMessage[];
}

const NO_MODEL = 'This is a rehearsal: no language model is speaking, only a script that is part of Daybook.';
const QUOTE_CHARS_MAX = 120;
const PREVIEW_CHARS_MAX = 400;
const PLAN_TOOL = 'update_plan';

function scriptedAnswer(request: ModelRequest): ScriptedAnswer {
  const at = request.messages.findLastIndex((message) => message.role === 'user');
  const question = request.messages[at];
  const task = question?.role === 'user' ? question.content : '';
  const steps = stepsOf(task, new Set(request.tools.map((tool) => tool.name)));
  const results = request.messages.slice(at + 1).filter((message) => message.role === 'tool');
  const answer =
    request.tools.length === 0
      ? chatAnswer(task, steps)
      : agentAnswer({ task, steps, results, plans: hasPlan(request, steps) });
  return { ...answer, text: withoutTags(answer.text) };
}

function chatAnswer(message: string, steps: readonly ScriptedStep[]): ScriptedAnswer {
  const echo =
    message.trim() === '' ? 'You wrote nothing yet.' : `You wrote: “${shortened(message.trim(), QUOTE_CHARS_MAX)}”.`;
  const help =
    'Set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or start Ollama and choose one of its models, ' +
    'and the same request is answered by that model.';
  return { text: `${NO_MODEL} ${echo} ${help}`, calls: [], slowFrames: slowFramesOf(steps) };
}

function agentAnswer(run: {
  readonly task: string;
  readonly steps: readonly ScriptedStep[];
  readonly results: readonly ToolMessage[];
  readonly plans: boolean;
}): ScriptedAnswer {
  const { task, plans } = run;
  const opening = plans && run.results.length === 0;
  if (opening)
    return { text: `${NO_MODEL} It will go through the task step by step.`, ...planCall(play(run.steps, [])) };
  const played = play(run.steps, plans ? run.results.slice(1) : run.results);
  const next = played.find(({ step, results }) => step.calls.length > results.length);
  if (next) {
    const first = played.every(({ results }) => results.length === 0) && !plans;
    const text = [first ? NO_MODEL : '', troubleBefore(played, next), next.step.says].filter(Boolean).join(' ');
    return { text, calls: next.step.calls.map((call) => filled(call, task, played)), slowFrames: next.step.slowFrames };
  }
  const callCount = run.steps.reduce((count, step) => count + step.calls.length, 0);
  if (plans && run.results.length === callCount + 1) return { text: 'Everything has been tried.', ...planCall(played) };
  return {
    text: summary(task, played),
    calls: [],
    slowFrames: slowFramesOf(run.steps.filter((s) => s.calls.length === 0)),
  };
}

function play(steps: readonly ScriptedStep[], results: readonly ToolMessage[]): readonly Played[] {
  let used = 0;
  return steps.map((step) => {
    const own = results.slice(used, used + step.calls.length);
    used += step.calls.length;
    return { step, results: own };
  });
}

/** Only a task without directives gets a plan. */
function hasPlan(request: ModelRequest, steps: readonly ScriptedStep[]): boolean {
  return request.tools.some((tool) => tool.name === PLAN_TOOL) && steps.some((step) => step.title !== null);
}

function planCall(played: readonly Played[]): Pick<ScriptedAnswer, 'calls' | 'slowFrames'> {
  const titled = played.filter(({ step }) => step.title !== null);
  const open = titled.findIndex((one) => statusOf(one) === 'pending');
  const steps = titled.map((one, index) => ({
    description: one.step.title,
    status: index === open ? 'in_progress' : statusOf(one),
  }));
  return { calls: [{ name: PLAN_TOOL, input: { steps } }], slowFrames: 0 };
}

function statusOf({ step, results }: Played): PlanStatus {
  if (results.length < step.calls.length) return 'pending';
  return results.some((result) => result.is_error) ? 'failed' : 'done';
}

/** Fills in content that depends on earlier results. */
function filled(call: ScriptedStep['calls'][number], task: string, played: readonly Played[]) {
  if (!call.writesNotes) return { name: call.name, input: call.input };
  return { name: call.name, input: { ...call.input, content: notes(task, played) } };
}

function notes(task: string, played: readonly Played[]): string {
  const seen = played.filter(({ step, results }) => step.reads && results.some((result) => !result.is_error));
  const parts = seen.map(({ step, results }) => `## ${step.reads}\n\n${quoted(results[0]?.output ?? '')}`);
  const head = ['# Notes', `Task: ${task.trim()}`, `${NO_MODEL} It only copies what the tools showed.`];
  return `${[...head, ...parts].join('\n\n')}\n`;
}

function troubleBefore(played: readonly Played[], next: Played): string {
  const before = played[played.indexOf(next) - 1];
  const failed = before?.results.find((result) => result.is_error);
  return failed ? `That did not work (${firstLine(failed.output)}), so the script goes on without it.` : '';
}

function summary(task: string, played: readonly Played[]): string {
  const lines = played.flatMap(({ step, results }) => results.map((result) => outcome(step, result)));
  const done = lines.length === 0 ? 'No tool was needed.' : `What happened:\n${lines.join('\n')}`;
  return `${NO_MODEL} The task was: “${shortened(task.trim(), QUOTE_CHARS_MAX)}”.\n\n${done}`;
}

function outcome(step: ScriptedStep, result: ToolMessage): string {
  if (result.is_error) return `- ${step.did}: it did not work (${firstLine(result.output)}).`;
  const lineCount = result.output === '' ? 0 : result.output.trimEnd().split('\n').length;
  const size = `${lineCount} ${lineCount === 1 ? 'line' : 'lines'}`;
  return `- ${step.did}: ok, ${size} of output, beginning “${firstLine(result.output)}”.`;
}

function slowFramesOf(steps: readonly ScriptedStep[]): number {
  return steps.reduce((count, step) => count + step.slowFrames, 0);
}

function firstLine(text: string): string {
  return shortened(
    text
      .split('\n')
      .find((line) => line.trim() !== '')
      ?.trim() ?? '',
    QUOTE_CHARS_MAX,
  );
}

function quoted(text: string): string {
  return shortened(text.trim(), PREVIEW_CHARS_MAX)
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}

function shortened(text: string, charsMax: number): string {
  const head = cut(text, charsMax);
  return head.left === 0 ? text : `${head.text.trimEnd()}…`;
}

/** Small enough to split tags and words, as real streams do. */
const FRAME_CHARS = 24;
const PACE_MS = 50;

/**
 * The provider of a daemon without a configured model (`rehearsal` on the wire): deterministic, offline, without a
 * language model. It calls real tools, and its calls in the prose transport go through the same codec as those of a
 * real model.
 */
export function scriptedFrames(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelFrame> {
  const answer = scriptedAnswer(request);
  const firstCall = nextCallNumber(request.messages);
  if (request.settings.tool_transport === 'native') return spoken(answer, { signal, firstCall, markup: '' });
  const markup = answer.calls.map((call) => `\n${writeCall(call)}`).join('');
  const prose = spoken({ ...answer, calls: [] }, { signal, firstCall, markup });
  return withoutMarkup(prose, { tools: request.tools.length > 0, firstCall });
}

async function* spoken(
  answer: ScriptedAnswer,
  { signal, firstCall, markup }: { readonly signal: AbortSignal; readonly firstCall: number; readonly markup: string },
): AsyncGenerator<ModelFrame> {
  signal.throwIfAborted();
  yield* framesOf(answer.text);
  for (let frame = 1; frame <= answer.slowFrames; frame++) {
    await sleep(PACE_MS, undefined, { signal });
    yield { type: 'text', text: `\nSlowly, ${frame} of ${answer.slowFrames}.` };
  }
  yield* framesOf(markup);
  for (const [index, call] of answer.calls.entries()) {
    yield { type: 'tool_call', call: { id: callId(firstCall + index), ...call } };
  }
  const reason = answer.calls.length > 0 ? 'tool_calls' : 'stop';
  yield { type: 'finish', reason, usage: { input_tokens: null, output_tokens: null } };
}

/** Splits between characters: half a surrogate pair could not be sent. */
function framesOf(text: string): ModelFrame[] {
  const chars = Array.from(text);
  const starts = Array.from({ length: Math.ceil(chars.length / FRAME_CHARS) }, (_, index) => index * FRAME_CHARS);
  return starts.map((at) => ({ type: 'text', text: chars.slice(at, at + FRAME_CHARS).join('') }));
}
