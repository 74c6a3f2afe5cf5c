/** The program as a person or a script runs it: a real process, its exit code and what it wrote. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { resolve } from 'node:path';

export const PROGRAM = resolve('bin/daybook.js');

export interface ProgramEnd {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Program {
  readonly process: ChildProcessWithoutNullStreams;
  readonly stdout: () => string;
  readonly ended: Promise<ProgramEnd>;
}

export interface ProgramOptions {
  /** All it gets beside PATH. */
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
}

export function startProgram(words: readonly string[], { env, ...options }: ProgramOptions): Program {
  const child = spawn(process.execPath, [PROGRAM, ...words], { ...options, env: { PATH: process.env.PATH, ...env } });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  // It may end before it read everything.
  child.stdin.on('error', () => undefined);
  const { promise: ended, resolve: end } = Promise.withResolvers<ProgramEnd>();
  child.once('close', (code) => end({ code, stdout, stderr }));
  return { process: child, stdout: () => stdout, ended };
}

export function runProgram(
  words: readonly string[],
  { input = '', ...options }: ProgramOptions & { readonly input?: string | Uint8Array },
): Promise<ProgramEnd> {
  const program = startProgram(words, options);
  program.process.stdin.end(input);
  return program.ended;
}
