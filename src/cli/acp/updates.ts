/**
 * A run's events as session updates for an editor. Each session has a translator, which knows the announced tool calls.
 *
 * - The id of a tool call is its step, which is unique in a session; the model's own ids are not.
 */
import { resolve } from 'node:path';
import type { PlanEntry, SessionUpdate, ToolCall, ToolCallContent, ToolKind } from '@agentclientprotocol/sdk';
import type { Json } from '../../events/envelope.ts';
import { agentEvents } from '../../events/run/agent-event.ts';
import type { PlanStep, RunEvent } from '../../events/run/events.ts';
import { cut } from '../../lib/characters.ts';

export interface Translator {
  updates(event: RunEvent): readonly SessionUpdate[];
  /** The tool call of a step, as announced. */
  toolCall(step: number, call: { readonly name: string; readonly input: Json }): ToolCall;
}

const OUTPUT_CHARACTERS_MAX = 20_000;
const TITLE_CHARACTERS_MAX = 120;
/** Kept of the model's text, to recognise a summary that repeats it. */
const RECENT_TEXT_CHARACTERS_MAX = 100_000;

const KINDS: Readonly<Record<string, ToolKind>> = {
  read_file: 'read',
  list_directory: 'read',
  git_diff: 'read',
  search_files: 'search',
  write_file: 'edit',
  edit_file: 'edit',
  bash: 'execute',
};

export function createTranslator(cwd: string): Translator {
  const shown = createCalls(cwd);
  let recentText = '';

  function message(content: string): readonly SessionUpdate[] {
    recentText = (recentText + content).slice(-RECENT_TEXT_CHARACTERS_MAX);
    return [{ sessionUpdate: 'agent_message_chunk', content: text(content) }];
  }

  /** The summary, unless it repeats the model's last text, as is usual. */
  function summary(content: string): readonly SessionUpdate[] {
    const rest = recentText.trimEnd().endsWith(content.trim()) ? '' : content.trim();
    return rest === '' ? [] : message(recentText === '' ? rest : `\n\n${rest}`);
  }

  function userMessage(task: string): readonly SessionUpdate[] {
    recentText = '';
    return [{ sessionUpdate: 'user_message_chunk', content: text(task) }];
  }

  function updates(event: RunEvent): readonly SessionUpdate[] {
    switch (event.type) {
      case 'RunRequested':
        return userMessage(event.data.task);
      case 'RunResumed':
        return userMessage(event.data.request.task);
      case 'ModelFramesReceived':
        return event.data.frames.flatMap((frame) => {
          if (frame.type === 'tool_call' || frame.text === '') return [];
          return frame.type === 'text' ? message(frame.text) : [thought(frame.text)];
        });
      case 'PlanUpdated':
        return [{ sessionUpdate: 'plan', entries: event.data.steps.map(planEntry) }];
      case 'RunCompleted':
      case 'RunStopped':
        return summary(event.data.summary);
      default:
        return shown.updates(event) ?? notes(event);
    }
  }
  return { updates, toolCall: shown.toolCall };
}

/** The run's own messages between the model's texts: advice, retries, health. */
function notes(event: RunEvent): readonly SessionUpdate[] {
  return agentEvents(event).flatMap(({ type, content }) =>
    (type === 'system' || type === 'retry') && content !== undefined ? [thought(`${content}\n`)] : [],
  );
}

interface Calls extends Pick<Translator, 'toolCall'> {
  /** Undefined for an event that concerns no tool call. */
  updates(event: RunEvent): readonly SessionUpdate[] | undefined;
}

function createCalls(cwd: string): Calls {
  const announced = new Set<string>();

  function toolCall(step: number, call: { readonly name: string; readonly input: Json }): ToolCall {
    const { path } = fields(call.input);
    const locations = typeof path === 'string' ? [{ path: resolve(cwd, path) }] : [];
    const kind = KINDS[call.name] ?? 'other';
    const title = titleOf(call.name, call.input);
    return { toolCallId: toolCallId(step), title, kind, rawInput: call.input, locations, content: changeOf(cwd, call) };
  }

  function announce(call: ToolCall, status: 'pending' | 'in_progress'): SessionUpdate {
    const first = !announced.has(call.toolCallId);
    announced.add(call.toolCallId);
    if (first) return { sessionUpdate: 'tool_call', ...call, status };
    return { sessionUpdate: 'tool_call_update', toolCallId: call.toolCallId, status };
  }

  function ended(
    step: { readonly step_num: number; readonly tool_name: string },
    end: { readonly success: boolean; readonly output: string },
  ): readonly SessionUpdate[] {
    const id = toolCallId(step.step_num);
    const unseen = !announced.has(id);
    const before = unseen
      ? [announce(toolCall(step.step_num, { name: step.tool_name, input: {} }), 'in_progress')]
      : [];
    const status = end.success ? 'completed' : 'failed';
    const output = end.output.slice(0, OUTPUT_CHARACTERS_MAX).toWellFormed();
    const content: ToolCallContent[] = [{ type: 'content', content: text(output) }];
    const shown = output === '' ? {} : { content };
    return [...before, { sessionUpdate: 'tool_call_update', toolCallId: id, status, ...shown }];
  }

  return {
    toolCall,
    updates(event) {
      switch (event.type) {
        case 'ApprovalRequested':
          return [announce(toolCall(event.data.step_num, event.data.call), 'pending')];
        case 'ToolStarted':
          return [announce(toolCall(event.data.step_num, event.data.call), 'in_progress')];
        case 'ToolFinished':
          return ended(event.data, event.data);
        case 'ToolRejected':
          return ended(event.data, { success: false, output: event.data.content });
        case 'ToolInterrupted':
          return event.data.repeat ? [] : ended(event.data, { success: false, output: event.data.reason });
        default:
          return undefined;
      }
    },
  };
}

function thought(content: string): SessionUpdate {
  return { sessionUpdate: 'agent_thought_chunk', content: text(content) };
}

function toolCallId(step: number): string {
  return `step-${step}`;
}

function text(of: string) {
  return { type: 'text', text: of } as const;
}

function planEntry({ description, status }: PlanStep): PlanEntry {
  const open = status === 'pending' || status === 'in_progress';
  return { content: description, priority: 'medium', status: open ? status : 'completed' };
}

function titleOf(name: string, input: Json): string {
  const { path, command, pattern } = fields(input);
  const about = [path, command, pattern].find((value) => typeof value === 'string');
  const title = typeof about === 'string' ? `${name} ${about.split('\n', 1)[0] ?? ''}` : name;
  return cut(title, TITLE_CHARACTERS_MAX).text;
}

/** The change that a call will make, as a diff. */
function changeOf(cwd: string, { name, input }: { readonly name: string; readonly input: Json }): ToolCallContent[] {
  const { path, content, old_string, new_string } = fields(input);
  if (typeof path !== 'string') return [];
  const place = resolve(cwd, path);
  if (name === 'write_file' && typeof content === 'string') return [{ type: 'diff', path: place, newText: content }];
  if (name !== 'edit_file' || typeof old_string !== 'string' || typeof new_string !== 'string') return [];
  return [{ type: 'diff', path: place, oldText: old_string, newText: new_string }];
}

function fields(input: Json): { readonly [key: string]: Json } {
  return typeof input === 'object' && input !== null && !Array.isArray(input)
    ? (input as { readonly [key: string]: Json })
    : {};
}
