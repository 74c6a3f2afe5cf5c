/** One chat turn with the model. It changes no state, so it is not recorded. */
import { z } from 'zod';
import { resolveHarness } from '../../commands/harness/defaults.ts';
import { nothingAnswered } from '../../commands/run/rules.ts';
import {
  type FinishReason,
  ModelError,
  type ModelFrame,
  type ModelMessage,
  type ModelRequest,
} from '../../ports/models.ts';
import { harnessOverrides } from '../../projections/harness.ts';
import { framesWithin, type ModelCallDependencies, retried } from './model-calls.ts';

export const zChat = z.object({
  messages: z
    .array(
      z.object({
        role: z.string().describe('`system`, `assistant`, or anything else for the user.'),
        content: z.string().describe('Text of the message.'),
      }),
    )
    .describe('The conversation so far, oldest first.'),
  provider: z.string().nullish().describe('Absent: the selected one.'),
  model: z.string().nullish().describe('Absent: that of the provider.'),
});
z.globalRegistry.add(zChat, { id: 'ChatRequest' });
export type Chat = z.infer<typeof zChat>;

/** Limit of one answer, which callers keep in memory until its end. */
const ANSWER_CHARACTERS_MAX = 16_000_000;
const DEFAULT_PROMPT = 'You are Daybook, a helpful assistant on the user’s own machine.';

/**
 * Yields the answer's text in pieces as the model sends them. A transient failure is retried as long as no text has
 * arrived, and so is an answer without text. Throws `ModelError`, or an abort error when `signal` aborts.
 */
export async function* chatTokens(
  deps: ModelCallDependencies,
  chat: Chat,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const request = chatRequest(deps, chat);
  const { random, timers } = deps;
  const limit = { stallMs: deps.config.model_stall_seconds * 1000, signal, timers };
  const { first, rest } = await retried({ random, signal, timers }, async () => {
    const tokens = tokensOf(framesWithin(limit, (live) => deps.models.stream(request, live)));
    return { first: await tokens.next(), rest: tokens };
  });
  try {
    if (first.done !== true) yield first.value;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

async function* tokensOf(frames: AsyncIterable<ModelFrame>): AsyncGenerator<string, undefined> {
  let size = 0;
  for await (const frame of frames) {
    if (frame.type === 'finish') yield* lastWords(frame.reason, size > 0);
    if (frame.type !== 'text' || frame.text === '') continue;
    size += frame.text.length;
    if (size > ANSWER_CHARACTERS_MAX) throw new ModelError('fatal', 'the answer is too long');
    yield frame.text;
  }
}

/** What follows a part of an answer, so that no reader takes it for the whole. */
const CUT_OFF: Readonly<Partial<Record<FinishReason, string>>> = {
  length: '[The answer is cut off: it reached its limit of tokens.]',
  content_filter: '[The answer is cut off: the provider’s filter ended it.]',
};

/** The note behind a part of an answer. Throws `ModelError` when there is no text at all. */
function* lastWords(reason: FinishReason, hasText: boolean): Generator<string, void> {
  if (!hasText) {
    const { kind, message } = nothingAnswered(reason);
    throw new ModelError(kind, message);
  }
  const note = CUT_OFF[reason];
  if (note !== undefined) yield `\n\n${note}`;
}

/** The sentence for the caller about a failed turn. `hasText`: whether part of the answer was already sent. */
export function chatFailure(error: unknown, hasText: boolean): string {
  const message = error instanceof ModelError ? error.message : 'the model call was cut off';
  return `${hasText ? 'Stream error' : 'LLM provider error'}: ${message}`;
}

function chatRequest({ models, views }: ModelCallDependencies, chat: Chat): ModelRequest {
  const { provider, model } = models.choose(chat.provider, chat.model);
  const { effective } = resolveHarness({ provider, model, overrides: harnessOverrides(views) });
  const prompts = chat.messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  const parts = prompts.length === 0 ? [DEFAULT_PROMPT] : prompts;
  if (effective.system_prompt_suffix !== undefined) parts.push(effective.system_prompt_suffix);
  const messages = chat.messages.filter(({ role }) => role !== 'system').map(modelMessage);
  const system = parts.join('\n\n');
  return { provider, model, system, messages, tools: [], settings: effective, thinking_budget: null };
}

function modelMessage({ role, content }: Chat['messages'][number]): ModelMessage {
  return role === 'assistant' ? { role, content, tool_calls: [] } : { role: 'user', content };
}
