/** Runs the program as a person does: a real process, its exit code and what it wrote. */
import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';

const PROGRAM = resolve('bin/daybook.js');
const WAIT_MS = 20_000;

export interface CliEnd {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Cli {
  readonly process: ChildProcess;
  readonly stdout: () => string;
  readonly ended: Promise<CliEnd>;
  /** Waits until standard output holds the text. */
  says(text: string): Promise<void>;
}

export interface CliOptions {
  readonly home: string;
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

export function startCli(words: readonly string[], { home, cwd = home, env = {} }: CliOptions): Cli {
  const child = spawn(process.execPath, [PROGRAM, ...words], {
    cwd,
    env: { PATH: process.env.PATH, HOME: home, ...env, DAYBOOK_HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const { promise: ended, resolve: end } = Promise.withResolvers<CliEnd>();
  child.once('close', (code) => end({ code, stdout, stderr }));
  return {
    process: child,
    stdout: () => stdout,
    ended,
    async says(text) {
      const deadline = Date.now() + WAIT_MS;
      while (!stdout.includes(text)) {
        if (Date.now() > deadline || child.exitCode !== null) {
          throw new Error(`It never said "${text}":\n${stdout}\n${stderr}`);
        }
        await new Promise((go) => setTimeout(go, 20));
      }
    },
  };
}

export function cli(words: readonly string[], options: CliOptions): Promise<CliEnd> {
  return startCli(words, options).ended;
}

export function jsonLines<Value>(text: string): Value[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Value);
}
