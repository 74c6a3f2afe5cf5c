/**
 * Approvals of a followed run: a question in the terminal or, without a terminal, a line with the command that answers.
 *
 * - A waiting run emits no events, so its next event, or its end, withdraws the question.
 * - The first answer counts, here or on another client; the run's stream carries the result.
 * - What was typed before the question is dropped: whoever typed it has not seen the question.
 */
import { createInterface } from 'node:readline/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ReadStream } from 'node:tty';
import type { Approval } from '../client/client.ts';
import { cut } from '../lib/characters.ts';
import { shellWord } from '../lib/shell-word.ts';
import { type Client, RequestRefused } from './client.ts';
import { counted, duration, visible } from './text.ts';

interface ApprovalPrompt {
  /** Asks about an approval that a tool call waits for. */
  ask(id: string): void;
  /** Ends the open question: the run continued or ended. */
  withdraw(): void;
}

export interface Dependencies {
  readonly client: {
    readonly home: string;
    readonly api: { readonly approvals: Pick<Client['api']['approvals'], 'get' | 'answer'> };
  };
  /** Shows a line. */
  readonly print: (text: string) => void;
  /** Null when the command is not used interactively. */
  readonly terminal: Terminal | null;
}

interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

const DECISIONS = new Map([
  ...['y', 'yes'].map((word) => [word, 'allow_once'] as const),
  ...['a', 'always'].map((word) => [word, 'allow_run'] as const),
  ...['n', 'no'].map((word) => [word, 'deny'] as const),
]);
const PROMPT = 'Run it? y: this once, a: always until this run ends, n: no > ';
const INPUT_CHARACTERS_MAX = 4_000;

export function createApprovalPrompt({ client, print, terminal }: Dependencies): ApprovalPrompt {
  let open = new AbortController();

  async function handle(id: string, signal: AbortSignal): Promise<void> {
    const approval = await client.api.approvals.get(id);
    if (approval.status !== 'pending' || signal.aborted) return;
    const expires = `(expires in ${duration(approval.expires_at - Date.now())})`;
    print([`${approval.tool_name} ${expires}`, ...inputLines(approval.input)].join('\n'));
    const decision = terminal === null ? null : await askForDecision(terminal, signal);
    if (signal.aborted) return;
    if (decision === null) {
      print(instructions(client.home, id));
      return;
    }
    await client.api.approvals.answer(id, { decision });
  }

  return {
    ask(id) {
      open = new AbortController();
      const { signal } = open;
      handle(id, signal).catch((error: Error) => {
        // Another client answered first, or the approval expired while the answer was sent.
        const isTooLate = error instanceof RequestRefused && error.status === 409;
        if (!signal.aborted || isTooLate) print(error.message);
      });
    },
    withdraw: () => open.abort(),
  };
}

/** The input of a call, each field on lines of its own; of an edit the removed and the added lines. */
function inputLines(input: Approval['input']): readonly string[] {
  const lines = Object.entries(input as Readonly<Record<string, unknown>>).flatMap(([name, value]) => {
    const texts = visible(typeof value === 'string' ? value : JSON.stringify(value)).split('\n');
    const mark = EDIT_MARKS[name];
    if (mark !== undefined) return texts.map((text) => `  ${mark} ${text}`);
    return texts.length === 1 ? [`  ${name}: ${texts[0]}`] : [`  ${name}:`, ...texts.map((text) => `    ${text}`)];
  });
  const { text, left } = cut(lines.join('\n'), INPUT_CHARACTERS_MAX);
  return left === 0 ? lines : [`${text}…`, `  ${counted(left, 'more character')}`];
}

const EDIT_MARKS: Readonly<Record<string, string>> = { old_string: '-', new_string: '+' };

/** Null when the input was closed or the question was withdrawn. */
async function askForDecision(
  { input, output }: Terminal,
  signal: AbortSignal,
): Promise<'allow_once' | 'allow_run' | 'deny' | null> {
  if (input instanceof ReadStream) await dropTyped(input);
  const reader = createInterface({ input, output });
  // Readline takes Ctrl-C from the terminal; it is passed on, because it cancels the run.
  reader.on('SIGINT', () => process.emit('SIGINT'));
  const closed = new Promise<null>((resolve) => reader.once('close', () => resolve(null)));
  try {
    for (;;) {
      const answer = await Promise.race([reader.question(PROMPT, { signal }), closed]);
      if (answer === null) return null;
      const decision = DECISIONS.get(answer.trim().toLowerCase());
      if (decision !== undefined) return decision;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    output.write('\n');
    return null;
  } finally {
    reader.close();
  }
}

/** In raw mode a terminal also gives what has no line end yet. All of it is read within two turns of the event loop. */
async function dropTyped(input: ReadStream): Promise<void> {
  input.setRawMode(true).resume();
  await nextTurn();
  await nextTurn();
  input.pause();
}

function instructions(home: string, id: string): string {
  return `answer with: daybook approvals answer ${id} allow-once --home ${shellWord(home)} (or allow-run, deny)`;
}
