/** `POST /chat` and `/chat/stream`: one turn with the model. They ask and change nothing, so nothing is recorded. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventMessage } from 'fastify-sse-v2';
import { z } from 'zod';
import { resolveHarness } from '../../commands/harness/defaults.ts';
import { backoffMs } from '../../commands/run/rules.ts';
import type { Config } from '../../config.ts';
import type { ModelsPort } from '../../ports/models.ts';
import { ModelError, type ModelMessage, type ModelRequest } from '../../ports/models.ts';
import { harnessOverrides } from '../../projections/harness.ts';
import type { Views } from '../../projections/views.ts';
import { heardFrames } from '../../reactors/run/stall.ts';
import { type Answer, sse, value } from '../server/answer.ts';
import { zError } from '../server/errors.ts';
import { untilHangUp } from '../server/hang-up.ts';
import { type RouteSpec, route } from '../server/route.ts';
import { emptyMessage, messageSource, sseText } from '../server/sse.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly config: Config;
  random(): number;
  readonly views: Views;
  readonly models: ModelsPort;
  readonly closing: AbortSignal;
}

const zChat = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.string() })),
  provider: z.string().nullish(),
  model: z.string().nullish(),
});
export type Chat = z.infer<typeof zChat>;

const ATTEMPTS_MAX = 3;
/** Characters of one answer: it is kept until its end, for the body or for an idempotent repeat. */
const ANSWER_CHARACTERS_MAX = 16_000_000;
const NO_PROMPT = 'You are Daybook, a helpful assistant on the user’s own machine.';

export function chatRoutes(deps: Dependencies): readonly RouteSpec[] {
  return [
    route({
      method: 'POST',
      path: '/chat',
      summary: 'One chat turn, answered when the model has finished.',
      tag: 'chat',
      auth: 'bearer',
      body: zChat,
      responses: {
        200: { description: 'The whole answer.', schema: z.object({ content: z.string() }) },
        500: { description: 'The provider failed before or during its answer.', schema: zError },
      },
      handle: ({ body, request }) => untilHangUp(request.raw, (signal) => chat(deps, body, signal)),
    }),
    route({
      method: 'POST',
      path: '/chat/stream',
      summary: 'One chat turn as SSE: tokens as plain messages, then `done`, or `error`.',
      tag: 'chat',
      auth: 'bearer',
      body: zChat,
      responses: { 200: { description: 'The stream.', type: 'text/event-stream' } },
      handle: ({ body, remember }) => chatStream(deps, body, remember),
    }),
  ];
}

async function chat(deps: Dependencies, body: Chat, signal: AbortSignal): Promise<Answer> {
  const parts: string[] = [];
  try {
    for await (const token of tokens(deps, body, orClosing(deps, signal))) parts.push(token);
  } catch (error) {
    return value({ error: failureText(error, parts.length > 0) }, 500);
  }
  return value({ content: parts.join('') });
}

function chatStream(deps: Dependencies, body: Chat, remember: (answer: Answer) => Promise<void>): Answer {
  let begun = false;
  const sent: EventMessage[] = [];
  const keep = (message: EventMessage): EventMessage => {
    sent.push(message);
    return message;
  };
  async function* messages(signal: AbortSignal): AsyncGenerator<EventMessage> {
    for await (const token of withWholeBreaks(tokens(deps, body, orClosing(deps, signal)))) {
      begun = true;
      yield keep({ data: sseText(token) });
    }
    const done = keep(emptyMessage('done'));
    await remember({ kind: 'text', status: 200, type: 'text/event-stream; charset=utf-8', text: asText(sent) });
    yield done;
  }
  return sse(messageSource(messages, (error) => ({ event: 'error', data: sseText(failureText(error, begun)) })));
}

/** Who waits when the daemon stops is told that nothing more comes. */
function orClosing({ closing }: Dependencies, signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, closing]);
}

/** A line break that the model's pieces cut between its two characters is one break to the reader, not two. */
async function* withWholeBreaks(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let held = '';
  for await (const piece of pieces) {
    const text = held + piece;
    held = text.endsWith('\r') ? '\r' : '';
    if (text !== held) yield text.slice(0, text.length - held.length);
  }
  if (held !== '') yield held;
}

/** The bytes of an ended stream, for an idempotent repeat. */
function asText(messages: readonly EventMessage[]): string {
  return messages
    .map(({ event, data }) => {
      const lines = data === undefined ? [] : data.split('\n').map((line) => `data: ${line}\n`);
      return `${event === undefined ? '' : `event: ${event}\n`}${lines.join('')}\n`;
    })
    .join('');
}

/** Text as it comes; tries again only while nothing was said yet. */
export async function* tokens(deps: Dependencies, body: Chat, signal: AbortSignal): AsyncGenerator<string> {
  const request = chatRequest(deps, body);
  const stallMs = deps.config.model_stall_seconds * 1000;
  let size = 0;
  for (let attempt = 0; ; attempt += 1) {
    let begun = false;
    try {
      for await (const frame of heardFrames((heard) => deps.models.stream(request, heard), { stallMs, signal })) {
        if (frame.type !== 'text' || frame.text === '') continue;
        begun = true;
        size += frame.text.length;
        if (size > ANSWER_CHARACTERS_MAX) throw new ModelError('fatal', 'the answer is too long');
        yield frame.text;
      }
      return;
    } catch (error) {
      const again = error instanceof ModelError && error.kind === 'transient' && !begun && attempt + 1 < ATTEMPTS_MAX;
      if (!again || signal.aborted) throw error;
      const wait = backoffMs(attempt, deps.random(), error.retryAfterMs);
      await sleep(wait, undefined, { signal });
    }
  }
}

function chatRequest(deps: Dependencies, body: Chat): ModelRequest {
  const { provider, model } = deps.models.choose(body.provider, body.model);
  const { effective } = resolveHarness({ provider, model, overrides: harnessOverrides(deps.views) });
  const systems = body.messages.filter((message) => message.role === 'system').map((message) => message.content);
  const parts = systems.length === 0 ? [NO_PROMPT] : systems;
  if (effective.system_prompt_suffix !== undefined) parts.push(effective.system_prompt_suffix);
  const messages = body.messages.filter((message) => message.role !== 'system').map(turn);
  const system = parts.join('\n\n');
  return { provider, model, system, messages, tools: [], settings: effective, thinking_budget: null };
}

function turn({ role, content }: { role: string; content: string }): ModelMessage {
  return role === 'assistant' ? { role, content, tool_calls: [] } : { role: 'user', content };
}

export function failureText(error: unknown, begun: boolean): string {
  const message = error instanceof ModelError ? error.message : 'the model call was cut off';
  return `${begun ? 'Stream error' : 'LLM provider error'}: ${message}`;
}
