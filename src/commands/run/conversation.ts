/** The conversation of a run with its model: the answer that is arriving, and the messages for the next call. */
import type { Json } from '../../events/envelope.ts';
import type { Frame, Message } from '../../events/run/events.ts';

export interface ToolCallData {
  readonly id: string;
  readonly name: string;
  readonly input: Json;
}

type AssistantMessage = Extract<Message, { role: 'assistant' }>;

interface Conversation {
  readonly messages: readonly Message[];
  /** Tool calls of the newest answer that have no outcome yet. */
  readonly pending: readonly ToolCallData[];
}

interface Answer {
  readonly messages: readonly Message[];
  /** The text so far of an answer that was cut off and is being continued. */
  readonly continued: { readonly text: string };
}

/** The conversation for a fork or a resumed run: every call has an outcome; a call that never ran gets a note. */
export function closedConversation({ messages, pending }: Conversation): readonly Message[] {
  const notRun = pending.map(
    (call): Message => ({
      role: 'tool',
      call_id: call.id,
      name: call.name,
      output: 'Not run: the run ended before this call.',
      is_error: true,
    }),
  );
  return [...messages, ...notRun];
}

/** The message of a finished answer. */
export function draftMessage(draft: readonly Frame[]): AssistantMessage {
  const reasoning = draft.flatMap((frame) =>
    frame.type === 'reasoning' ? [{ text: frame.text, signature: frame.signature }] : [],
  );
  return {
    role: 'assistant',
    content: draftText(draft),
    tool_calls: draft.flatMap((frame) => (frame.type === 'tool_call' ? [frame.call] : [])),
    ...(reasoning.length > 0 ? { reasoning } : {}),
  };
}

export function draftText(draft: readonly Frame[]): string {
  return draft.map((frame) => (frame.type === 'text' ? frame.text : '')).join('');
}

/** The newest text of the model in this request, continuations included; empty when there is none. */
export function answerText({ messages, continued }: Answer): string {
  const since = messages.slice(1 + messages.findLastIndex((message) => message.role === 'user'));
  const last = since.findLast((message) => message.role === 'assistant' && message.content.trim() !== '');
  return continued.text + (last?.role === 'assistant' ? last.content : '');
}
