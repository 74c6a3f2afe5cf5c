/** The conversation of a run as a document: streamed pieces form one message, the end of the run a sentence. */
import type { AgentEvent } from '../../events/run/agent-event.ts';
import type { Task } from '../../events/task.ts';
import { characterCount, withEllipsis } from '../../lib/characters.ts';
import type { ConversationEntry } from '../../ports/pdf.ts';
import { type JobRow, job, type StepRow, steps } from '../../projections/run/job-rows.ts';
import { output } from '../../projections/run/output.ts';
import type { Views } from '../../projections/views.ts';

/** The conversation of a task's run with the facts about it; without entries while the task has no run. */
export function taskConversation(views: Views, row: Task) {
  const events = output(views, row.session_id, { after: 0, limit: -1, withUser: true });
  const run = job(views, row.session_id);
  const optional = [
    ['Session', row.session_id],
    ['Model', run === undefined ? '' : [run.provider, run.model].filter((name) => name !== '').join(' / ')],
    ['Project', row.project_path],
  ] as const;
  return {
    kind: 'conversation',
    title: row.title,
    created_ms: row.created_at * 1_000,
    changed_ms: row.updated_at * 1_000,
    facts: [
      ['Task', row.id],
      ['Status', row.status],
      ['Created', new Date(row.created_at * 1_000).toISOString()],
      ...optional.filter(([, value]) => value !== ''),
    ],
    entries: conversationEntries(events.map((event) => JSON.parse(event.json) as AgentEvent)),
  } as const;
}

/** Characters of a tool's input, and of its output, that a document shows. */
const SHOWN_CHARACTERS_MAX = 4_000;

/** A run with the facts about it, and the input and output of each tool call. */
export function runConversation(views: Views, row: JobRow) {
  const events = output(views, row.session_id, { after: 0, limit: -1, withUser: true });
  const calls = new Map(steps(views, row.session_id).map((step) => [step.step_num, step]));
  const [title = ''] = row.task.trim().split('\n', 1);
  const facts: readonly (readonly [name: string, value: string])[] = [
    ['Run', row.session_id],
    ['Status', row.status],
    ['Model', [row.provider, row.model].filter((name) => name !== '').join(' / ')],
    ['Folder', row.workspace],
    ['Started', shownTime(row.first_started_at)],
    ['Resumed', row.started_at > row.first_started_at ? shownTime(row.started_at) : ''],
    ['Ended', row.finished_at === null ? 'not yet' : shownTime(row.finished_at)],
    ['Steps', String(row.steps_completed)],
    ['Rejected calls', row.calls_rejected === 0 ? '' : String(row.calls_rejected)],
    ['Tokens', String(row.tokens_used)],
    ['Changed', (JSON.parse(row.files_modified) as readonly string[]).join(', ') || 'nothing'],
    ['Forked from', row.parent_session_id ?? ''],
  ];
  return {
    kind: 'conversation',
    title: withEllipsis(title, TITLE_CHARACTERS_MAX),
    created_ms: row.first_started_at,
    changed_ms: row.finished_at ?? row.started_at,
    facts: facts.filter(([, value]) => value !== ''),
    entries: conversationEntries(events.map((event) => JSON.parse(event.json) as AgentEvent)).map((entry) =>
      entry.kind === 'step' ? { ...entry, ...shownCall(calls.get(entry.number)) } : entry,
    ),
  } as const;
}

const TITLE_CHARACTERS_MAX = 120;

/** To the second, in UTC. */
function shownTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

function shownCall(step: StepRow | undefined): { readonly input?: string; readonly output?: string } {
  if (step === undefined) return {};
  return { input: shownText(indentedJson(step.input)), output: shownText(step.output ?? '') };
}

/** JSON with real line breaks in its texts, so that they are readable. */
function indentedJson(input: string): string {
  const value: unknown = JSON.parse(input);
  if (typeof value !== 'object' || value === null) return input;
  return Object.entries(value)
    .map(([name, field]) => `${name}: ${typeof field === 'string' ? onOwnLines(field) : JSON.stringify(field)}`)
    .join('\n');
}

function onOwnLines(text: string): string {
  return text.includes('\n') ? `\n  ${text.replaceAll('\n', '\n  ')}` : text;
}

function shownText(text: string): string {
  if (text.length <= SHOWN_CHARACTERS_MAX) return text.trimEnd();
  const missing = characterCount(text.slice(SHOWN_CHARACTERS_MAX));
  return `${text.slice(0, SHOWN_CHARACTERS_MAX).toWellFormed()}\n… ${missing} more characters are not shown here.`;
}

/** Characters of a whole document; further entries are counted, not shown. */
export const CONVERSATION_CHARACTERS_MAX = 4_000_000;

export function conversationEntries(events: readonly AgentEvent[]): readonly ConversationEntry[] {
  const entries: ConversationEntry[] = [];
  const pieces: string[] = [];
  let characters = 0;
  let missing = 0;
  const endMessage = (): void => {
    if (pieces.length > 0) {
      entries.push({ kind: 'message', speaker: 'Assistant', format: 'markdown', text: pieces.join('') });
    }
    pieces.length = 0;
  };
  for (const event of events) {
    characters += characterCount(event.content ?? '');
    if (characters > CONVERSATION_CHARACTERS_MAX) {
      missing += 1;
      continue;
    }
    if (event.type === 'chunk') {
      pieces.push(event.content ?? '');
      continue;
    }
    const before = pieces.join('');
    endMessage();
    entries.push(entryOf(event, before));
  }
  endMessage();
  if (missing > 0) entries.push(plain('System', `${missing} more entries are not shown here; the history has them.`));
  return entries;
}

/** `before` is the assistant's newest message, which an end with the same text does not repeat. */
function entryOf(event: AgentEvent, before: string): ConversationEntry {
  const text = event.content ?? '';
  switch (event.type) {
    case 'user':
      return plain('You', text);
    case 'chunk':
      return { kind: 'message', speaker: 'Assistant', format: 'markdown', text };
    case 'step':
      return {
        kind: 'step',
        number: event.step_num ?? 0,
        tool: event.tool_name ?? '',
        success: event.success === true,
      };
    case 'system':
      return plain('System', text);
    case 'retry':
      return plain('System', retryText(event));
    case 'complete':
      return ending('Completed', text, before);
    case 'partial':
      return plain('Stopped with work left', [text, remaining(event)].filter((part) => part !== '').join('\n'));
    case 'error':
      return plain('Failed', text);
  }
}

function plain(speaker: string, text: string): ConversationEntry {
  return { kind: 'message', speaker, format: 'plain', text };
}

function ending(speaker: string, text: string, before: string): ConversationEntry {
  if (text.trim() === before.trim()) return plain(speaker, '');
  return { kind: 'message', speaker, format: 'markdown', text };
}

export function retryText({ attempt = 0, max_attempts = 0, backoff_ms = 0, content = '' }: AgentEvent): string {
  return `Retry ${attempt + 1} of ${max_attempts} in ${backoff_ms} ms: ${content}`;
}

/** A run without a plan, or whose end is erased, has no planned steps. */
function remaining({ steps_completed = 0, steps_planned = 0, remaining_plan = [] }: AgentEvent): string {
  const done = steps_planned === 0 ? '' : `${steps_completed} of ${steps_planned} planned steps are done.`;
  return [done, ...remaining_plan.map((step) => `• ${step}`)].filter((line) => line !== '').join('\n');
}
