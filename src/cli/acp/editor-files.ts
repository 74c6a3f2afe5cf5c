/**
 * The file tools on an editor's open files: text is read from the editor, with unsaved changes, and written back to it.
 * The tool itself runs on a copy of the file in a temporary folder, so that its output and refusals are the usual ones.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { confine } from '../../integrations/tools/confine.ts';
import { failed } from '../../integrations/tools/tool.ts';
import type { ToolCall, ToolOutcome, ToolsPort } from '../../ports/tools.ts';

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
