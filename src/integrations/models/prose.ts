/**
 * The prose transport: tools for models that have no tool calling of their own. Tools are described in the system
 * prompt, calls and results are marked-up text, and the conversation is nothing but messages of text.
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

/** Stands for a name that cannot be read out of a malformed call. */
export const UNREADABLE_CALL = 'unreadable_call';

/** The same request without tools: what the provider needs to know of them is in the text. */
export function toProse(request: ModelRequest): ModelRequest {
  return {
    ...request,
    system: request.tools.length === 0 ? request.system : `${request.system}\n\n${describeTools(request.tools)}`,
    messages: request.messages.map(proseMessage),
    tools: [],
  };
}

/**
 * Takes reasoning, and calls when `tools` is set, out of the text of `frames`. Ids of calls are numbered through the
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
      // What is held back, a long call above all, is still something that the model said.
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

/** Number of the next call in this conversation, from 1. */
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
  // A file that holds our end tag must not be able to end the block and speak outside it.
  const output = message.output.replaceAll(`</${RESULT_TAG}>`, `<\\/${RESULT_TAG}>`);
  return `<${RESULT_TAG}>\ntool: ${message.name}\nstatus: ${status}\n\n${output}\n</${RESULT_TAG}>`;
}

/** Never fails: what cannot be read comes back as a string input, so that the run can tell the model. */
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
  return /^```(?:json)?\s*([\s\S]*?)\s*```$/i.exec(text)?.[1] ?? text;
}

/** The commonest slip of a model that writes JSON by hand: real line breaks and tabs inside a string. */
function withEscapedBreaks(text: string): string {
  const escapes: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
  return text.replace(/"(?:[^"\\]|\\[\s\S])*"/g, (string) => string.replace(/[\n\r\t]/g, (char) => escapes[char]!));
}
