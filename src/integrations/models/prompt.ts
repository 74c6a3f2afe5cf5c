/**
 * Converts a model request to the call options of the provider packages.
 *
 * - A setting is sent only in dialects whose providers honour it (tests/models/settings.e2e.test.ts compares every
 *   provider with the table of the harness profiles).
 * - Signed reasoning is sent back unchanged. Reasoning without a signature is for people and is not sent.
 */
import type { ModelMessage, ModelReasoning, ModelRequest, ModelToolCall } from '../../ports/models.ts';
import type { CallOptions, Prompt, ProviderOptions, Target, WireDialect } from './adapters.ts';
import { type CallIds, createCallIds } from './call-ids.ts';
import type { Provider } from './providers.ts';
import { readSignature } from './signatures.ts';

type AssistantPart = Extract<Prompt[number], { role: 'assistant' }>['content'][number];
type ToolPart = Extract<Prompt[number], { role: 'tool' }>['content'][number];

const ANTHROPIC_BUDGET_MIN = 1_024;

export function callOptions(request: ModelRequest, target: Target, abortSignal: AbortSignal): CallOptions {
  const { dialect } = target;
  const prompt = promptOf(request, target);
  const cached = dialect === 'anthropic' && request.settings.prompt_cache;
  return {
    prompt: cached ? withBreakpoints(prompt) : prompt,
    abortSignal,
    ...(request.tools.length > 0 && { tools: toolsOf(request) }),
    ...limitsOf(request, dialect),
    ...providerOptionsOf(request, target),
  };
}

function limitsOf(
  { settings }: ModelRequest,
  dialect: WireDialect,
): Pick<CallOptions, 'maxOutputTokens' | 'temperature'> {
  if (dialect === 'ollama') return {};
  return {
    ...(settings.max_output_tokens !== undefined && { maxOutputTokens: settings.max_output_tokens }),
    ...(settings.temperature !== undefined && { temperature: settings.temperature }),
  };
}

function providerOptionsOf(
  request: ModelRequest,
  { dialect, provider }: Target,
): { providerOptions?: ProviderOptions } {
  const budget = request.thinking_budget;
  // Providers refuse the field in a request without tools.
  const parallel = request.tools.length > 0 ? request.settings.parallel_tool_calls : undefined;
  switch (dialect) {
    case 'anthropic': {
      if (budget === null) return {};
      const budgetTokens = Math.max(budget, ANTHROPIC_BUDGET_MIN);
      return { providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens } } } };
    }
    case 'google':
      if (budget === null) return {};
      return { providerOptions: { google: { thinkingConfig: { thinkingBudget: budget, includeThoughts: true } } } };
    case 'openai':
      // The provider stores nothing: Daybook sends the whole conversation.
      return {
        providerOptions: { openai: { store: false, ...(parallel !== undefined && { parallelToolCalls: parallel }) } },
      };
    case 'compatible':
      return parallel === undefined ? {} : { providerOptions: { [provider.id]: { parallel_tool_calls: parallel } } };
    case 'ollama':
      return {};
  }
}

function toolsOf(request: ModelRequest): NonNullable<CallOptions['tools']> {
  return request.tools.map((tool) => ({
    type: 'function',
    name: tool.name,
    description: tool.description,
    inputSchema: tool.input_schema as Record<string, unknown>,
  }));
}

function promptOf(request: ModelRequest, target: Target): Prompt {
  const prompt: Prompt = request.system === '' ? [] : [{ role: 'system', content: request.system }];
  const ids = createCallIds(target);
  for (const message of request.messages) {
    const last = prompt.at(-1);
    if (message.role === 'tool') {
      const part = toolPart(message, ids);
      // Results of parallel calls go into one message: Gemini requires it.
      if (last?.role === 'tool') last.content.push(part);
      else prompt.push({ role: 'tool', content: [part] });
    } else if (message.role === 'assistant') {
      const content = assistantParts(message, { ...target, ids });
      if (content.length > 0) prompt.push({ role: 'assistant', content });
    } else if (
      message.role === 'system' &&
      (takesLateSystem(target.dialect) || prompt.every((m) => m.role === 'system'))
    ) {
      prompt.push({ role: 'system', content: message.content });
    } else {
      prompt.push({ role: 'user', content: [{ type: 'text', text: message.content }] });
    }
  }
  return prompt;
}

/** Anthropic and Gemini accept instructions only before the conversation; later ones are sent as user messages. */
function takesLateSystem(dialect: WireDialect): boolean {
  return dialect !== 'anthropic' && dialect !== 'google';
}

function assistantParts(
  message: Extract<ModelMessage, { role: 'assistant' }>,
  { dialect, provider, ids }: Target & { readonly ids: CallIds },
): AssistantPart[] {
  const blocks = reasoningBlocks(message.reasoning ?? []);
  // Anthropic refuses a blank block.
  const blank = message.content.trim() === '';
  const text: AssistantPart[] = blank ? [] : [{ type: 'text', text: message.content }];
  const calls = message.tool_calls.map((call) => callPart(call, ids));
  if (dialect === 'google') return withThoughtSignature([...text, ...calls], blocks);
  return [
    ...blocks.flatMap((block) => reasoningPart(block, dialect)),
    ...reasoningBack(message, provider),
    ...text,
    ...calls,
  ];
}

/** Joins pieces of reasoning to blocks; a block ends with its signature. */
function reasoningBlocks(pieces: readonly ModelReasoning[]): readonly { text: string; signature: string }[] {
  const blocks: { text: string; signature: string }[] = [];
  let text = '';
  for (const piece of pieces) {
    text += piece.text;
    if (piece.signature === null) continue;
    blocks.push({ text, signature: piece.signature });
    text = '';
  }
  return blocks;
}

function reasoningPart(
  block: { readonly text: string; readonly signature: string },
  dialect: WireDialect,
): AssistantPart[] {
  const signature = readSignature(block.signature);
  if (dialect === 'anthropic' && signature.by === 'anthropic') {
    return [{ type: 'reasoning', text: block.text, providerOptions: { anthropic: { signature: signature.value } } }];
  }
  if (dialect === 'anthropic' && signature.by === 'anthropic-redacted') {
    return [{ type: 'reasoning', text: '', providerOptions: { anthropic: { redactedData: signature.value } } }];
  }
  if (dialect === 'openai' && signature.by === 'openai') {
    const openai = { itemId: signature.id, reasoningEncryptedContent: signature.value };
    return [{ type: 'reasoning', text: block.text, providerOptions: { openai } }];
  }
  return [];
}

function reasoningBack(message: Extract<ModelMessage, { role: 'assistant' }>, provider: Provider): AssistantPart[] {
  const text = (message.reasoning ?? []).map((piece) => piece.text).join('');
  const wanted = provider.wantsReasoningBack === true && message.tool_calls.length > 0 && text !== '';
  return wanted ? [{ type: 'reasoning', text }] : [];
}

/** Gemini signs the first call of an answer, or its text without one. */
function withThoughtSignature(
  parts: AssistantPart[],
  blocks: readonly { readonly signature: string }[],
): AssistantPart[] {
  const signed = blocks.map((block) => readSignature(block.signature)).find((signature) => signature.by === 'google');
  if (!signed) return parts;
  const at = Math.max(
    0,
    parts.findIndex((part) => part.type === 'tool-call'),
  );
  const providerOptions = { google: { thoughtSignature: signed.value } };
  return parts.map((part, index) => (index === at ? { ...part, providerOptions } : part));
}

function callPart(call: ModelToolCall, ids: CallIds): AssistantPart {
  // Providers require an object, even where the model wrote invalid JSON.
  const input = typeof call.input === 'object' && call.input !== null ? call.input : { unreadable_input: call.input };
  return { type: 'tool-call', toolCallId: ids.call(call.id), toolName: call.name, input };
}

function toolPart(message: Extract<ModelMessage, { role: 'tool' }>, ids: CallIds): ToolPart {
  const type = message.is_error ? 'error-text' : 'text';
  return {
    type: 'tool-result',
    toolCallId: ids.result(message.call_id),
    toolName: message.name,
    output: { type, value: message.output },
  };
}

/**
 * Sets cache breakpoints after the fixed part (tools and system prompt) and at the end, where the next call begins to
 * differ.
 */
function withBreakpoints(prompt: Prompt): Prompt {
  const cacheControl = { type: 'ephemeral' };
  const system = prompt.findLastIndex((message) => message.role === 'system');
  const marked = new Set([system, prompt.length - 1]);
  return prompt.map((message, index) =>
    marked.has(index) ? { ...message, providerOptions: { anthropic: { cacheControl } } } : message,
  );
}
