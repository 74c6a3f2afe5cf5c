/** `daybook chat`: a conversation with the model. Answers are shown as they arrive. */
import { createInterface, type Interface } from 'node:readline/promises';
import { text as readAll } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import type { ChatRequest } from '../client/client.ts';
import { normalizeProvider } from '../events/provider-id.ts';
import type { Client } from './client.ts';
import { UsageError } from './errors.ts';
import { notes } from './help.ts';
import { standardInput } from './input.ts';
import { untilInterrupted } from './interrupt.ts';
import {
  type AnswerOptions,
  answerOptions,
  type ModelOptions,
  modelOptions,
  requireModelPair,
  warnAboutModel,
} from './options.ts';
import { withDaemon } from './temporary-daemon.ts';
import { createTerminalOutput } from './terminal-output.ts';
import { print, printJson, styled } from './text.ts';

interface ChatOptions extends AnswerOptions, ModelOptions {
  readonly system?: string;
}

type Message = ChatRequest['messages'][number];

const PROMPT = 'you > ';
/** The pieces of a long text that is pasted arrive one after the other, with shorter gaps. */
const PASTE_MS = 50;

const HELP = `
Without a message a conversation starts, in which the model sees all earlier turns. Ctrl-C ends an answer and, between
answers, the conversation; /new starts another one. Conversations are not recorded; runs are, see daybook run.

  daybook chat "What is a memtable?"
  git diff | daybook chat - --system "Review this change."
  daybook chat
`;

export function command(): Command {
  const command = new Command('chat')
    .description('Talk with the model.')
    .argument('[message]', 'message; - reads it from standard input')
    .option('--system <text>', 'system prompt')
    .action(chat);
  return answerOptions(modelOptions(command), 'the pieces of the answer as JSON lines').addHelpText(
    'after',
    notes(HELP),
  );
}

async function chat(argument: string | undefined, options: ChatOptions): Promise<void> {
  requireModelPair(options);
  const history = options.system === undefined ? [] : [{ role: 'system', content: options.system }];
  const message = argument === '-' ? await readAll(standardInput()) : argument;
  if (message?.trim() === '') throw new UsageError('The message is empty.');
  if (message !== undefined) {
    return withDaemon(options, async (client) => {
      await checkModel(client, options);
      await answerOnce(client, [...history, userMessage(message)], options);
    });
  }
  if (!process.stdin.isTTY || options.json === true)
    throw new UsageError('Give a message, or - to read it from standard input.');
  await withDaemon(options, async (client) => {
    await checkModel(client, options);
    await converse(client, history, options);
  });
}

async function checkModel({ api }: Client, options: ChatOptions): Promise<void> {
  if (options.provider === undefined) return;
  const { providers } = await api.health.get();
  warnAboutModel(options, providers.names.includes(normalizeProvider(options.provider)));
}

function userMessage(content: string): Message {
  return { role: 'user', content };
}

/** Streams an answer. When the signal aborts, the stream ends without an error. */
async function* answerOf(
  { api }: Client,
  messages: readonly Message[],
  { provider, model, signal }: ChatOptions & { readonly signal: AbortSignal },
): AsyncGenerator<string> {
  const turn = api.chat.stream({ messages, provider, model }, { signal });
  for await (const { event, data } of turn) if (event === 'message') yield data;
}

async function answerOnce(client: Client, messages: readonly Message[], options: ChatOptions): Promise<void> {
  await untilInterrupted(async (signal) => {
    const pieces = answerOf(client, messages, { ...options, signal });
    if (options.json !== true) await showAnswer(pieces);
    else for await (const content of pieces) await printJson({ type: 'chunk', content });
    signal.throwIfAborted();
    if (options.json === true) await printJson({ type: 'complete' });
  });
}

/** Shows the pieces as they arrive; resolves with all of them. */
async function showAnswer(pieces: AsyncIterable<string>): Promise<string> {
  const output = createTerminalOutput();
  let whole = '';
  output.status('thinking');
  try {
    for await (const piece of pieces) {
      whole += piece;
      output.text(piece);
    }
  } finally {
    output.status('');
    output.close();
  }
  return whole;
}

/** Runs turns until the input ends. An interrupted answer stays in the history as received; a failed turn does not. */
async function converse(client: Client, first: readonly Message[], options: ChatOptions): Promise<void> {
  const reader = createInterface({ input: process.stdin, output: process.stdout });
  const ended = new AbortController();
  let turn: AbortController | null = null;
  const messages = messageReader(reader, ended.signal);
  reader.on('SIGINT', () => {
    messages.forget();
    (turn ?? ended).abort();
  });
  reader.once('close', () => ended.abort());
  await print(`${styled('dim', 'Ctrl-C ends an answer or the conversation; /new starts another one.')}\n`);
  let history = first;
  for (;;) {
    const message = await messages.next();
    if (message === null) break;
    if (message.trim() === '/new') history = first;
    if (message.trim() === '' || message.trim() === '/new') continue;
    turn = new AbortController();
    const { signal } = turn;
    const said = [...history, userMessage(message)];
    try {
      const content = await showAnswer(answerOf(client, said, { ...options, signal }));
      if (signal.aborted) await print(`${styled('yellow', '— interrupted')}\n`);
      history = [...said, { role: 'assistant', content }];
    } catch (error) {
      await print(`${styled('red', (error as Error).message)}\n`);
    }
    turn = null;
  }
  reader.close();
  await print('\n');
}

/** Reads messages. A pasted text, which arrives line by line, is one message; so is what is typed during an answer. */
function messageReader(reader: Interface, signal: AbortSignal) {
  const lines: string[] = [];
  reader.on('line', (line) => lines.push(line));
  return {
    /** Drops what was typed since the last message. */
    forget(): void {
      lines.length = 0;
    },
    /** Null at the end of the input. */
    async next(): Promise<string | null> {
      if (lines.length > 0) await print(`${PROMPT}${lines.join('\n')}\n`);
      else {
        const line = await reader.question(PROMPT, { signal }).catch(() => null);
        if (line === null) return null;
        lines.unshift(line);
        for (let seen = 0; seen < lines.length; await sleep(PASTE_MS)) seen = lines.length;
      }
      return lines.splice(0).join('\n');
    },
  };
}
