/**
 * The prose transport: tools for models without tool calling. The system prompt describes the tools; calls and results
 * are marked-up text in messages.
 */
import type { Json } from '../../events/envelope.ts';
import {
  type ModelFrame,
  type ModelMessage,
  type ModelRequest,
  type ModelTool,
  type ModelToolCall,
  SIGN_OF_LIFE,
} from '../../ports/models.ts';
import { CALL_TAG, createMarkupFilter, type MarkupPiece, RESULT_TAG } from './markup.ts';
import { recordableJson } from './well-formed.ts';

const UNREADABLE_CALL = 'unreadable_call';

/** The request with its tools described in text. */
export function toProse(request: ModelRequest): ModelRequest {
  return {
    ...request,
    system: request.tools.length === 0 ? request.system : `${request.system}\n\n${describeTools(request.tools)}`,
    messages: request.messages.map(proseMessage),
    tools: [],
  };
}

/**
 * Extracts reasoning, and calls when `tools` is set, from the text of `frames`. Calls are numbered through the
 * conversation, so the same conversation and answer give the same ids.
 */
export async function* withoutMarkup(
  frames: AsyncIterable<ModelFrame>,
  options: { readonly tools: boolean; readonly firstCall: number },
): AsyncGenerator<ModelFrame> {
  const filter = createMarkupFilter({ tools: options.tools });
  let next = options.firstCall;
  const toFrame = (piece: MarkupPiece): ModelFrame => {
    if (piece.kind === 'text') return { type: 'text', text: piece.text };
    if (piece.kind === 'reasoning') return { type: 'reasoning', text: piece.text, signature: null };
    return { type: 'tool_call', call: readCall(piece.body, callId(next++)) };
  };
  for await (const frame of frames) {
    if (frame.type === 'text') {
      const pieces = filter.push(frame.text);
      // Held back text, such as a long call, is progress too.
      if (pieces.length === 0) yield SIGN_OF_LIFE;
      yield* pieces.map(toFrame);
    } else if (frame.type === 'finish') {
      yield* filter.end().map(toFrame);
      yield next > options.firstCall ? { ...frame, reason: 'tool_calls' } : frame;
    } else {
      yield frame;
    }
  }
}

/** Number of the conversation's next call, from 1. */
export function nextCallNumber(messages: readonly ModelMessage[]): number {
  return (
    1 + messages.reduce((count, message) => count + (message.role === 'assistant' ? message.tool_calls.length : 0), 0)
  );
}

export function callId(number: number): string {
  return `call-${number}`;
}

export function writeCall(call: { readonly name: string; readonly input: Json }): string {
  const body = typeof call.input === 'string' ? call.input : JSON.stringify({ name: call.name, input: call.input });
  return `<${CALL_TAG}>\n${body}\n</${CALL_TAG}>`;
}

function describeTools(tools: readonly ModelTool[]): string {
  const list = tools.map(
    (tool) => `### ${tool.name}\n${tool.description}\nInput: ${JSON.stringify(tool.input_schema)}`,
  );
  return [
    '## Tools',
    'To use a tool, write exactly this, with the name of the tool and its input as one JSON object:',
    writeCall({ name: 'name_of_tool', input: { field: 'value' } }),
    `Then stop: the result comes back in <${RESULT_TAG}> tags. Never write those tags yourself. Inside JSON strings, ` +
      'write a line break as \\n and a quote as \\". A reply without a tool call ends the task.',
    ...list,
  ].join('\n\n');
}

function proseMessage(message: ModelMessage): ModelMessage {
  switch (message.role) {
    case 'user':
    case 'system':
      return message;
    case 'assistant': {
      const parts = [message.content, ...message.tool_calls.map(writeCall)].filter((part) => part !== '');
      return { role: 'assistant', content: parts.join('\n'), tool_calls: [] };
    }
    case 'tool':
      return { role: 'user', content: writeResult(message) };
  }
}

function writeResult(message: Extract<ModelMessage, { role: 'tool' }>): string {
  const status = message.is_error ? 'failed' : 'ok';
  // A file that contains the end tag must not end the block.
  const output = message.output.replaceAll(`</${RESULT_TAG}>`, `<\\/${RESULT_TAG}>`);
  return `<${RESULT_TAG}>\ntool: ${message.name}\nstatus: ${status}\n\n${output}\n</${RESULT_TAG}>`;
}

/** Never throws: unreadable input becomes a string, so that the run can tell the model. */
function readCall(body: string, id: string): ModelToolCall {
  const text = unfenced(body.trim());
  const value = recordableJson(text) ?? recordableJson(withEscapedBreaks(text));
  if (isObject(value) && typeof value.name === 'string') {
    const input = value.input ?? value.arguments ?? value.parameters ?? {};
    return { id, name: value.name, input: typeof input === 'string' ? (recordableJson(input) ?? input) : input };
  }
  return { id, name: /"name"\s*:\s*"([^"\\]{1,100})"/.exec(text)?.[1] ?? UNREADABLE_CALL, input: text };
}

function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unfenced(text: string): string {
  return /^```(?:json)?([\s\S]*)```$/i.exec(text)?.[1]?.trim() ?? text;
}

/** Escapes line breaks and tabs inside strings, the most common error in JSON written by a model. */
function withEscapedBreaks(text: string): string {
  const escapes: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
  return text.replace(/"(?:[^"\\]|\\[\s\S])*"?/g, (string) => string.replace(/[\n\r\t]/g, (char) => escapes[char]!));
}
