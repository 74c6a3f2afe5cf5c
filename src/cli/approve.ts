/**
 * The approvals of a followed run: asked about in the terminal, or, without one, shown with how to answer them.
 *
 * - A run that waits for an answer says nothing else: its next event, or its end, withdraws the question.
 * - Who answers first has answered, here or elsewhere; the run's stream says what became of it.
 */
import { createInterface } from 'node:readline/promises';
import { z } from 'zod';
import { readDiscovery } from '../discovery.ts';
import type { Client } from './client.ts';
import { Refused } from './client.ts';
import { oneLine } from './text.ts';

export interface Approvals {
  /** A tool waits for this approval. */
  ask(id: string): void;
  /** The run went on, or ended: nothing waits any more. */
  settled(): void;
}

export interface ApprovalsParts {
  readonly client: Client;
  /** A line to whoever follows the run. */
  readonly say: (text: string) => void;
  /** Where a person can be asked; null when nobody sits there. */
  readonly terminal: Terminal | null;
}

export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

const DECISIONS = new Map([
  ...['y', 'yes'].map((word) => [word, 'allow_once'] as const),
  ...['a', 'always'].map((word) => [word, 'allow_run'] as const),
  ...['n', 'no'].map((word) => [word, 'deny'] as const),
]);
const PROMPT = 'Run it? y: this once, a: always until this run ends, n: no > ';
/** More of a tool's input than anybody reads before answering. */
const INPUT_CHARACTERS_MAX = 4_000;

const zApproval = z.looseObject({ tool_name: z.string(), input: z.unknown(), status: z.string() });

export function createApprovals({ client, say, terminal }: ApprovalsParts): Approvals {
  let open = new AbortController();

  async function answered(id: string, signal: AbortSignal): Promise<void> {
    const approval = await client.request(`/approvals/${id}`, { schema: zApproval });
    if (approval.status !== 'pending' || signal.aborted) return;
    say(`${approval.tool_name} ${oneLine(JSON.stringify(approval.input), INPUT_CHARACTERS_MAX)}`);
    const decision = terminal === null ? null : await choice(terminal, signal);
    if (signal.aborted) return;
    if (decision === null) {
      say(howTo(client.home, id));
      return;
    }
    await client.request(`/approvals/${id}`, { method: 'POST', body: { decision }, schema: zApproval });
  }

  return {
    ask(id) {
      open = new AbortController();
      const { signal } = open;
      answered(id, signal).catch((error: Error) => {
        // Somebody else was first, or its time was over while the answer was on its way.
        const isTooLate = error instanceof Refused && error.status === 409;
        if (!signal.aborted || isTooLate) say(error.message);
      });
    },
    settled: () => open.abort(),
  };
}

/** What the person says; null when they closed the input, or the question was withdrawn. */
async function choice(
  { input, output }: Terminal,
  signal: AbortSignal,
): Promise<'allow_once' | 'allow_run' | 'deny' | null> {
  const reader = createInterface({ input, output });
  // While it reads, Ctrl-C is a key like any other; it means the run all the same.
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

function howTo(home: string, id: string): string {
  const url = readDiscovery(home)?.url ?? 'http://127.0.0.1:7878';
  const token = `$(cat '${home}/daemon.token')`;
  return `answer with: curl ${url}/approvals/${id} -H "Authorization: Bearer ${token}" -d '{"decision":"allow_once"}' (or allow_run, deny)`;
}
