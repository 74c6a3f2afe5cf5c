/** The tool `bash` in an editor's terminal, visible to the user, with the limits of Daybook's own `bash`. */
import { addAbortListener } from 'node:events';
import { realpath } from 'node:fs/promises';
import type { TerminalHandle } from '@agentclientprotocol/sdk';
import { z } from 'zod';
import { watchChanges } from '../../integrations/tools/changes.ts';
import { DEFAULT_LIMITS } from '../../integrations/tools/config.ts';
import { harmless } from '../../integrations/tools/text.ts';
import type { ToolCall, ToolOutcome } from '../../ports/tools.ts';

interface EditorTerminal {
  create(command: {
    readonly command: string;
    readonly args: string[];
    readonly cwd: string;
    readonly outputByteLimit: number;
  }): Promise<TerminalHandle>;
}

interface TerminalCall {
  readonly call: ToolCall;
  readonly terminal: EditorTerminal;
  /** DAYBOOK_HOME. */
  readonly home: string;
}

const zInput = z.object({ command: z.string().min(1), timeout_seconds: z.int().min(1).optional() });

export async function runInTerminal({ call, terminal, home }: TerminalCall, signal: AbortSignal): Promise<ToolOutcome> {
  const input = zInput.safeParse(call.input);
  if (!input.success) return { success: false, output: 'The input of bash needs a command.', files_modified: [] };
  const { bashTimeoutSecondsDefault, bashTimeoutSecondsMax, walkFilesMax, outputBytesMax } = DEFAULT_LIMITS;
  const seconds = Math.min(input.data.timeout_seconds ?? bashTimeoutSecondsDefault, bashTimeoutSecondsMax);
  const cwd = await realpath(call.workspace);
  const changes = await watchChanges({
    walk: { root: cwd, from: '.', home, includeIgnored: false },
    filesMax: walkFilesMax,
    signal,
  });
  try {
    const args = ['--noprofile', '--norc', '-c', input.data.command];
    const handle = await terminal.create({
      command: 'bash',
      args,
      cwd: call.workspace,
      outputByteLimit: outputBytesMax,
    });
    try {
      const end = await waitFor(handle, seconds, signal);
      const { output, truncated } = await handle.currentOutput();
      const shown = harmless(output.toWellFormed());
      const cut = truncated ? '[the beginning of the output was dropped]\n' : '';
      const text = shown === '' ? '[no output]' : `output:\n${cut}${shown}`;
      return { success: end.success, output: `${end.verdict}\n${text}`, files_modified: await changes.finish() };
    } finally {
      await handle.release().catch(() => undefined);
    }
  } finally {
    await changes.stop();
  }
}

async function waitFor(handle: TerminalHandle, seconds: number, signal: AbortSignal) {
  const { promise, resolve } = Promise.withResolvers<'timeout' | 'aborted'>();
  using _late = setTimeout(() => resolve('timeout'), seconds * 1_000);
  using _aborted = addAbortListener(signal, () => resolve('aborted'));
  const first = await Promise.race([handle.waitForExit(), promise]);
  if (typeof first === 'object') {
    const verdict = first.signal == null ? `exit code ${first.exitCode ?? 'unknown'}` : `ended by ${first.signal}`;
    return { success: first.exitCode === 0, verdict };
  }
  await handle.kill();
  signal.throwIfAborted();
  return { success: false, verdict: `ended after ${seconds} s: the command did not finish in time` };
}
