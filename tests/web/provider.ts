/**
 * A model provider on a free port with the OpenAI protocol. Its answers depend on the task, so that runs with streamed
 * text, tool calls, tokens and open ends can be shown.
 */
import { createServer, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { listening } from '../support/ports.ts';

export interface Provider {
  /** What a daemon needs to use it. */
  readonly env: NodeJS.ProcessEnv;
  close(): void;
}

interface Asked {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

interface Turn {
  readonly text: string;
  readonly tool?: readonly [name: string, input: object];
}

/** A pause between two words, so that a page sees the text grow. */
const WORD_MS = 15;
/** Tasks that end with this word get an answer that does not end. */
export const ENDLESS = 'ENDLESS';

const REPORT = `## What I found

The import reads **three formats**. Two of them share a reader:

| Format | Reader | Tests |
|---|---|---|
| CSV | \`readRows\` | 12 |
| XML | \`readRows\` | 9 |
| EDIFACT | own | 0 |

1. EDIFACT has no test at all.
2. Dates are read in the local time zone.

\`\`\`ts
const at = Temporal.PlainDate.from(field).toZonedDateTime('UTC');
\`\`\`

3. The order of the fields is fixed.

> The old system writes dates without a zone.

See https://example.com/format for the format.`;

const TURNS: readonly Turn[] = [
  { text: 'First I look at the workspace.', tool: ['list_directory', { path: '.' }] },
  {
    text: 'Now I write down what I know.',
    tool: ['write_file', { path: 'notes.md', content: '# Import\n\n- CSV\n- XML\n- EDIFACT\n' }],
  },
  {
    text: 'One line is wrong: I mend it.',
    tool: ['edit_file', { path: 'notes.md', old_string: '- EDIFACT\n', new_string: '- EDIFACT (no tests)\n- JSON\n' }],
  },
  { text: 'A check of the result.', tool: ['bash', { command: 'wc -l notes.md && grep -c missing notes.md' }] },
  { text: REPORT },
];

/** What a goal is planned as. */
const PLAN = {
  steps: [
    { description: 'Read the three formats', tool: 'read_file', estimated_path: 'src/import' },
    { description: 'Write a test for EDIFACT', tool: 'write_file', estimated_path: 'tests/edifact.test.ts' },
    { description: 'Read dates with their zone', tool: 'edit_file', estimated_path: null },
  ],
  estimated_files: ['tests/edifact.test.ts'],
  risks: ['No sample of EDIFACT is at hand.'],
};

export async function startProvider(): Promise<Provider> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += String(part);
    const { messages } = JSON.parse(body) as Asked;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    await answer(response, messages).catch(() => response.destroy());
  });
  const port = await listening(server);
  return {
    env: {
      DAYBOOK_PROVIDER: 'openrouter',
      DAYBOOK_MODEL: 'demo-1',
      OPENROUTER_API_KEY: 'k',
      OPENROUTER_BASE_URL: `http://127.0.0.1:${port}/v1`,
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A text, or the texts of its parts. */
function taskOf(content: unknown): string {
  if (typeof content === 'string') return content.trim();
  return Array.isArray(content)
    ? content
        .map((part: { text?: string }) => part.text ?? '')
        .join('')
        .trim()
    : '';
}

function frame(delta: object, more: object = {}): string {
  const choices = [{ index: 0, delta, finish_reason: null, ...more }];
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'demo-1', choices })}\n\n`;
}

function turnOf(said: number, isEndless: boolean): Turn {
  return isEndless ? { text: REPORT } : (TURNS[said] ?? TURNS.at(-1)!);
}

async function answer(response: ServerResponse, messages: Asked['messages']): Promise<void> {
  const said = messages.filter(({ role }) => role === 'assistant').length;
  const isEndless = messages.some(({ role, content }) => role === 'user' && taskOf(content).endsWith(ENDLESS));
  const isPlanned = messages.some(({ role, content }) => role === 'user' && taskOf(content).startsWith('Goal: '));
  const turn = isPlanned ? { text: JSON.stringify(PLAN) } : turnOf(said, isEndless);
  for (const word of turn.text.split(/(?<=\s)/)) {
    response.write(frame({ content: word }));
    await sleep(WORD_MS);
  }
  if (isEndless) return;
  if (turn.tool !== undefined) {
    const [name, input] = turn.tool;
    const call = {
      index: 0,
      id: `call-${said}`,
      type: 'function',
      function: { name, arguments: JSON.stringify(input) },
    };
    response.write(frame({ tool_calls: [call] }));
  }
  response.write(frame({}, { finish_reason: turn.tool === undefined ? 'stop' : 'tool_calls' }));
  const usage = { prompt_tokens: 900 + said * 350, completion_tokens: turn.text.length, total_tokens: 0 };
  response.write(`data: ${JSON.stringify({ id: 'c', choices: [], usage })}\n\n`);
  response.end('data: [DONE]\n\n');
}
