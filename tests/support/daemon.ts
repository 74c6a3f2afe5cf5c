/** Daemons for tests: the one of `daybook/testing`, or a child process that can be killed; each with its own home and port. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import type { Flags } from '../../src/config/load.ts';
import type { Daemon, StartOptions } from '../../src/daemon.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { startTestDaemon } from '../../src/testing/daemon.ts';
import type { TestDaemon as PublicTestDaemon } from '../../src/testing/test-daemon.ts';
import { memoryFolder, temporaryFolder } from './folders.ts';
import { PROGRAM } from './program.ts';
import { shared } from './shared.ts';

const RATES = { DAYBOOK_RATE_AUTHENTICATED: '1000000', DAYBOOK_RATE_PUBLIC: '1000000' };

export interface TestDaemon extends Daemon {
  readonly home: string;
  readonly workspace: string;
  /** Lines the daemon wrote to stderr. */
  readonly lines: readonly string[];
  /** A request with the bearer token; `path` begins with a slash. */
  request(path: string, init?: RequestInit): Promise<Response>;
}

export interface TestDaemonOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** A daemon in a child process uses the port only. */
  readonly flags?: Flags;
  /** An existing home to start on; otherwise a temporary one of this test file. */
  readonly home?: string;
  readonly workspace?: string;
  /** Only for a daemon in this process. */
  readonly clock?: Clock;
  /** Only for a daemon in this process: further resources. */
  readonly extensions?: StartOptions['extensions'];
  /** Only for a daemon in a child process: the entry point of another build of the program. */
  readonly program?: string;
}

/**
 * `startTestDaemon` of `daybook/testing` with the clock, the timers and the models of a real one. Its home is in memory, where
 * a sync costs nothing; a test that needs a disk passes a folder on one.
 */
export async function testDaemon(options: TestDaemonOptions = {}): Promise<TestDaemon> {
  const { env = {}, flags = {}, clock = 'system', extensions = [] } = options;
  const { home = memoryFolder('home'), workspace = temporaryFolder('workspace') } = options;
  const place = { home, workspace };
  const daemon = await startTestDaemon({
    ...place,
    clock,
    env,
    models: 'configured',
    settings: flags,
    resources: extensions,
  });
  const { url, token, app, log, lines } = daemon;
  return {
    ...{ ...place, url, token, app, log, lines },
    port: Number(new URL(url).port),
    request: (path, init = {}) => requestTo({ url, token }, path, init),
    stop: () => daemon.stop(),
  };
}

function requestTo(
  { url, token }: { readonly url: string; readonly token: string },
  path: string,
  init: RequestInit,
): Promise<Response> {
  return fetch(url + path, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } });
}

/** The same for the test that starts it: it stops when the test ends. */
export async function daemonHere(options: TestDaemonOptions = {}): Promise<TestDaemon> {
  const daemon = await testDaemon(options);
  onTestFinished(() => daemon.stop());
  return daemon;
}

/** One daemon for all tests of a file: it starts with an empty home and runs from the first test to the last. */
export function sharedDaemon(options: TestDaemonOptions = {}): TestDaemon {
  return shared(
    () => testDaemon(options),
    (daemon) => daemon.stop(),
  );
}

export interface KillableDaemon {
  readonly url: string;
  readonly token: string;
  readonly home: string;
  readonly stderr: () => string;
  request(path: string, init?: RequestInit): Promise<Response>;
  /** Sends the signal and waits for the end of the process. Resolves with its exit code, null when a signal ended it. */
  kill(signal: NodeJS.Signals): Promise<number | null>;
}

/**
 * A daemon in this process, whose start takes a fifth of the CPU of a child process. SIGKILL simulates a power cut: bytes
 * that were not synced are lost. Any other signal stops it gracefully.
 */
export async function killableDaemon({
  env = {},
  flags = {},
  ...options
}: TestDaemonOptions = {}): Promise<KillableDaemon & Pick<PublicTestDaemon, 'event'>> {
  const { home = memoryFolder('home'), workspace = temporaryFolder('workspace') } = options;
  const place = { home, workspace };
  const daemon = await startTestDaemon({ ...place, clock: 'system', env, models: 'configured', settings: flags });
  const { url, token, lines } = daemon;
  return {
    ...{ url, token, home },
    stderr: () => lines.join('\n'),
    request: (path, init = {}) => requestTo({ url, token }, path, init),
    event: (match, limits) => daemon.event(match, limits),
    async kill(signal) {
      await (signal === 'SIGKILL' ? daemon.kill() : daemon.stop());
      return signal === 'SIGKILL' ? null : 0;
    },
  };
}

export interface ChildDaemon extends KillableDaemon {
  readonly pid: number;
  readonly process: ChildProcess;
}

/** The flags of Node under `npm start`. */
const NODE_FLAGS = (JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { start: string } }).scripts.start
  .split(' ')
  .filter((word) => word.startsWith('--'));

/** The program as users run it with `npm start`. */
export async function childDaemon(options: TestDaemonOptions = {}): Promise<ChildDaemon> {
  const home = options.home ?? memoryFolder('home');
  const workspace = options.workspace ?? temporaryFolder('workspace');
  const port = String(options.flags?.port ?? 0);
  const child = spawn(process.execPath, [...NODE_FLAGS, options.program ?? PROGRAM, 'serve', '--port', port], {
    cwd: workspace,
    env: { PATH: process.env.PATH, ...RATES, DAYBOOK_STORAGE_OPS_PORT: 'off', ...options.env, DAYBOOK_HOME: home },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8');
  const url = await new Promise<string>((found, failed) => {
    child.stderr.on('data', (text: string) => {
      stderr += text;
      const match = /^listening (\S+)$/m.exec(stderr);
      if (match) found(match[1]!);
    });
    child.once('exit', (code) => failed(new Error(`The daemon ended with ${code} before it listened:\n${stderr}`)));
  });
  const token = /^token (\S+)$/m.exec(stderr)![1]!;
  return {
    url,
    token,
    home,
    pid: child.pid!,
    process: child,
    stderr: () => stderr,
    request: (path, init = {}) => requestTo({ url, token }, path, init),
    kill(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
      const ended = new Promise<number | null>((done) => child.once('exit', (code) => done(code)));
      child.kill(signal);
      return ended;
    },
  };
}
