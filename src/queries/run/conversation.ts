/** A run's history as the entries of a document: what was streamed in pieces is one message, ends are said in words. */
import type { AgentEvent } from '../../events/run/agent-event.ts';
import type { ConversationEntry } from '../../ports/pdf.ts';

/** Text of a whole document; what comes after is counted, not shown. */
export const CONVERSATION_CHARACTERS_MAX = 4_000_000;

export function conversationEntries(events: readonly AgentEvent[]): readonly ConversationEntry[] {
  const entries: ConversationEntry[] = [];
  const spoken: string[] = [];
  let characters = 0;
  let left = 0;
  const finishMessage = (): void => {
    if (spoken.length > 0) {
      entries.push({ kind: 'message', speaker: 'Assistant', format: 'markdown', text: spoken.join('') });
    }
    spoken.length = 0;
  };
  for (const event of events) {
    characters += event.content?.length ?? 0;
    if (characters > CONVERSATION_CHARACTERS_MAX) {
      left += 1;
      continue;
    }
    if (event.type === 'chunk') {
      spoken.push(event.content ?? '');
      continue;
    }
    const before = spoken.join('');
    finishMessage();
    entries.push(entryOf(event, before));
  }
  finishMessage();
  if (left > 0) entries.push(plain('System', `${left} more entries are not shown here; the history has them.`));
  return entries;
}

/** `before` is what the assistant said just before: an end that says the same again says only that it is the end. */
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

function retryText({ attempt = 0, max_attempts = 0, backoff_ms = 0, content = '' }: AgentEvent): string {
  return `Retry ${attempt + 1} of ${max_attempts} in ${backoff_ms} ms: ${content}`;
}

function remaining({ steps_completed, steps_planned, remaining_plan = [] }: AgentEvent): string {
  const done = steps_planned === undefined ? '' : `${steps_completed ?? 0} of ${steps_planned} planned steps are done.`;
  return [done, ...remaining_plan.map((step) => `• ${step}`)].filter((line) => line !== '').join('\n');
}
