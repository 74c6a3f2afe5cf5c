/**
 * The tool `bash`: runs one command in the workspace, with limits on time and output, and leaves no process running.
 */
import { z } from 'zod';
import { watchChanges } from './changes.ts';
import { type ProcessEnd, runProcess, scrubbedEnvironment } from './process.ts';
import { type Captured, clipMiddle, harmlessEnds } from './text.ts';
import { defineTool, ToolFailure, workspaceOf } from './tool.ts';

// Linux limits an argument to 128 KiB.
const COMMAND_BYTES_MAX = 100 * 1024;

export const bashTool = defineTool({
  name: 'bash',
  description:
    'Runs a command with bash in the workspace and answers with its exit code and output. There is no terminal ' +
    'and no input. Each call is a fresh shell: directory changes and variables do not carry over. Everything it ' +
    'started, background processes too, is ended when the command ends, so it cannot be used to start a server.',
  class: 'execute',
  idempotent: false,
  input: z.strictObject({
    command: z.string().min(1).describe('The command line.'),
    timeout_seconds: z.int().min(1).max(86_400).optional().describe('When to give up; capped by the daemon.'),
  }),
  async run(input, context) {
    if (process.platform === 'win32') throw new ToolFailure('bash is not available on Windows.');
    if (input.command.includes('\0')) throw new ToolFailure('The command holds a NUL byte.');
    if (Buffer.byteLength(input.command) > COMMAND_BYTES_MAX) {
      throw new ToolFailure(`The command is longer than ${COMMAND_BYTES_MAX} bytes; write a script file first.`);
    }
    const { settings } = context;
    const wanted = input.timeout_seconds ?? settings.bashTimeoutSecondsDefault;
    const timeoutSeconds = Math.min(wanted, settings.bashTimeoutSecondsMax);
    const cwd = await workspaceOf(context);
    const changes = await watchChanges({
      walk: { root: cwd, from: '.', home: context.place.home, includeIgnored: false },
      filesMax: settings.walkFilesMax,
      signal: context.signal,
    });
    try {
      const job = {
        command: ['bash', '--noprofile', '--norc', '-c', input.command],
        cwd,
        env: scrubbedEnvironment(settings.env),
        marker: context.marker,
        timeoutSeconds,
        outputBytesMax: settings.outputBytesMax,
        printedBytesMax: settings.bashPrintedBytesMax,
      };
      context.mayChange();
      const end = await runProcess(job, context.signal);
      const { files, note } = await changes.finish();
      const ended = { end, timeoutSeconds, printedBytesMax: job.printedBytesMax, note };
      return { success: end.code === 0, output: render(ended, settings.outputBytesMax), files_modified: files };
    } catch (error) {
      if (context.signal.aborted) context.onAborted((await changes.finishAborted()).files);
      throw error;
    } finally {
      await changes.stop();
    }
  },
});

interface Ended {
  readonly end: ProcessEnd;
  readonly timeoutSeconds: number;
  readonly printedBytesMax: number;
  /** Why the changed files are not known, if they are not. */
  readonly note: string;
}

const FRAME_BYTES_MAX = 256;

function render(ended: Ended, bytesMax: number): string {
  const { stdout, stderr } = ended.end;
  const streams = share(harmlessEnds(stdout), harmlessEnds(stderr), Math.max(0, bytesMax - FRAME_BYTES_MAX));
  const parts = [verdict(ended)];
  if (streams.stdout !== '') parts.push(`stdout:\n${streams.stdout}`);
  if (streams.stderr !== '') parts.push(`stderr:\n${streams.stderr}`);
  if (parts.length === 1) parts.push('[no output]');
  if (ended.note !== '' && ended.end.kind !== 'not_started') parts.push(ended.note);
  return parts.join('\n');
}

function verdict({ end, timeoutSeconds, printedBytesMax }: Ended): string {
  switch (end.kind) {
    case 'exited':
      return `exit code ${end.code}`;
    case 'timed_out':
      return `ended after ${timeoutSeconds} s: the command did not finish in time`;
    case 'printed_too_much':
      return `ended: the command printed more than ${printedBytesMax} bytes`;
    case 'not_started':
      return `the command could not be started: ${end.fault}`;
  }
}

/** Divides the budget: each stream gets half, and the unused part of the other half. */
function share(stdout: Captured, stderr: Captured, bytesMax: number): { stdout: string; stderr: string } {
  const half = Math.floor(bytesMax / 2);
  const clipped = { stdout: clipMiddle(stdout, bytesMax), stderr: clipMiddle(stderr, bytesMax) };
  const outBytes = Buffer.byteLength(clipped.stdout);
  const errorBytes = Buffer.byteLength(clipped.stderr);
  if (outBytes + errorBytes <= bytesMax) return clipped;
  return {
    stdout: clipMiddle(stdout, Math.max(half, bytesMax - errorBytes)),
    stderr: clipMiddle(stderr, Math.max(half, bytesMax - outBytes)),
  };
}
