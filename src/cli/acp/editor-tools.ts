/** The tools that an editor carries out: those on its open files, and `bash` in its terminal. */
import { addAbortListener } from 'node:events';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TerminalHandle } from '@agentclientprotocol/sdk';
import { z } from 'zod';
import { watchChanges } from '../../integrations/tools/changes.ts';
import { DEFAULT_LIMITS } from '../../integrations/tools/config.ts';
import { confine } from '../../integrations/tools/confine.ts';
import { harmless } from '../../integrations/tools/text.ts';
import { failed } from '../../integrations/tools/tool.ts';
import type { ToolCall, ToolOutcome, ToolsPort } from '../../ports/tools.ts';

export interface EditorTerminal {
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
      const { files: files_modified, note } = await changes.finish();
      const parts = [end.verdict, text, ...(note === '' ? [] : [note])];
      return { success: end.success, output: parts.join('\n'), files_modified };
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

interface EditorFiles {
  /** Takes an absolute path. Rejects when the editor cannot read the file. */
  read(path: string): Promise<string>;
  write(path: string, content: string): Promise<void>;
}

interface FileCall {
  readonly call: ToolCall;
  readonly tools: ToolsPort;
  readonly files: EditorFiles;
  /** DAYBOOK_HOME. */
  readonly home: string;
}

/**
 * The file tools on an editor's open files: text is read from the editor, with unsaved changes, and written back to it.
 * The tool itself runs on a copy of the file in a temporary folder, so that its output and refusals are the usual ones.
 */
export async function runFileTool({ call, tools, files, home }: FileCall, signal: AbortSignal): Promise<ToolOutcome> {
  const path = pathIn(call);
  // The tool itself refuses a call without a path.
  if (path === null) return tools.call(call, signal);
  const writes = call.name !== 'read_file';
  const access = await confine({ workspace: call.workspace, home }, path, writes ? 'write' : 'read');
  if (!access.ok) return failed(access.reason);
  const target = join(call.workspace, access.relative);
  const before = call.name === 'write_file' ? placeholder(call, access.exists) : await readOrFailure(files, target);
  if (typeof before === 'object' && before !== null) return before;
  const shadow = await mkdtemp(join(tmpdir(), 'daybook-acp-'));
  try {
    const copy = join(shadow, access.relative);
    await mkdir(dirname(copy), { recursive: true });
    if (before !== null) await writeFile(copy, before);
    const input = { ...(call.input as object), path: access.relative };
    const outcome = await tools.call({ ...call, input, workspace: shadow }, signal);
    if (!outcome.success || outcome.files_modified.length === 0) return outcome;
    await files.write(target, await readFile(copy, 'utf8'));
    return outcome;
  } catch (error) {
    signal.throwIfAborted();
    return failed(`The editor could not write the file: ${(error as Error).message}`);
  } finally {
    await rm(shadow, { recursive: true, force: true });
  }
}

function pathIn({ input }: ToolCall): string | null {
  const path = typeof input === 'object' && input !== null && 'path' in input ? input.path : null;
  return typeof path === 'string' ? path : null;
}

/** `write_file` replaces the whole text, so of the old text only its existence matters. */
function placeholder({ input }: ToolCall, exists: boolean): string | null {
  const content = typeof input === 'object' && input !== null && 'content' in input ? input.content : null;
  return exists ? (content === '' ? ' ' : '') : null;
}

async function readOrFailure(files: EditorFiles, path: string): Promise<string | ToolOutcome> {
  try {
    return await files.read(path);
  } catch (error) {
    return failed(`The editor could not read the file: ${(error as Error).message}`);
  }
}
