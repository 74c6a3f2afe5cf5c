/** Runs the program as a person or a script would, in a child process or in this one: its exit code and its output. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { main } from '../../src/cli/main.ts';
import { Mutex } from '../../src/lib/keyed-mutex.ts';

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
  /** The whole environment, except PATH. */
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
  // The process may end before it has read all its input.
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

/** Calls in this process run one at a time, because they use its environment, working directory and standard streams. */
const turns = new Mutex();

/**
 * Runs the program in this process, which saves the CPU time of starting one. For commands that end by themselves,
 * start no children that inherit streams, and do no work after they have ended.
 */
export function runProgramHere(
  words: readonly string[],
  { input = '', env, cwd = process.cwd() }: ProgramOptions & { readonly input?: string | Uint8Array },
): Promise<ProgramEnd> {
  return turns.run(async () => {
    const before = { cwd: process.cwd(), env: { ...process.env }, exitCode: process.exitCode };
    const written = { stdout: '', stderr: '' };
    const collect = (name: keyof typeof written): Writable =>
      new Writable({
        decodeStrings: false,
        write(chunk: Buffer | string, _encoding, done) {
          written[name] += String(chunk);
          done();
        },
      });
    const streams = {
      stdin: Readable.from(input === '' ? [] : [Buffer.from(input)]),
      stdout: collect('stdout'),
      stderr: collect('stderr'),
    };
    const restore = replaceStreams(streams);
    try {
      replaceEnv({ PATH: process.env.PATH, ...env });
      process.chdir(cwd);
      process.exitCode = undefined;
      await main(words);
      return { code: Number(process.exitCode ?? 0), ...written };
    } finally {
      restore();
      process.chdir(before.cwd);
      replaceEnv(before.env);
      process.exitCode = before.exitCode;
    }
  });
}

function replaceEnv(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name];
  for (const [name, value] of Object.entries(env)) if (value !== undefined) process.env[name] = value;
}

function replaceStreams(streams: Readonly<Record<'stdin' | 'stdout' | 'stderr', Readable | Writable>>): () => void {
  const names = ['stdin', 'stdout', 'stderr'] as const;
  const before = names.map((name) => [name, Object.getOwnPropertyDescriptor(process, name)!] as const);
  for (const name of names) Object.defineProperty(process, name, { configurable: true, value: streams[name] });
  return () => {
    for (const [name, descriptor] of before) Object.defineProperty(process, name, descriptor);
  };
}
