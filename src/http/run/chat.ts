/** `POST /chat` and `/chat/stream`: one turn with the model, buffered or as SSE. */
import type { EventMessage } from 'fastify-sse-v2';
import { z } from 'zod';
import { type Chat, chatFailure, chatTokens, zChat } from '../../queries/run/chat.ts';
import type { ModelCallDependencies } from '../../queries/run/model-calls.ts';
import { whileConnected } from '../server/disconnect.ts';
import { type Answer, ok, type RouteSpec, routesOf, type StreamSpec, sse, value } from '../server/route.ts';
import { messageSource, sseText } from '../server/sse.ts';

const { post } = routesOf({ tag: 'chat' });

export interface Dependencies extends ModelCallDependencies {
  readonly closing: AbortSignal;
}

const chatEvents: StreamSpec = {
  data: z.string().describe('A piece of the answer.'),
  named: { done: 'Empty: the answer is whole.', error: 'One sentence: the provider failed, or the daemon stops.' },
  end: 'After `done` or `error`.',
};

export function chatRoutes(deps: Dependencies): readonly RouteSpec[] {
  return [
    post('/chat', {
      operation: 'send',
      summary: 'One chat turn, answered when the model has finished.',
      body: zChat,
      responses: ok(
        'The whole answer.',
        { content: z.string().describe('Text of the answer.') },
        { 500: 'The provider failed before or during its answer.' },
      ),
      handle: ({ body, request }) => whileConnected(request, (signal) => chat(deps, body, signal)),
    }),
    post('/chat/stream', {
      operation: 'stream',
      summary: 'One chat turn as SSE: tokens as plain messages, then `done`, or `error`.',
      body: zChat,
      responses: { 200: { description: 'The stream.', type: 'text/event-stream', events: chatEvents } },
      handle: ({ body, remember }) => chatStream(deps, body, remember),
    }),
  ];
}

async function chat(deps: Dependencies, body: Chat, signal: AbortSignal): Promise<Answer> {
  const parts: string[] = [];
  try {
    for await (const token of chatTokens(deps, body, signal)) parts.push(token);
  } catch (error) {
    return value({ error: chatFailure(error, parts.length > 0) }, 500);
  }
  return value({ content: parts.join('') });
}

function chatStream(deps: Dependencies, body: Chat, remember: (answer: Answer) => Promise<void>): Answer {
  const sent: EventMessage[] = [];
  async function* messages(signal: AbortSignal): AsyncGenerator<EventMessage> {
    // Aborts also when the daemon stops, so that readers get an `error` message instead of a broken connection.
    const either = AbortSignal.any([signal, deps.closing]);
    for await (const token of withWholeLineBreaks(chatTokens(deps, body, either))) {
      const message = { data: sseText(token) };
      sent.push(message);
      yield message;
    }
    const text = [...sent, DONE].map(asText).join('');
    await remember({ kind: 'text', status: 200, type: 'text/event-stream; charset=utf-8', text });
    yield DONE;
  }
  return sse(
    messageSource(messages, (error) => ({ event: 'error', data: sseText(chatFailure(error, sent.length > 0)) })),
  );
}

/** The library omits empty data, so the line is part of the event's name. */
const DONE = { event: 'done\ndata: ' };

/** A CRLF that two tokens share stays one line break: a token that ends in CR waits for the next one. */
async function* withWholeLineBreaks(tokens: AsyncIterable<string>): AsyncGenerator<string> {
  let held = '';
  for await (const token of tokens) {
    const text = held + token;
    held = text.endsWith('\r') ? '\r' : '';
    if (text !== held) yield text.slice(0, text.length - held.length);
  }
  if (held !== '') yield held;
}

/** The bytes of a message in the stream, for an idempotent repeat. */
function asText({ event, data }: EventMessage): string {
  const lines = data === undefined ? [] : data.split('\n').map((line) => `data: ${line}\n`);
  return `${event === undefined ? '' : `event: ${event}\n`}${lines.join('')}\n`;
}
