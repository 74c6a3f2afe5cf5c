/** Running `daybook storage …` as a script would, and other things the operations tests share. */
import { spawn } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { resolve } from 'node:path';

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly input?: string | Uint8Array;
  readonly env?: NodeJS.ProcessEnv;
}

const PROGRAM = resolve('bin/daybook.js');

/** A home that does not exist, so that no command finds the one of whoever runs the tests. */
const ENV = { PATH: process.env.PATH, HOME: '/nonexistent', DAYBOOK_HOME: '/nonexistent/daybook' };

export function startProgram(words: readonly string[], env: NodeJS.ProcessEnv = {}) {
  return spawn(process.execPath, [PROGRAM, ...words], { env: { ...ENV, ...env }, stdio: 'pipe' });
}

export async function daybook(words: readonly string[], { input = '', env = {} }: RunOptions = {}): Promise<Ran> {
  const child = startProgram(words, env);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const code = await new Promise<number | null>((done) => child.once('close', done));
  return { code, stdout, stderr };
}

/** `daybook storage <words> --data-dir <directory>`. */
export function storageOn(directory: string) {
  return (words: readonly string[], options?: RunOptions): Promise<Ran> =>
    daybook(['storage', ...words, '--data-dir', directory], options);
}

export function lines(count: number, stream = 's'): string {
  return Array.from(
    { length: count },
    (_, index) => `${JSON.stringify({ stream, type: 'ThingHappened', data: { number: index + 1 } })}\n`,
  ).join('');
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}
